/*
 * Which file an attached table was read from by `custos init`: its size, the
 * time of its last change and its inode. A file with the same mark is taken for
 * the same bytes, all of which were decoded once; see attach.c.
 */
#ifndef ENGINE_FILE_MARK_H
#define ENGINE_FILE_MARK_H

#include <stdbool.h>
#include <stdint.h>

struct file_mark {
    int64_t size, changed_ns, inode;
};

/* For a DuckDB file, with its log if there is one. False: there is no file. */
bool file_mark_read(const char *path, struct file_mark *out);

static inline bool
file_mark_same(const struct file_mark *a, const struct file_mark *b)
{
    return a->size == b->size && a->changed_ns == b->changed_ns &&
           a->inode == b->inode;
}

#endif
