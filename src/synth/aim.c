/*
 * AIM. Of the price of a round 9/10 go into the measurement; a round's price is at
 * first rho/16d for d columns, and four times as much (half the noise) after a
 * measurement that moved the model by less than noise would.
 */
#include "synth/aim.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "synth/infer.h"
#include "synth/price.h"
#include "synth/rows.h"

/* The largest tree in which every candidate's marginal is computed at the end. */
#define ELIMINATION_CELLS ((size_t)1 << 20)

struct aim {
    const struct aim_options *o;
    struct asker ask;
    custos_rng *rng;
    struct synthesis *out;
    struct candidates candidates;
    size_t *among; /* numbers of the candidates of this round */
    size_t n_among;
    uint16_t *rows;      /* drawn from the model */
    size_t most_cells;   /* of a candidate */
    double *marginal[2]; /* of one, by thread */
    struct team *team;   /* or NULL */
    double *before;      /* of the selected one, by the model before it */
    amount measurement;  /* the prices of this round */
    amount selection;
    bool last;
    size_t small;         /* cells that every measurement may have */
    size_t pool;          /* cells that larger ones may still have together */
    struct limits limits; /* of the last selection */
    struct chosen chosen;
};

static custos_status
take_all(struct aim *s, custos_err *err)
{
    const struct domain *d = s->o->domain;
    const custos_alloc *a = &s->ask.alloc;
    custos_status st =
        candidates_make(a, d, &s->o->workload, s->o->bytes / sizeof(double),
                        &s->candidates, err);

    if (st)
        return st;
    for (size_t i = 0; i < s->candidates.n; i++)
        if (s->candidates.of[i].cells > s->most_cells)
            s->most_cells = s->candidates.of[i].cells;
    s->among = alloc_take(a, s->candidates.room, sizeof *s->among);
    s->rows = alloc_take(a, s->o->rows * d->n, sizeof *s->rows);
    for (size_t k = 0; k < 2; k++)
        s->marginal[k] = alloc_take(a, s->most_cells, sizeof **s->marginal);
    s->before = alloc_take(a, s->most_cells, sizeof *s->before);
    s->out->model = model_new(a, d);
    if (!s->among || !s->rows || !s->marginal[0] || !s->marginal[1] ||
        !s->before || !s->out->model)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    s->out->model->halves.team = s->team;
    return CUSTOS_OK;
}

/* Structural zeros, and whether the model has room for them. */
static custos_status
forbid_all(struct aim *s, custos_err *err)
{
    const struct model *m = s->out->model;
    custos_status st = CUSTOS_OK;
    struct tree_graph graph;
    struct tree tree;

    for (size_t i = 0; !st && i < s->o->n_zeros; i++)
        st = model_forbid(s->out->model, &s->o->zeros[i], err);
    if (st)
        return st;
    model_graph(m, &graph);
    tree_make(&m->domain, &graph, &tree);
    if (tree_bytes(&tree) > s->o->bytes)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the columns and their structural zeros need a "
                           "model of %zu bytes",
                           tree_bytes(&tree));
    return CUSTOS_OK;
}

static void
give_all(struct aim *s)
{
    const custos_alloc *a = &s->ask.alloc;

    alloc_give(a, s->among, s->candidates.room, sizeof *s->among);
    alloc_give(a, s->rows, s->o->rows * s->o->domain->n, sizeof *s->rows);
    for (size_t k = 0; k < 2; k++)
        alloc_give(a, s->marginal[k], s->most_cells, sizeof **s->marginal);
    alloc_give(a, s->before, s->most_cells, sizeof *s->before);
    limits_clear(&s->limits);
    candidates_free(&s->candidates);
}

static custos_status
fit(struct aim *s, const struct fit_options *o, custos_err *err)
{
    struct fit_facts facts;
    custos_status st = model_build(s->out->model, err);

    return st ? st : model_fit(s->out->model, o, &facts, err);
}

struct aim_prices
aim_prices(amount rho, size_t d)
{
    const amount tenth = rho / 16 / d / 10;

    return (struct aim_prices){.measurement = 9 * tenth, .selection = tenth};
}

/* All columns, each for as much as a measurement of the first round. */
static custos_status
measure_columns(struct aim *s, custos_err *err)
{
    const size_t d = s->o->domain->n;
    const struct aim_prices first = aim_prices(s->o->rho, d);
    custos_status st = CUSTOS_OK;

    s->measurement = first.measurement;
    s->selection = first.selection;
    if (s->selection == 0)
        return custos_fail(err, CUSTOS_ERANGE,
                           "rho is too small for so many columns");
    for (size_t c = 0; !st && c < d; c++)
        st = ask_for_model(&s->ask, s->out->model, colset_of(c), s->measurement,
                           err);
    return st ? st : fit(s, &s->o->each, err);
}

/* If there is less left than two rounds cost, this round gets all of it. */
static void
set_prices(struct aim *s)
{
    const amount left = s->ask.left;

    s->last = left / 2 < s->measurement + s->selection;
    if (s->last) {
        s->selection = left / 10;
        s->measurement = left - s->selection;
    }
}

/*
 * All that is measured is kept and published, so there is a limit on it: half of the
 * cells are divided among as many measurements as there can be, the other half is for
 * tables that are larger than such a part. Then there may be too little left for large
 * tables, but never for a measurement.
 */
static void
divide_cells(struct aim *s)
{
    const struct domain *d = s->o->domain;
    size_t columns = 0;

    for (size_t c = 0; c < d->n; c++)
        columns += d->size[c];
    s->small = s->o->cells / 2 / (17 * d->n);
    s->pool = s->o->cells / 2 > columns ? s->o->cells / 2 - columns : 0;
}

static bool
has_cells(const struct aim *s, const struct candidate *c)
{
    return c->cells <= s->small || c->cells <= s->pool;
}

/* If nothing else can be afforded, the smallest table that is measured already. */
static void
find_smallest(struct aim *s)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < s->candidates.n; i++) {
        const struct candidate *c = &s->candidates.of[i];

        if (c->cells < best && model_measured(s->out->model, c->set)) {
            best = c->cells;
            s->among[0] = i;
        }
    }
    s->n_among = 1;
}

/* Keeps the candidates with which the tree is not larger than the share of rho
   that will have been spent, and those that are measured already. */
static void
find_candidates(struct aim *s)
{
    const struct model *m = s->out->model;
    const double spent =
        (double)(s->o->rho - s->ask.left + s->measurement + s->selection);
    const double most = (double)s->o->bytes * (spent / (double)s->o->rho);
    struct tree_graph graph, with;
    struct tree tree;

    model_graph(m, &graph);
    s->n_among = 0;
    for (size_t i = 0; i < s->candidates.n; i++) {
        const struct colset set = s->candidates.of[i].set;
        bool keep = model_measured(m, set);

        if (!has_cells(s, &s->candidates.of[i]))
            continue;
        if (!keep) {
            with = graph;
            tree_graph_join(&with, set);
            tree_make(&m->domain, &with, &tree);
            keep = (double)tree_bytes(&tree) <= most;
        }
        if (keep)
            s->among[s->n_among++] = i;
    }
    if (s->n_among == 0)
        find_smallest(s);
}

/* The model's marginal of candidate c. Of a large tree, sets that no node covers are
   counted in drawn rows: eliminating columns would take longer than all the rest. */
static custos_status
find_marginal(const struct aim *s, const struct model *m,
              const struct candidate *c, double *out)
{
    const size_t little = 4 * s->o->rows;
    custos_status st = CUSTOS_EOVERFLOW;

    if (tree_cover(&m->tree, c->set) < m->tree.n)
        return model_marginal(m, c->set, c->cells, out, NULL);
    if (tree_bytes(&m->tree) / sizeof(double) <= little)
        st = model_marginal(m, c->set, little, out, NULL);
    if (st != CUSTOS_EOVERFLOW)
        return st;
    rows_marginal(&m->domain, s->rows, s->o->rows, c->set, m->total, out);
    return CUSTOS_OK;
}

/* Two candidates, by number among s->among. */
struct couple {
    const struct aim *s;
    struct model model; /* whose hooks both threads may call */
    size_t first;
    custos_status st[2];
};

static void
find_one(void *of, size_t which)
{
    struct couple *p = of;
    const struct aim *s = p->s;
    const size_t k = p->first + which;

    p->st[which] =
        k < s->n_among
            ? find_marginal(s, &p->model, &s->candidates.of[s->among[k]],
                            s->marginal[which])
            : CUSTOS_OK;
}

/* Asks for the scores of all candidates; *weight: the largest. */
static custos_status
score_all(struct aim *s, double sigma, uint64_t *weight, custos_err *err)
{
    struct couple p = {.s = s, .model = *s->out->model};
    custos_status st = CUSTOS_OK;

    if (s->team)
        p.model.alloc = team_alloc(s->team);
    p.model.halves.team = NULL; /* both threads are taken */
    for (size_t k = 0; !st && k < s->n_among; k++) {
        const struct candidate *c = &s->candidates.of[s->among[k]];
        const double penalty = PRICE_MEAN_ABSOLUTE * sigma * (double)c->cells;

        if (k % 2 == 0) {
            p.first = k;
            team_run(s->team, find_one, &p);
        }
        st = p.st[k % 2];
        *weight = c->weight > *weight ? c->weight : *weight;
        if (st)
            custos_fail(err, st, "%s", custos_status_words(st));
        else
            st = ask_score(&s->ask, s->among[k], c->set, c->weight,
                           s->marginal[k % 2], c->cells, penalty, err);
    }
    return st;
}

static custos_status
select_candidate(struct aim *s, double sigma, size_t *out, custos_err *err)
{
    uint64_t weight = 0;
    size_t won = 0;
    custos_status st =
        model_rows(s->out->model, s->rng, s->o->rows, s->rows, err);

    if (!st && s->last) {
        st = limits_init(&s->limits, &s->ask.alloc, s->n_among, s->o->bytes,
                         err);
        s->ask.passed = &s->limits;
    }
    if (!st)
        st = score_all(s, sigma, &weight, err);
    if (!st)
        st = ask_select(&s->ask, s->among, s->n_among, weight, s->selection,
                        &won, err);
    *out = s->among[won];
    s->chosen = (struct chosen){.winner = won,
                                .variance = sigma * sigma,
                                .epsilon = price_epsilon_double(s->selection),
                                .sensitivity = (double)weight *
                                               price_l1(s->ask.l2_squared)};
    return st;
}

/* The noisy marginal of the selected set, for the model; and how far it is from
   what the model said before. */
static custos_status
measure_candidate(struct aim *s, const struct candidate *c, custos_err *err)
{
    struct measurement x = {.set = c->set, .values = s->marginal[0]};
    custos_status st = find_marginal(s, s->out->model, c, s->before);

    if (st)
        return custos_fail(err, st, "%s", custos_status_words(st));
    st = ask_values(&s->ask, c->set, c->cells, s->measurement, s->marginal[0],
                    &x.variance, err);
    s->chosen.distance = 0;
    for (size_t i = 0; !st && i < c->cells; i++)
        s->chosen.distance += fabs(s->marginal[0][i] - s->before[i]);
    /* Scores have s->before in whole steps of the lattice. */
    s->chosen.distance += (double)c->cells / (2 * SYNTH_LATTICE);
    return st ? st : model_add(s->out->model, &x, err);
}

/* What the last selection says about all candidates. */
static custos_status
find_limits(struct aim *s, custos_err *err)
{
    struct synthesis *out = s->out;

    out->limits_room = s->limits.n;
    out->limits =
        alloc_take(&out->alloc, out->limits_room, sizeof *out->limits);
    if (!out->limits)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return limits_bounds(&s->limits, &s->chosen, out->model, ELIMINATION_CELLS,
                         RELEASED_BETA / 2, out->limits, &out->n_limits, err);
}

/* Whether the model moved by no more than noise would move it. */
static custos_status
is_settled(struct aim *s, const struct candidate *c, double sigma,
           bool *settled, custos_err *err)
{
    double moved = 0;
    custos_status st = find_marginal(s, s->out->model, c, s->marginal[0]);

    if (st)
        return custos_fail(err, st, "%s", custos_status_words(st));
    for (size_t i = 0; !st && i < c->cells; i++)
        moved += fabs(s->marginal[0][i] - s->before[i]);
    *settled = moved <= PRICE_MEAN_ABSOLUTE * sigma * (double)c->cells;
    return st;
}

static custos_status
run_round(struct aim *s, custos_err *err)
{
    const struct candidate *c;
    double sigma;
    bool settled = false;
    custos_status st;
    size_t i = 0;

    set_prices(s);
    sigma = price_sigma(s->measurement, s->ask.l2_squared);
    find_candidates(s);
    st = select_candidate(s, sigma, &i, err);
    c = &s->candidates.of[i];
    if (!st)
        st = measure_candidate(s, c, err);
    if (c->cells > s->small)
        s->pool -= c->cells < s->pool ? c->cells : s->pool;
    if (!st)
        st = fit(s, s->last ? &s->o->last : &s->o->each, err);
    if (!st)
        st = is_settled(s, c, sigma, &settled, err);
    if (settled) {
        s->measurement *= 4;
        s->selection *= 4;
    }
    s->out->rounds++;
    return st;
}

static custos_status
run(struct aim *s, custos_err *err)
{
    custos_status st = take_all(s, err);

    if (!st)
        st = forbid_all(s, err);
    divide_cells(s);
    if (!st)
        st = measure_columns(s, err);
    while (!st && !s->last)
        st = run_round(s, err);
    return st ? st : find_limits(s, err);
}

custos_status
aim_run(const custos_alloc *alloc, const struct aim_options *o,
        const struct trusted *t, custos_rng *rng, struct synthesis *out,
        custos_err *err)
{
    struct aim s = {.o = o,
                    .ask = {.alloc = alloc_or_default(alloc),
                            .trusted = t,
                            .l2_squared = o->l2_squared,
                            .left = o->rho},
                    .rng = rng,
                    .out = out};
    custos_status st;

    CUSTOS_REQUIRE(o->rho < PRICE_MAX);
    *out = (struct synthesis){.alloc = s.ask.alloc};
    s.candidates.alloc = s.limits.alloc = s.ask.alloc;
    st = o->threads > 1 ? team_new(&s.ask.alloc, &s.team, err) : CUSTOS_OK;
    if (!st)
        st = run(&s, err);
    give_all(&s);
    if (out->model)
        out->model->halves.team = NULL;
    team_free(s.team);
    out->left = s.ask.left;
    if (st)
        synthesis_free(out);
    return st;
}
