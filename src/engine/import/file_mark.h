/*
 * Identifies the file of an attached table that `custos init` read, by its size, the
 * time of its last change and its inode. A file with the same mark is assumed to
 * have the same bytes, which `custos init` has decoded in full; see attach.c.
 */
#ifndef ENGINE_FILE_MARK_H
#define ENGINE_FILE_MARK_H

#include <stdbool.h>
#include <stdint.h>

struct file_mark {
    int64_t size, changed_ns, inode;
};

/* For a DuckDB file, the mark includes its write-ahead log, if any. False: there is
   no file. */
bool file_mark_read(const char *path, struct file_mark *out);

static inline bool
file_mark_same(const struct file_mark *a, const struct file_mark *b)
{
    return a->size == b->size && a->changed_ns == b->changed_ns &&
           a->inode == b->inode;
}

#endif
