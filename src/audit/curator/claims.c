/*
 * Reads one line of EXPLAIN after another. A line that is not known changes
 * nothing, so a claim that EXPLAIN does not make is never checked.
 */
#include "audit/curator/claims.h"

#include <stdlib.h>
#include <string.h>

static bool
begins(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

/* The number after these words; 0 if they are not there. */
static double
number_after(const char *line, const char *words)
{
    const char *at = strstr(line, words);

    return at ? strtod(at + strlen(words), NULL) : 0;
}

/* "by (a, b): 6 groups; a count deviates by about 3, a sum of x deviates ..." */
static void
read_table(struct table_claims *t, const char *line)
{
    static const char words[] = " deviates by about ";
    size_t n = 0;

    for (const char *at = line; (at = strstr(at, words)) && n < LAYERS_MAX;
         n++) {
        double deviation;

        at += strlen(words);
        deviation = strtod(at, NULL);
        if (deviation > t->deviation[n])
            t->deviation[n] = deviation;
    }
    t->n_layers = n;
    t->shown++;
}

void
claims_read(struct claims *claims, const char *line)
{
    struct part_claim *last =
        claims->n_parts ? &claims->part[claims->n_parts - 1] : NULL;

    if (begins(line, "noise on") && claims->n_parts < CLAIMS_MAX) {
        const char *less = strstr(line, " less ");

        claims->part[claims->n_parts++] =
            (struct part_claim){.centred = less != NULL};
        claims->has_rows = claims->has_rows || !strcmp(line, "noise on   rows");
    } else if (begins(line, "protects")) {
        claims->protects = true;
    } else if (begins(line, "groups")) {
        claims->groups_public = strstr(line, "all shown") != NULL;
        claims->groups_discovered = !claims->groups_public;
    } else if (begins(line, "tables")) {
        claims->tables.n = (size_t)number_after(line, "tables");
        claims->groups_public = true;
    } else if (claims->tables.n && begins(line, "           by (")) {
        read_table(&claims->tables, line);
    } else if (begins(line, "row bound")) {
        claims->bound_chosen = true;
    } else if (begins(line, "draws")) {
        claims->draws = true;
    } else if (last && strstr(line, "sensitivity l1 ")) {
        last->l1 = number_after(line, "sensitivity l1 ");
    } else if (last && begins(line, "           epsilon ")) {
        last->epsilon = number_after(line, "           epsilon ");
    }
}
