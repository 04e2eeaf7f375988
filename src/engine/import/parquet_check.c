/*
 * A Parquet file begins and ends with "PAR1"; its last part describes its content.
 * A copy that was interrupted has only the beginning. This file reads the bytes
 * itself, since the wording of the engine's messages may change.
 */
#include "engine/import/parquet_check.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/import/source.h"

#define MARK "PAR1"

enum { MARK_BYTES = sizeof MARK - 1, LEAST_BYTES = 12 };

custos_status
parquet_check(const char *path, custos_err *err)
{
    char first[MARK_BYTES] = "", last[MARK_BYTES] = "";
    FILE *f = fopen(path, "re");
    bool whole;

    if (!f)
        return source_missing(path, err);
    if (fread(first, 1, sizeof first, f) != sizeof first ||
        memcmp(first, MARK, sizeof first) != 0) {
        fclose(f);
        return custos_fail(err, CUSTOS_EPOLICY,
                           "%.100s is not a Parquet file" HINT
                           "export it again, or "
                           "set its format in the policy",
                           path);
    }
    whole = !fseek(f, -(long)sizeof last, SEEK_END) &&
            ftell(f) >= LEAST_BYTES - (long)sizeof last &&
            fread(last, 1, sizeof last, f) == sizeof last &&
            !memcmp(last, MARK, sizeof last);
    fclose(f);
    if (whole)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EPOLICY,
                       "%.110s is not complete: the end of the Parquet file is "
                       "missing" HINT "copy or export it again",
                       path);
}
