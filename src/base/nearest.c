/*
 * Edit distance, computed with one row of the table.
 */
#include "base/nearest.h"

#include <string.h>

enum { NAME_MAX_LEN = 64 };

/* Number of edits (insert, delete, replace) that turn a into b; a large number
   if either is too long. */
static size_t
edit_distance(const char *a, const char *b)
{
    size_t row[NAME_MAX_LEN + 1], la = strlen(a), lb = strlen(b);

    if (la > NAME_MAX_LEN || lb > NAME_MAX_LEN)
        return NAME_MAX_LEN;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[lb];
}

const char *
nearest(const char *text, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    size_t best_distance = NAME_MAX_LEN;

    for (size_t i = 0; i < n; i++) {
        size_t d = edit_distance(text, candidates[i]);

        /* A part of a name ("laplace" in "discrete-laplace") counts as
           similar. */
        if (strlen(text) >= 3 && strstr(candidates[i], text))
            d = 1;
        if (d < best_distance) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best && best_distance <= 1 + strlen(text) / 3 ? best : NULL;
}
