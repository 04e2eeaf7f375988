#include "engine/import/file_mark.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static int64_t
nanoseconds(const struct stat *s)
{
    return (int64_t)s->st_mtim.tv_sec * 1000000000 + s->st_mtim.tv_nsec;
}

bool
file_mark_read(const char *path, struct file_mark *out)
{
    char log[PATH_MAX];
    struct stat s;

    if (stat(path, &s))
        return false;
    *out = (struct file_mark){.size = (int64_t)s.st_size,
                              .changed_ns = nanoseconds(&s),
                              .inode = (int64_t)s.st_ino};
    if (snprintf(log, sizeof log, "%s.wal", path) >= (int)sizeof log ||
        stat(log, &s))
        return true;
    out->size += (int64_t)s.st_size;
    if (nanoseconds(&s) > out->changed_ns)
        out->changed_ns = nanoseconds(&s);
    return true;
}
