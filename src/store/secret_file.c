/*
 * The rights are checked on the open file, so that it cannot be exchanged
 * between check and use. Another user who could write the file could make
 * custos read a database of theirs; one who can read it has the secret.
 */
#include "store/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"

static custos_status
check_private(int fd, const char *path, custos_err *err)
{
    struct stat facts;

    if (fstat(fd, &facts))
        return custos_fail(err, CUSTOS_EIO,
                           "the secret file %.120s cannot be read", path);
    if (!S_ISREG(facts.st_mode))
        return custos_fail(err, CUSTOS_EDENIED,
                           "the secret file %.120s is not a plain file", path);
    if (facts.st_uid != geteuid())
        return custos_fail(err, CUSTOS_EDENIED,
                           "the secret file %.120s belongs to another "
                           "user" HINT
                           "it must belong to the user who runs custos",
                           path);
    if (facts.st_mode & (S_IRWXG | S_IRWXO))
        return custos_fail(err, CUSTOS_EDENIED,
                           "others may access the secret file %.120s" HINT
                           "run chmod 600 on it",
                           path);
    return CUSTOS_OK;
}

/* Reads up to the room of out; a longer file is no secret (check_line). */
static custos_status
read_all(int fd, const char *path, struct secret_file *out, custos_err *err)
{
    ssize_t n = 1;

    while (n > 0 && out->len < sizeof out->text) {
        n = read(fd, out->text + out->len, sizeof out->text - out->len);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            out->len += (size_t)n;
    }
    return n < 0 ? custos_fail(err, CUSTOS_EIO,
                               "the secret file %.120s cannot be read", path)
                 : CUSTOS_OK;
}

static custos_status
check_line(struct secret_file *s, const char *path, custos_err *err)
{
    bool good;

    if (s->len > 0 && s->text[s->len - 1] == '\n')
        s->len--;
    good = s->len > 0 && s->len <= SECRET_BYTES_MAX;
    for (size_t i = 0; i < s->len; i++)
        good = good && (unsigned char)s->text[i] >= ' ' && s->text[i] != 127;
    return good ? CUSTOS_OK
                : custos_fail(err, CUSTOS_EPOLICY,
                              "the secret file %.120s must contain one line of "
                              "1 to %d bytes, without control characters",
                              path, (int)SECRET_BYTES_MAX);
}

custos_status
secret_file_read(const char *path, struct secret_file *out, custos_err *err)
{
    /* O_NONBLOCK: opening a pipe must not wait for its writer */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    custos_status st;

    out->len = 0;
    if (fd < 0)
        return custos_fail(err, CUSTOS_ENAME,
                           "the secret file %.120s does not exist or is not "
                           "readable",
                           path);
    st = check_private(fd, path, err);
    if (!st)
        st = read_all(fd, path, out, err);
    if (!st)
        st = check_line(out, path, err);
    close(fd);
    if (st)
        secret_file_clear(out);
    return st;
}

void
secret_file_clear(struct secret_file *s)
{
    wipe(s, sizeof *s);
}
