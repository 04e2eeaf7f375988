/*
 * Files of the user, written under another name and renamed, so that a reader
 * never sees half of one.
 */
#include "cli/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

enum { NAME_ROOM = 4096 };

/* Sets the mode that open(2) would have set; mkstemp sets 0600. */
static void
set_mode(int fd)
{
    mode_t mask = umask(0);

    umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}

/* Returns 0 or an errno. */
static int
write_all(int fd, str text)
{
    while (text.len) {
        ssize_t n = write(fd, text.ptr, text.len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        text.ptr += n;
        text.len -= (size_t)n;
    }
    return fsync(fd) ? errno : 0;
}

/* Is there something that must not be replaced: a device, a pipe? */
static bool
is_special(const char *path)
{
    struct stat s;

    return !stat(path, &s) && !S_ISREG(s.st_mode);
}

/* Makes a file beside path, under a name of its own. */
static int
make_beside(const char *option, const char *path, char name[NAME_ROOM], int *fd)
{
    int n = snprintf(name, NAME_ROOM, "%s.XXXXXX", path);

    if (n < 0 || n >= NAME_ROOM)
        return fail_usage("--%s: the file name is too long", option);
    *fd = mkstemp(name);
    if (*fd < 0)
        return fail_run("cannot write %.200s: %s", path, strerror(errno));
    return CLI_OK;
}

int
save_check(const char *option, const char *path)
{
    char name[NAME_ROOM];
    int fd, code;

    if (!path || is_special(path))
        return CLI_OK;
    code = make_beside(option, path, name, &fd);
    if (!code) {
        close(fd);
        unlink(name);
    }
    return code;
}

/* Writes to a device or a pipe, which has no name to replace. */
static int
write_special(const char *path, str text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : write_all(fd, text);

    if (fd >= 0 && close(fd) && !error)
        error = errno;
    if (error == EINVAL ||
        error == EROFS) /* what cannot be synced is written */
        error = 0;
    return error ? fail_run("cannot write %.200s: %s", path, strerror(error))
                 : CLI_OK;
}

/* Writes a file under another name, which then becomes its own. */
static int
replace_file(const char *option, const char *path, str text)
{
    char name[NAME_ROOM];
    int fd, error, code = make_beside(option, path, name, &fd);

    if (code)
        return code;
    set_mode(fd);
    error = write_all(fd, text);
    if (close(fd) && !error)
        error = errno;
    if (!error && rename(name, path))
        error = errno;
    if (!error)
        return CLI_OK;
    unlink(name);
    return fail_run("cannot write %.200s: %s", path, strerror(error));
}

int
save_file(const char *option, const char *path, str text)
{
    char *real = realpath(path, NULL); /* a link stays what it is */
    int code = is_special(path)
                   ? write_special(path, text)
                   : replace_file(option, real ? real : path, text);

    free(real);
    return code;
}

/* Returns 0, or an errno; EFBIG if it is larger than the limit of text. */
static int
read_all(int fd, struct buf *text)
{
    char chunk[1 << 14];
    ssize_t n;

    do {
        n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno != EINTR)
            return errno;
        buf_add(text, chunk, n > 0 ? (size_t)n : 0);
    } while (n && !text->failed);
    return text->failed ? EFBIG : 0;
}

int
load_file(const char *option, const char *path, size_t limit, struct buf *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), error;

    if (fd < 0)
        return fail_usage("--%s: cannot read %.200s: %s", option, path,
                          strerror(errno));
    buf_init(text, NULL, limit + 1);
    error = read_all(fd, text);
    close(fd);
    if (!error)
        return CLI_OK;
    buf_clear(text);
    return fail_usage("--%s: cannot read %.200s: %s", option, path,
                      strerror(error));
}
