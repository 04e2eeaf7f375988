/*
 * Edit distance, computed with one row of the table.
 */
#include "base/nearest.h"

#include <string.h>

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

size_t
edits_between(str a, str b)
{
    size_t row[EDITS_MANY + 1];

    if (a.len > EDITS_MANY || b.len > EDITS_MANY)
        return EDITS_MANY;
    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best =
                diagonal + (lower(a.ptr[i - 1]) != lower(b.ptr[j - 1]));

            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b.len];
}

const char *
nearest(const char *text, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    size_t best_distance = EDITS_MANY;

    for (size_t i = 0; i < n; i++) {
        size_t d = edits_between(str_of(text), str_of(candidates[i]));

        /* A part of a name ("laplace" in "discrete-laplace") counts as
           similar. */
        if (strlen(text) >= 3 && strstr(candidates[i], text))
            d = 1;
        if (d < best_distance) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best && edits_are_few(best_distance, strlen(text)) ? best : NULL;
}
