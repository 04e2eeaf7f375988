/*
 * A DuckDB file begins with a checksum, "DUCK", the storage version, flags and
 * the name of the DuckDB that made the file. The storage version alone decides
 * whether an engine reads it: every DuckDB since 0.10 writes version 64, unless it
 * is told to write a newer one. This file reads the bytes itself, since the wording
 * of the engine's messages may change.
 */
#include "engine/import/file_age.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/refail.h"

enum {
    MAGIC_AT = 8,
    VERSION_AT = 12, /* 64 bits, little-endian */
    VERSION_BYTES = 8,
    WRITER_AT = 52,
    HEADER_BYTES = 84,
};

/* Copies only characters that a version can have, since it goes to a terminal. */
static void
writer_read(const unsigned char *from, char writer[FILE_WRITER_MAX])
{
    size_t n = 0;

    while (n < FILE_WRITER_MAX - 1 &&
           (isalnum(from[n]) || (n > 0 && strchr(".-+", from[n]) && from[n])))
        n++;
    memcpy(writer, from, n);
    writer[n] = '\0';
}

enum file_age
file_age(const char *path, char writer[FILE_WRITER_MAX])
{
    unsigned char header[HEADER_BYTES];
    FILE *f = fopen(path, "re");
    size_t len = f ? fread(header, 1, sizeof header, f) : 0;
    uint64_t version = 0;

    if (f)
        fclose(f);
    writer[0] = '\0';
    if (len < sizeof header || memcmp(header + MAGIC_AT, "DUCK", 4) != 0)
        return FILE_AGE_READABLE;
    for (int i = VERSION_BYTES - 1; i >= 0; i--)
        version = version << 8 | header[VERSION_AT + i];
    writer_read(header + WRITER_AT, writer);
    return version > FILE_VERSION_NEWEST   ? FILE_AGE_NEWER
           : version < FILE_VERSION_OLDEST ? FILE_AGE_OLDER
                                           : FILE_AGE_READABLE;
}

custos_status
file_age_fail(const char *path, custos_err *err)
{
    char writer[FILE_WRITER_MAX];

    switch (file_age(path, writer)) {
    case FILE_AGE_NEWER:
        return refail(err, CUSTOS_EUNSUPPORTED,
                      "%.90s was written by a newer DuckDB%s%s than custos "
                      "reads" HINT "export its tables to Parquet",
                      path, writer[0] ? " " : "", writer);
    case FILE_AGE_OLDER:
        return refail(err, CUSTOS_EUNSUPPORTED,
                      "%.90s was written by a DuckDB before 0.10, which "
                      "custos does not read" HINT
                      "export its tables to Parquet",
                      path);
    case FILE_AGE_READABLE: break;
    }
    return refail(err, CUSTOS_EIO, "%.120s cannot be opened as a DuckDB file",
                  path);
}
