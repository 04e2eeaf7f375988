/*
 * The file of a synopsis: a line that says what it is, the synopsis as bytes, and
 * the SHA-256 of both, against damage. It is no signature: whoever can write the
 * file can write a hash.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sha256.h"
#include "synopsis/codec.h"

static const char FIRST[] = "custos synopsis 1\n";
static const char ANY[] = "custos synopsis ";
enum { FIRST_BYTES = sizeof FIRST - 1, ANY_BYTES = sizeof ANY - 1 };

/* --------------------------------------------------------------- writing -- */

static bool
write_all(int fd, const char *ptr, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, ptr, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        ptr += done;
        n -= (size_t)done;
    }
    return true;
}

static custos_status
write_file(const char *path, str bytes, custos_err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int number;
    bool whole;

    if (fd < 0)
        return custos_fail(err, CUSTOS_EIO, "cannot create %s: %s", path,
                           strerror(errno));
    whole = write_all(fd, bytes.ptr, bytes.len) && fsync(fd) == 0;
    number = errno;
    if (close(fd) == 0 && whole)
        return CUSTOS_OK;
    number = whole ? errno : number;
    unlink(path);
    return custos_fail(err, CUSTOS_EIO, "cannot write %s: %s", path,
                       strerror(number));
}

custos_status
synopsis_write(const struct synopsis *s, const char *path, custos_err *err)
{
    uint8_t hash[SHA256_BYTES];
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, SYNOPSIS_BYTES_MAX);
    buf_add(&b, FIRST, FIRST_BYTES);
    synopsis_pack(s, &b);
    if (!b.failed) {
        sha256_of(b.ptr, b.len, hash);
        buf_add(&b, (const char *)hash, sizeof hash);
    }
    st = b.failed ? custos_fail(err, CUSTOS_EOVERFLOW,
                                "the synopsis is larger than %zu MB" HINT
                                "ask for fewer columns or a smaller workload",
                                SYNOPSIS_BYTES_MAX >> 20)
                  : write_file(path, (str){b.ptr, b.len}, err);
    buf_clear(&b);
    return st;
}

/* --------------------------------------------------------------- reading -- */

static custos_status
read_file(int fd, const char *path, arena *a, str *out, custos_err *err)
{
    struct stat is;
    size_t n = 0;
    char *bytes;

    if (fstat(fd, &is) || !S_ISREG(is.st_mode))
        return custos_fail(err, CUSTOS_EIO, "%s is not a file", path);
    if ((uint64_t)is.st_size > SYNOPSIS_BYTES_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "%s is larger than a synopsis can be (%zu MB)", path,
                           SYNOPSIS_BYTES_MAX >> 20);
    bytes = arena_take(a, (size_t)is.st_size + 1, 1);
    if (!bytes)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    while (n < (size_t)is.st_size) {
        const ssize_t done = read(fd, bytes + n, (size_t)is.st_size - n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return custos_fail(err, CUSTOS_EIO, "cannot read %s: %s", path,
                               strerror(errno));
        if (done == 0)
            break;
        n += (size_t)done;
    }
    *out = (str){bytes, n};
    return CUSTOS_OK;
}

/* The bytes between the first line and the hash. */
static custos_status
check_file(const char *path, str file, str *out, custos_err *err)
{
    uint8_t hash[SHA256_BYTES];

    if (file.len < ANY_BYTES || memcmp(file.ptr, ANY, ANY_BYTES) != 0)
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "%s is not a synopsis" HINT
                           "custos release writes one, named synopsis.custos",
                           path);
    if (file.len < FIRST_BYTES || memcmp(file.ptr, FIRST, FIRST_BYTES) != 0)
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "%s has a format that this version of custos does "
                           "not know" HINT "a newer custos has written it",
                           path);
    if (file.len >= FIRST_BYTES + sizeof hash) {
        const size_t end = file.len - sizeof hash;

        sha256_of(file.ptr, end, hash);
        if (memcmp(hash, file.ptr + end, sizeof hash) == 0) {
            *out = (str){file.ptr + FIRST_BYTES, end - FIRST_BYTES};
            return CUSTOS_OK;
        }
    }
    return custos_fail(err, CUSTOS_ECORRUPT,
                       "%s is damaged: its checksum is wrong" HINT
                       "get a new copy of it",
                       path);
}

custos_status
synopsis_read(arena *a, const char *path, struct synopsis **out,
              custos_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    custos_status st;
    str file, bytes;

    if (fd < 0)
        return custos_fail(err, errno == ENOENT ? CUSTOS_ENAME : CUSTOS_EIO,
                           "cannot open %s: %s", path, strerror(errno));
    st = read_file(fd, path, a, &file, err);
    close(fd);
    if (!st)
        st = check_file(path, file, &bytes, err);
    if (!st)
        st = synopsis_unpack(a, bytes, out, err);
    return st;
}
