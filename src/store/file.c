/*
 * write, fsync, rename, fsync of the folder: the only order in which a name
 * always refers to complete content. fchmod follows open, since the umask may
 * have removed rights.
 */
#include "store/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/store.h"

static custos_status
fail_io(custos_err *err, const char *what, const char *path)
{
    int number = errno;
    custos_status st;

    st = custos_fail(err, CUSTOS_EIO, "%s failed: %s (%.100s)", what,
                     number == ENOSPC || number == EDQUOT || number == EFBIG
                         ? "the disk is full"
                     : number == EROFS  ? "the disk is read-only"
                     : number == EACCES ? "no permission"
                                        : "the disk or the folder is at fault",
                     path);
    custos_note(err, "errno %d", number);
    return st;
}

static bool
write_all(int fd, const char *ptr, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, ptr, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        ptr += n;
        len -= (size_t)n;
    }
    return true;
}

custos_status
folder_sync_above(const char *path, custos_err *err)
{
    char folder[STORE_PATH_MAX];
    const char *slash = strrchr(path, '/');
    int fd, bad;

    if (!slash)
        snprintf(folder, sizeof folder, ".");
    else if (slash == path)
        snprintf(folder, sizeof folder, "/");
    else
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail_io(err, "opening a folder", folder);
    bad = fsync(fd);
    close(fd);
    if (bad)
        return fail_io(err, "syncing a folder", folder);
    return CUSTOS_OK;
}

custos_status
file_sync(const char *path, custos_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), bad;

    if (fd < 0)
        return fail_io(err, "opening a file", path);
    bad = fsync(fd);
    close(fd);
    if (bad)
        return fail_io(err, "syncing a file", path);
    return CUSTOS_OK;
}

custos_status
file_write(const char *path, str text, custos_err *err)
{
    char beside[STORE_PATH_MAX];
    custos_status st = CUSTOS_OK;
    int fd;

    if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
        return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
    unlink(beside); /* left by a crash */
    fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return fail_io(err, "creating a file", beside);
    if (fchmod(fd, FILE_MODE) || !write_all(fd, text.ptr, text.len) ||
        fsync(fd))
        st = fail_io(err, "writing a file", beside);
    if (close(fd) && !st)
        st = fail_io(err, "writing a file", beside);
    if (!st && rename(beside, path))
        st = fail_io(err, "renaming a file", beside);
    if (st) {
        unlink(beside);
        return st;
    }
    return folder_sync_above(path, err);
}

custos_status
file_read_into(const char *path, char *into, size_t room, size_t *n,
               custos_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    custos_status st = CUSTOS_OK;
    size_t len = 0;
    char more;
    ssize_t got;

    if (fd < 0 && errno == ENOENT)
        return custos_fail(err, CUSTOS_ENAME, "there is no file %.150s", path);
    if (fd < 0)
        return fail_io(err, "opening a file", path);
    for (;;) {
        got =
            len < room ? read(fd, into + len, room - len) : read(fd, &more, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            st = fail_io(err, "reading a file", path);
        if (got > 0 && len == room)
            st = custos_fail(err, CUSTOS_ECORRUPT,
                             "the file is too long: %.120s", path);
        if (got <= 0 || st)
            break;
        len += (size_t)got;
    }
    close(fd);
    if (!st)
        *n = len;
    return st;
}

custos_status
file_read(const char *path, size_t most, arena *a, str *out, custos_err *err)
{
    struct stat facts;
    size_t room, n = 0;
    custos_status st;
    char *text;

    if (stat(path, &facts))
        facts.st_size = 0; /* file_read_into reports the error */
    room = (size_t)facts.st_size < most ? (size_t)facts.st_size : most;
    text = arena_take(a, room + 1, 1);
    if (!text)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = file_read_into(path, text, room, &n, err);
    if (!st)
        *out = (str){text, n};
    return st;
}

/* Copies in the kernel, where the file systems can. */
static bool
copy_quickly(int in, int out, off_t left)
{
    while (left > 0) {
        const ssize_t n = copy_file_range(in, NULL, out, NULL, (size_t)left, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        left -= n;
    }
    return true;
}

/* Copies all that comes after the places where the two files are. */
static bool
copy_rest(int in, int out)
{
    char bytes[1 << 14];

    for (;;) {
        const ssize_t n = read(in, bytes, sizeof bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || !write_all(out, bytes, (size_t)n))
            return n == 0;
    }
}

custos_status
file_copy(const char *from, const char *to, custos_err *err)
{
    int in = -1, out = -1;
    struct stat facts;
    custos_status st = CUSTOS_OK;

    in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0 || fstat(in, &facts))
        st = fail_io(err, "reading a file", from);
    if (!st) {
        out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
        if (out < 0 || fchmod(out, FILE_MODE))
            st = fail_io(err, "creating a file", to);
    }
    /* Between two file systems the kernel may refuse to copy. */
    if (!st && !copy_quickly(in, out, facts.st_size) && !copy_rest(in, out))
        st = fail_io(err, "copying a file", to);
    if (!st && lseek(out, 0, SEEK_CUR) < facts.st_size)
        st = custos_fail(err, CUSTOS_EIO, "a file shrank while it was copied");
    if (!st && fsync(out))
        st = fail_io(err, "copying a file", to);
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) && !st)
        st = fail_io(err, "copying a file", to);
    return st;
}

custos_status
folder_new(const char *path, custos_err *err)
{
    if (mkdir(path, FOLDER_MODE) || chmod(path, FOLDER_MODE))
        return fail_io(err, "creating a folder", path);
    return CUSTOS_OK;
}

void
tree_remove(const char *path)
{
    char below[STORE_PATH_MAX];
    struct dirent *entry;
    DIR *folder;

    if (!unlink(path) || errno == ENOENT)
        return;
    folder = opendir(path);
    if (folder) {
        while ((entry = readdir(folder))) {
            if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
                continue;
            if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) <
                (int)sizeof below)
                tree_remove(below);
        }
        closedir(folder);
    }
    rmdir(path);
}
