/*
 * The digest of a plan: SHA-256 over all that its releases depend on. Two
 * processes that plan the same text under the same policy compare it before
 * the second one touches data that the first one charged for.
 *
 * It covers the text of EXPLAIN, the query, the charge as the ledger counts it,
 * and every number of the plan that EXPLAIN rounds or leaves out. For a selection of
 * bounds or ranges it covers the same things for each plan that may follow. Texts are
 * hashed with their lengths and numbers with a fixed width, so that no two
 * different plans hash the same bytes. No pointer, time or order of a hash
 * table is hashed.
 */
#include <assert.h>

#include "base/sha256.h"
#include "mech/marginals.h"
#include "mech/running.h"
#include "plan/part/range_selection.h"
#include "plan/work.h"

enum { TEXT_MAX = 1 << 26 };

static void
add_number(struct sha256 *h, i128 n)
{
    sha256_add(h, &n, sizeof n);
}

static void
add_text(struct sha256 *h, str text)
{
    add_number(h, (i128)text.len);
    sha256_add(h, text.ptr, text.len);
}

static void
add_amount(struct sha256 *h, amount a, enum amount_unit unit)
{
    char text[AMOUNT_TEXT_MAX];
    size_t len = amount_write(a, unit, text);

    add_text(h, (str){text, len});
}

/* One exact rational; false without memory. */
static bool
add_rat(struct sha256 *h, const rat *r)
{
    struct buf text;
    bool whole;

    buf_init(&text, NULL, TEXT_MAX);
    rat_write(r, &text);
    whole = !text.failed;
    add_text(h, (str){text.ptr, text.len});
    buf_clear(&text);
    return whole;
}

/* The numbers are hashed in one call: a plan may have a million values. */
static void
add_datum(struct sha256 *h, const struct datum *d)
{
    str text = d->type == TYPE_TEXT ? d->text : str_of("");
    struct {
        i128 n;
        uint64_t len;
        int32_t type, scale;
    } head = {d->n, text.len, (int32_t)d->type, d->scale};

    static_assert(sizeof head == 32, "no byte is left unset");
    sha256_add(h, &head, sizeof head);
    sha256_add(h, text.ptr, text.len);
}

/* What EXPLAIN shows, and the query as the planner has rewritten it. */
static bool
add_texts(struct sha256 *h, const struct plan *p)
{
    struct buf text;
    bool whole;

    buf_init(&text, NULL, TEXT_MAX);
    plan_explain(p, &text);
    add_text(h, (str){text.ptr, text.len});
    text.len = 0;
    sql_print(p->query, &text);
    add_text(h, (str){text.ptr, text.len});
    whole = !text.failed;
    buf_clear(&text);
    for (size_t i = 0; i < p->n_theorems; i++)
        add_text(h, str_of(p->theorems[i]));
    return whole;
}

static void
add_charge(struct sha256 *h, const struct charge *c)
{
    add_amount(h, c->epsilon, AMOUNT_LOSS);
    add_amount(h, c->epsilon_squared, AMOUNT_LOSS);
    add_amount(h, c->rho, AMOUNT_LOSS);
    add_amount(h, c->mu_squared, AMOUNT_LOSS);
    add_amount(h, c->delta, AMOUNT_DELTA);
    add_amount(h, c->delta_rho, AMOUNT_DELTA);
    for (size_t i = 0; i < CHARGE_ORDERS; i++)
        add_amount(h, c->loss[i], AMOUNT_LOSS);
}

/*
 * Key values that follow from the column and the policy, or from the first
 * value, are not hashed; the column, the policy and the first value are hashed
 * instead. Key values that the plans of a bound selection share are hashed
 * once.
 */
static void
add_keys(struct sha256 *h, const struct cell_space *s,
         const struct cell_space *hashed)
{
    add_number(h, (i128)s->n_keys);
    for (size_t i = 0; i < s->n_keys; i++) {
        const struct key *k = &s->keys[i];
        bool shared = hashed && hashed->keys[i].values == k->values &&
                      hashed->keys[i].n == k->n;

        add_number(h, k->kind);
        add_number(h, k->column);
        add_number(h, k->scale);
        add_number(h, k->from);
        add_number(h, k->period);
        add_number(h, k->null_group);
        add_number(h, (i128)k->n);
        for (size_t n = 0; k->kind == KEY_LISTED && n < k->n && !shared; n++)
            add_datum(h, &k->values[n]);
    }
}

static bool
add_selection(struct sha256 *h, const struct selection *s)
{
    const custos_keys_facts *f = s ? custos_keys_report(s->rule) : NULL;

    add_number(h, s != NULL);
    if (!s)
        return true;
    add_number(h, (i128)f->rule);
    add_number(h, f->threshold);
    add_text(h, str_of(f->scale));
    add_number(h, s->least);
    add_number(h, s->serves);
    return add_rat(h, &s->epsilon) && add_rat(h, &s->delta);
}

static bool
add_part(struct sha256 *h, const struct part *part)
{
    const struct part_quantiles *q = part->quantiles;
    const struct running *r = part->running;
    const i128 numbers[] = {
        part->kind,     part->mech_kind, part->grid.base, part->grid.digits,
        part->owner,    part->weight,    part->lower,     part->upper,
        part->centre,   part->domain,    part->row_most,  part->bar,
        part->one_cell, part->served,    part->joint,
    };

    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        add_number(h, numbers[i]);
    add_number(h, part->residual);
    add_number(h, r != NULL);
    if (r) {
        const i128 shape[] = {r->kind, r->n, r->stride, r->base, r->levels};

        for (size_t i = 0; i < COUNT_OF(shape); i++)
            add_number(h, shape[i]);
    }
    add_text(h, str_of(part->mech ? custos_mech_facts(part->mech)->scale : ""));
    add_number(h, q ? (i128)q->n : 0);
    for (size_t i = 0; q && i < q->n; i++)
        add_text(h, str_of(q->rank[i]));
    add_number(h, q ? q->inside : 0);
    add_number(h, q && q->counts);
    add_text(h,
             str_of(q && q->counts ? custos_mech_facts(q->counts)->scale : ""));
    return add_rat(h, &part->l1) && add_rat(h, &part->l2_squared) &&
           add_rat(h, &part->epsilon) && add_rat(h, &part->delta) &&
           add_rat(h, &part->rho);
}

/* hashed: the space of another plan with the same keys, or NULL. */
static bool
add_space(struct sha256 *h, const struct cell_space *s,
          const struct cell_space *hashed)
{
    add_number(h, s->bounding);
    add_number(h, s->groups);
    add_number(h, s->per_group);
    add_number(h, (i128)s->cells);
    add_keys(h, s, hashed);
    return add_selection(h, s->selection);
}

static void
add_marginals(struct sha256 *h, const struct plan *p)
{
    const struct marginals *m = p->marginals;

    add_number(h, m ? (i128)m->n_sets : 0);
    for (size_t s = 0; m && s < m->n_sets; s++)
        add_number(h, m->sets[s]);
    add_number(h, m ? (i128)m->kind : 0);
    add_number(h, m ? (i128)m->n_noisy : 0);
    for (size_t i = 0; m && i < m->n_noisy; i++)
        add_number(h, m->noisy[i]);
    add_number(h, (i128)p->n_layers);
    for (size_t l = 0; l < p->n_layers; l++) {
        add_number(h, p->marginals[l].log2);
        for (size_t i = 0; i < m->n_noisy && m->kind == MARGINALS_TABLES; i++)
            add_number(h, p->marginals[l].trust[i]);
    }
}

static bool
add_plan(struct sha256 *h, const struct plan *p, const struct plan *outer);

/* The mechanism of a range selection, and its candidates. */
static bool
add_ranges(struct sha256 *h, const struct range_selection *r)
{
    add_text(h, str_of(r->epsilon));
    add_number(h, r->scores);
    add_number(h, r->penalty);
    add_number(h, r->value.grid.base);
    add_number(h, r->value.grid.digits);
    for (size_t i = 0; i < r->n; i++) {
        add_number(h, r->lower[i]);
        add_number(h, r->upper[i]);
    }
    return add_rat(h, &r->rho);
}

static bool
add_stage(struct sha256 *h, const struct stage *s)
{
    bool own = s->space && s->space != &s->plan->space;
    bool whole = true;

    add_number(h, s->kind);
    add_number(h, own);
    if (own)
        whole = add_space(h, s->space, NULL);
    add_number(h, (i128)s->n_parts);
    for (size_t i = 0; i < s->n_parts && whole; i++)
        whole = add_part(h, &s->parts[i]);
    if (s->ranges)
        whole = whole && add_ranges(h, s->ranges);
    add_number(h, (i128)s->n_next);
    for (size_t i = 0; i < s->n_next && whole; i++)
        whole = add_plan(h, s->next[i], s->plan);
    return whole;
}

/* outer: the plan that selects p or another one; NULL: none. */
static bool
add_plan(struct sha256 *h, const struct plan *p, const struct plan *outer)
{
    bool whole = add_texts(h, p);

    add_text(h, p->unit);
    add_number(h, p->is_public);
    add_number(h, p->in_rho);
    add_number(h, p->raised);
    add_number(h, p->rows);
    add_number(h, p->known_rows);
    add_number(h, p->fanout);
    add_charge(h, &p->charge);
    whole = whole && add_rat(h, &p->epsilon) && add_rat(h, &p->rho) &&
            add_rat(h, &p->delta) && add_rat(h, &p->delta_rho) &&
            add_space(h, &p->space, outer ? &outer->space : NULL);
    add_marginals(h, p);
    add_number(h, (i128)p->n_stages);
    for (size_t i = 0; i < p->n_stages && whole; i++)
        whole = add_stage(h, &p->stages[i]);
    return whole;
}

bool
plan_digest(const struct plan *p, uint8_t out[SHA256_BYTES])
{
    struct sha256 h;
    bool whole;

    sha256_init(&h);
    add_text(&h, str_of("custos plan 1"));
    sha256_add(&h, p->policy->id, sizeof p->policy->id);
    whole = add_plan(&h, p, NULL);
    sha256_end(&h, out);
    return whole;
}
