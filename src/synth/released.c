/* Keeps what was released. */
#include "synth/released.h"

#include <string.h>

#include "base/base.h"
#include "base/error.h"

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* Room for one more in an array of n items that has room for a power of two. */
static bool
make_room(arena *a, void **array, size_t n, size_t size)
{
    void *to;

    if (n & (n - 1) || (n == 0 && *array))
        return true;
    to = arena_take(a, n ? 2 * n : 1, size);
    if (to && n > 0)
        memcpy(to, *array, n * size);
    *array = to ? to : *array;
    return to != NULL;
}

/* Adds a coding like the last one, whose maps it shares; the first one keeps the codes
   of d. */
static custos_status
add_coding(struct released *r, const struct domain *d, custos_err *err)
{
    const struct released_coding *like;
    struct released_coding *to;

    if (!make_room(r->arena, (void **)&r->codings, r->n_codings,
                   sizeof *r->codings))
        return no_memory(err);
    like = r->n_codings > 0 ? released_now(r) : NULL;
    to = &r->codings[r->n_codings];
    to->size = arena_take(r->arena, d->n, sizeof *to->size);
    to->map = arena_take(r->arena, d->n, sizeof *to->map);
    if (!to->size || !to->map)
        return no_memory(err);
    for (size_t i = 0; i < d->n; i++) {
        to->size[i] = like ? like->size[i] : d->size[i];
        to->map[i] = like ? like->map[i]
                          : arena_take(r->arena, d->size[i], sizeof **to->map);
        if (!to->map[i])
            return no_memory(err);
        for (uint32_t k = 0; !like && k < d->size[i]; k++)
            to->map[i][k] = (uint16_t)k;
    }
    to->domain = (struct domain){d->n, to->size};
    r->n_codings++;
    return CUSTOS_OK;
}

custos_status
released_new(arena *a, const struct domain *d, struct released **out,
             custos_err *err)
{
    struct released *r = arena_take(a, 1, sizeof *r);
    custos_status st;

    if (!r)
        return no_memory(err);
    for (size_t i = 0; i < d->n; i++)
        CUSTOS_REQUIRE(d->size[i] >= 1 && d->size[i] <= 1 << 16);
    r->arena = a;
    st = add_coding(r, d, err);
    if (!st)
        *out = r;
    return st;
}

custos_status
released_recode(struct released *r, size_t column, const uint16_t *map,
                uint32_t codes, custos_err *err)
{
    const struct domain *schema = &r->codings[0].domain;
    const bool begun = r->n_codings > 1 &&
                       (r->n_tables == 0 ||
                        r->tables[r->n_tables - 1].coding < r->n_codings - 1);
    custos_status st = begun ? CUSTOS_OK : add_coding(r, schema, err);
    struct released_coding *now = &r->codings[r->n_codings - 1];
    uint16_t *own;

    if (st)
        return st;
    CUSTOS_REQUIRE(column < now->domain.n && codes >= 1);
    own = arena_take(r->arena, schema->size[column], sizeof *own);
    if (!own)
        return no_memory(err);
    for (uint32_t k = 0; k < schema->size[column]; k++) {
        own[k] = map[now->map[column][k]];
        CUSTOS_REQUIRE(own[k] < codes);
    }
    now->map[column] = own;
    now->size[column] = codes;
    return CUSTOS_OK;
}

custos_status
released_add(struct released *r, const struct released_table *t,
             custos_err *err)
{
    int64_t *values;

    CUSTOS_REQUIRE(t->cells == domain_cells(&released_now(r)->domain, t->set));
    values = arena_take(r->arena, t->cells, sizeof *values);
    if (!values || !make_room(r->arena, (void **)&r->tables, r->n_tables,
                              sizeof *r->tables))
        return no_memory(err);
    memcpy(values, t->values, t->cells * sizeof *values);
    r->tables[r->n_tables] = *t;
    r->tables[r->n_tables].values = values;
    r->tables[r->n_tables].coding = r->n_codings - 1;
    r->n_tables++;
    return CUSTOS_OK;
}

custos_status
released_choice(struct released *r, amount rho, custos_err *err)
{
    if (!make_room(r->arena, (void **)&r->choices, r->n_choices,
                   sizeof *r->choices))
        return no_memory(err);
    r->choices[r->n_choices++] = rho;
    return CUSTOS_OK;
}

custos_status
released_limits(struct released *r, const struct released_limit *limits,
                size_t n, custos_err *err)
{
    r->limits = arena_take(r->arena, n, sizeof *r->limits);
    if (!r->limits && n > 0)
        return no_memory(err);
    if (n > 0)
        memcpy(r->limits, limits, n * sizeof *limits);
    r->n_limits = n;
    return CUSTOS_OK;
}

bool
released_is_current(const struct released *r, const struct released_table *t)
{
    const struct released_coding *was = &r->codings[t->coding];
    const struct released_coding *now = released_now(r);

    COLSET_EACH(c, t->set)
    if (was->map[c] != now->map[c] &&
        memcmp(was->map[c], now->map[c],
               r->codings[0].size[c] * sizeof **was->map) != 0)
        return false;
    return true;
}
