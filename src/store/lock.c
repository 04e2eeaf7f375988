/*
 * Locks, by flock: they belong to the open file, so two handles of one process
 * exclude each other too, and a killed process releases them.
 *
 * The next import removes what a killed one left behind, under the import lock.
 * Spill folders of queries are locked by the processes that use them, and only
 * unlocked ones are removed. The folder tmp/ itself is locked while a spill
 * folder is created or leftovers are removed: a folder that is not locked yet
 * would look abandoned.
 */
#include "store/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/file.h"

enum { NAME_MOST = 64 };

/* Takes a lock without waiting. */
static custos_status
lock_take(const char *path, int *out, custos_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    custos_status st = CUSTOS_OK;
    int got;

    if (fd < 0) {
        st = custos_fail(err, CUSTOS_EIO, "the store cannot be written");
        custos_note(err, "lock: errno %d", errno);
        return st;
    }
    do
        got = flock(fd, LOCK_EX | LOCK_NB);
    while (got && errno == EINTR);
    if (got && errno != EWOULDBLOCK)
        st = custos_fail(err, CUSTOS_EIO, "the store cannot be locked");
    else if (got)
        st = custos_fail(err, CUSTOS_EBUSY,
                         "the store is in use by another process" HINT
                         "try again later");
    if (st)
        close(fd);
    else
        *out = fd;
    return st;
}

/* Waits for the lock on tmp/ and returns its descriptor; close releases the lock.
   Returns -1 on failure. */
static int
tmp_take(const struct store *s)
{
    char path[STORE_PATH_MAX];
    int fd, got;

    store_path(s, "tmp", path);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    do
        got = flock(fd, LOCK_EX);
    while (got && errno == EINTR);
    if (got)
        close(fd);
    return got ? -1 : fd;
}

/* Does a process still hold the lock of this spill folder? */
static bool
spill_is_held(const char *path)
{
    char name[STORE_PATH_MAX];
    int fd;
    bool held;

    if (snprintf(name, sizeof name, "%s/held", path) >= (int)sizeof name)
        return true;
    fd = open(name, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    held = flock(fd, LOCK_EX | LOCK_NB) != 0;
    close(fd);
    return held;
}

/* Calls `f` for every name in a folder of the store, except "." and "..". */
static void
each_name(const struct store *s, const char *folder,
          void (*f)(const struct store *s, const char *name, const char *path))
{
    char path[STORE_PATH_MAX], below[STORE_PATH_MAX];
    struct dirent *entry;
    DIR *d;

    store_path(s, folder, path);
    d = opendir(path);
    if (!d)
        return;
    while ((entry = readdir(d))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) <
            (int)sizeof below)
            f(s, entry->d_name, below);
    }
    closedir(d);
}

static void
clean_tmp(const struct store *s, const char *name, const char *path)
{
    (void)s;
    if (strncmp(name, "spill-", 6) != 0 || !spill_is_held(path))
        tree_remove(path);
}

static void
clean_data(const struct store *s, const char *name, const char *path)
{
    uint64_t n;

    if (version_of_name(name, &n) && n == s->version)
        return;
    tree_remove(path);
}

custos_status
import_take(struct store *s, custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st;

    if (s->import >= 0)
        return CUSTOS_OK;
    store_path(s, "import", path);
    st = lock_take(path, &s->import, err);
    if (st == CUSTOS_EBUSY)
        return custos_fail(err, CUSTOS_EBUSY,
                           "another import into this store is running" HINT
                           "try again when it is done");
    if (st)
        return st;
    st = store_refresh(s, err); /* another import may just have ended */
    if (st)
        store_import_end(s);
    return st;
}

custos_status
store_import_begin(struct store *s, custos_err *err)
{
    custos_status st;
    int tmp;

    if (s->import >= 0)
        return CUSTOS_OK;
    st = import_take(s, err);
    if (st)
        return st;
    tmp = tmp_take(s);
    if (tmp >= 0) {
        each_name(s, "tmp", clean_tmp);
        close(tmp);
    }
    each_name(s, "data", clean_data);
    return CUSTOS_OK;
}

void
store_import_end(struct store *s)
{
    if (s->import >= 0)
        close(s->import);
    s->import = -1;
}

void
store_import_path(const struct store *s, char *out)
{
    store_path(s, "tmp/import.duckdb", out);
}

custos_status
store_import_keep(struct store *s, uint64_t *version, custos_err *err)
{
    char from[STORE_PATH_MAX], to[STORE_PATH_MAX];
    custos_status st;

    store_import_path(s, from);
    store_data_path(s, s->version + 1, to);
    if (chmod(from, FILE_MODE))
        return custos_fail(err, CUSTOS_EIO,
                           "cannot restrict the new data to its owner");
    st = file_sync(from, err);
    if (st)
        return st;
    if (rename(from, to)) {
        st = custos_fail(err, CUSTOS_EIO, "the new data cannot be renamed");
        custos_note(err, "errno %d", errno);
        return st;
    }
    st = folder_sync_above(to, err);
    if (st) {
        tree_remove(to);
        return st;
    }
    *version = s->version + 1;
    return CUSTOS_OK;
}

bool
store_is_read_only(const struct store *s)
{
    char path[STORE_PATH_MAX];

    store_path(s, "tmp", path);
    return access(path, W_OK) && errno == EROFS;
}

/* Creates the folder and takes its lock. */
static custos_status
spill_make(char *folder, int *held, custos_err *err)
{
    char lock[STORE_PATH_MAX];
    custos_status st;

    if (!mkdtemp(folder) || chmod(folder, FOLDER_MODE) ||
        snprintf(lock, sizeof lock, "%s/held", folder) >= (int)sizeof lock) {
        st = custos_fail(err, CUSTOS_EIO,
                         "cannot create a folder for temporary files in the "
                         "store");
        custos_note(err, "errno %d", errno);
        return st;
    }
    st = lock_take(lock, held, err);
    if (st)
        tree_remove(folder);
    return st;
}

custos_status
store_spill_new(const struct store *s, char *out, int *held, custos_err *err)
{
    int tmp = tmp_take(s);
    custos_status st;

    if (tmp < 0) {
        st = custos_fail(err, CUSTOS_EIO, "the store cannot be locked");
        custos_note(err, "tmp: errno %d", errno);
        return st;
    }
    store_path(s, "tmp/spill-XXXXXX", out);
    st = spill_make(out, held, err);
    close(tmp);
    return st;
}

void
store_spill_free(const char *path, int held)
{
    if (held < 0)
        return;
    tree_remove(path);
    close(held);
}
