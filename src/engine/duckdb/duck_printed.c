/*
 * Looks for the few words that matter, instead of parsing: all these texts are
 * printed by us. Tested with duck_statements.c (t_statements).
 */
#include "engine/duckdb/duck_printed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

bool
duck_printed_is_scan(const char *sql)
{
    static const char *const more[] = {" JOIN ", " GROUP BY ", " ORDER BY ",
                                       "DISTINCT ", " OVER "};

    for (size_t i = 0; i < COUNT_OF(more); i++)
        if (strstr(sql, more[i]))
            return false;
    return true;
}

/* TRY_CAST(...) is not a literal. */
const char *
duck_printed_whole(const char *sql, const char *at, int64_t *value)
{
    static const char before[] = "CAST('", after[] = "' AS BIGINT)";
    char *end;

    if (strncmp(at, before, sizeof before - 1) != 0 ||
        (at > sql && at[-1] == '_'))
        return NULL;
    at += sizeof before - 1;
    if (*at != '-' && (*at < '0' || *at > '9'))
        return NULL;
    errno = 0;
    *value = strtoll(at, &end, 10);
    if (errno || end == at || strncmp(end, after, sizeof after - 1) != 0)
        return NULL;
    return end + sizeof after - 1;
}

/* An inner quote is doubled: it reads as the end of one quoted text and the beginning
   of the next. */
const char *
duck_printed_skip(const char *at)
{
    const char *end = *at == '\'' || *at == '"' ? strchr(at + 1, *at) : at;

    return end ? end + 1 : at + strlen(at);
}
