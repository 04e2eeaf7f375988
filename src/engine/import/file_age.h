/*
 * Which DuckDB wrote a database file, according to its header. Asked only about
 * a file that the engine refused, to say why.
 */
#ifndef ENGINE_FILE_AGE_H
#define ENGINE_FILE_AGE_H

#include "custos.h"

enum file_age {
    FILE_AGE_READABLE, /* or not a DuckDB file: age is not the problem */
    FILE_AGE_OLDER,    /* written by a DuckDB before 0.10 */
    FILE_AGE_NEWER,    /* has a storage version that the engine does not know */
};

/* Storage versions that the pinned engine reads; t_file_age.c checks this. */
enum { FILE_VERSION_OLDEST = 64, FILE_VERSION_NEWEST = 68 };

enum { FILE_WRITER_MAX = 16 };

/* writer: the version that the file names ("v1.5.6"), or "". Cannot fail: a
   file that cannot be read is FILE_AGE_READABLE. */
enum file_age file_age(const char *path, char writer[FILE_WRITER_MAX]);

/*
 * Says which DuckDB wrote a source that the engine refused, and what to do. The
 * engine's own message stays in the note.
 */
CUSTOS_MUST_USE custos_status file_age_fail(const char *path, custos_err *err);

#endif
