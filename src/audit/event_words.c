/*
 * Events in words.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/event.h"
#include "base/str.h"

enum { RANGES_MAX = 3, NUMBERS_MAX = 12 };

/* The fewest digits that are read back as the same number: a threshold with
   fewer is another event. */
static void
add_number(struct buf *b, const char *before, double x)
{
    char text[32];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    buf_printf(b, "%s%s", before, text);
}

/* "above 1 and at most 2", "at most 2", "3". */
static void
add_ends(struct buf *b, double least, double most)
{
    if (isinf(least) && isinf(most)) {
        buf_add_text(b, "anything");
    } else if (isinf(least)) {
        add_number(b, "at most ", most);
    } else if (isinf(most)) {
        add_number(b, "above ", least);
    } else {
        add_number(b, "above ", least);
        add_number(b, " and at most ", most);
    }
}

/* One bin of a part: a range, or a name. */
static void
add_bin(struct buf *b, const struct bins *bins, size_t k)
{
    double least, most;

    bins_range(bins, k, &least, &most);
    if (!bins->names)
        add_ends(b, least, most);
    else if (isinf(most))
        buf_add_text(b, "none of the frequent ones");
    else
        buf_printf(b, "%.0f", most);
}

/* Both features of a joint bin. */
static void
add_joint(struct buf *b, const struct events *e, size_t k)
{
    char name[AUDIT_NAME_MAX];
    size_t bin[2];

    if (k == e->bins.n - 1) {
        buf_add_text(b, "any rare combination");
        return;
    }
    statistic_split(e->bins.edge[k], bin);
    for (int i = 0; i < 2; i++) {
        feature_name(e->statistic.part[i].feature, name);
        buf_printf(b, "%s%s is ", i ? " while " : "", name);
        add_bin(b, &e->statistic.part[i].bins, bin[i]);
    }
}

/* The bins from k on that follow each other. Returns the bin after them. */
static size_t
add_bins(struct buf *b, const struct events *e, const bool *inside, size_t k)
{
    double least, most, ignored;
    size_t to = k;

    if (e->bins.names) {
        if (e->statistic.kind == STATISTIC_JOINT)
            add_joint(b, e, k);
        else
            add_bin(b, &e->bins, k);
        return k + 1;
    }
    while (to + 1 < e->bins.n && inside[to + 1])
        to++;
    bins_range(&e->bins, k, &least, &ignored);
    bins_range(&e->bins, to, &ignored, &most);
    add_ends(b, least, most);
    return to + 1;
}

/* Whole outputs are known by a hash: how many there are, and one of them. */
static void
add_outputs(struct buf *b, const struct events *e, enum arm more)
{
    const struct example *x = &e->side[more].example;
    size_t n = 0;

    for (size_t k = 0; k < e->bins.n; k++)
        n += e->side[more].inside[k];
    buf_printf(b, "the output is one of %zu, such as (", n);
    for (size_t i = 0; i < x->n && i < NUMBERS_MAX; i++)
        buf_printf(b, "%s%.6g", i ? ", " : "", x->number[i]);
    buf_add_text(b, x->n > NUMBERS_MAX ? ", ...)" : ")");
}

static void
add_ranges(struct buf *b, const struct events *e, const bool *inside)
{
    size_t ranges = 0;

    for (size_t k = 0; k < e->bins.n;) {
        if (!inside[k]) {
            k++;
        } else if (ranges ==
                   (e->statistic.kind == STATISTIC_JOINT ? 1 : RANGES_MAX)) {
            buf_add_text(b, "; or in another of the bins that are drawn");
            return;
        } else {
            buf_add_text(b, ranges++ ? "; or " : "");
            k = add_bins(b, e, inside, k);
        }
    }
}

void
events_words(const struct events *e, enum arm more, char words[AUDIT_EVENT_MAX])
{
    char name[AUDIT_NAME_MAX];
    struct buf b;

    buf_init(&b, NULL, (size_t)4 * AUDIT_EVENT_MAX);
    if (e->statistic.part[0].feature.kind == FEATURE_WHOLE &&
        e->statistic.kind == STATISTIC_FEATURE) {
        add_outputs(&b, e, more);
    } else {
        statistic_name(&e->statistic, name);
        if (e->statistic.kind != STATISTIC_JOINT)
            buf_printf(&b, "%s is ", name);
        add_ranges(&b, e, e->side[more].inside);
    }
    snprintf(words, AUDIT_EVENT_MAX, "%s", buf_text(&b));
    buf_clear(&b);
}
