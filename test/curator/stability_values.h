/*
 * The values from which quantiles are computed, group by group, as the engine
 * seals them; and how many of them two sides do not share.
 */
#ifndef TEST_CURATOR_STABILITY_VALUES_H
#define TEST_CURATOR_STABILITY_VALUES_H

#include "engine/made.h"
#include "mech/sealed.h"

/* The values of one part, sorted by group and then by value. */
struct values {
    struct exact_value {
        size_t cell;
        i128 value;
    } * all;
    size_t n, room;
};

/* An engine_take: the seal of a group is [number][values]. */
static custos_status
values_take(void *ctx, size_t cell, custos_sealed *sealed, size_t cells,
            custos_err *err)
{
    struct values *v = ctx;
    i128 *exact = NULL;

    assert_int_equal(sealed_open(sealed, SEALED_WIDE, cells, &exact, err),
                     CUSTOS_OK);
    assert_true(exact[0] == (i128)cells - 1);
    if (v->n + cells > v->room) {
        v->room = 2 * (v->n + cells);
        v->all = realloc(v->all, v->room * sizeof *v->all);
        assert_non_null(v->all);
    }
    for (size_t i = 1; i < cells; i++)
        v->all[v->n++] = (struct exact_value){cell, exact[i]};
    return CUSTOS_OK;
}

static int
value_cmp(const struct exact_value *a, const struct exact_value *b)
{
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

static int
value_order(const void *a, const void *b)
{
    return value_cmp(a, b);
}

static inline void
values_sort(struct values *v)
{
    if (v->n > 1)
        qsort(v->all, v->n, sizeof *v->all, value_order);
}

/* How many values only a has, how many only b has, and in how many groups. */
struct unshared {
    size_t gone, come, groups;
};

static struct unshared
values_compare(const struct values *a, const struct values *b)
{
    struct unshared u = {0};
    size_t i = 0, k = 0, last = SIZE_MAX;

    while (i < a->n || k < b->n) {
        int order = i == a->n   ? 1
                    : k == b->n ? -1
                                : value_cmp(&a->all[i], &b->all[k]);
        size_t cell = order <= 0 ? a->all[i].cell : b->all[k].cell;

        u.gone += order < 0;
        u.come += order > 0;
        u.groups += order != 0 && cell != last;
        last = order != 0 ? cell : last;
        i += order <= 0;
        k += order >= 0;
    }
    return u;
}

#endif
