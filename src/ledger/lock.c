/*
 * A lock that the kernel releases when its holder dies. flock cannot wait for a
 * bounded time, so this retries at growing intervals.
 */
#include "ledger/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum {
    WAIT_LEAST_US = 50,
    WAIT_MOST_US = 4000,
    WAIT_ALL_MS = 30000,
    FOLDER_MAX = 4096,
};

static custos_status
fail_errno(custos_err *err, const char *what)
{
    custos_status st;
    int code = errno;

    if (code == ENOSPC || code == EDQUOT)
        st = custos_fail(err, CUSTOS_EIO, "the disk is full: %s", what);
    else if (code == EROFS || code == EACCES || code == EPERM)
        st = custos_fail(err, CUSTOS_EIO,
                         "%s" HINT "check that the store is not read-only and "
                         "that you own it",
                         what);
    else
        st = custos_fail(err, CUSTOS_EIO, "%s", what);
    custos_note(err, "%s", strerror(code));
    return st;
}

custos_status
lock_open(const char *path, int *fd, bool *read_only, custos_err *err)
{
    int got = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    *read_only = got < 0 && errno == EROFS;
    if (*read_only)
        got = open(path, O_RDONLY | O_CLOEXEC);
    if (got < 0)
        return fail_errno(err, "the store's lock file cannot be opened");
    *fd = got;
    return CUSTOS_OK;
}

static long
milliseconds(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

custos_status
lock_take(int fd, custos_err *err)
{
    long until = milliseconds() + WAIT_ALL_MS, us = WAIT_LEAST_US;

    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        struct timespec pause = {0, us * 1000};

        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail_errno(err, "the store's lock cannot be taken");
        if (milliseconds() > until)
            return custos_fail(err, CUSTOS_EBUSY,
                               "another process has held the store's lock for "
                               "%d s" HINT "try again when it is done",
                               WAIT_ALL_MS / 1000);
        nanosleep(&pause, NULL);
        us = us * 3 / 2 < WAIT_MOST_US ? us * 3 / 2 : WAIT_MOST_US;
    }
    return CUSTOS_OK;
}

void
lock_drop(int fd)
{
    flock(fd, LOCK_UN);
}

custos_status
file_make(const char *path, custos_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return fail_errno(err, "the ledger's file cannot be made");
    close(fd);
    return CUSTOS_OK;
}

custos_status
folder_sync(const char *path_in_it, custos_err *err)
{
    const char *slash = strrchr(path_in_it, '/');
    char folder[FOLDER_MAX];
    int fd, bad;

    snprintf(folder, sizeof folder, "%.*s",
             slash ? (int)(slash - path_in_it) : 1, slash ? path_in_it : ".");
    fd = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bad = fd < 0 || fsync(fd) != 0;
    if (bad)
        (void)fail_errno(err, "the ledger's folder cannot be synced");
    if (fd >= 0)
        close(fd);
    return bad ? CUSTOS_EIO : CUSTOS_OK;
}
