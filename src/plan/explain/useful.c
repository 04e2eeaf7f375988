/*
 * What to expect of an answer. The policy's n and the contribution bounds limit
 * how large the values of all groups together can be, so an average group has at
 * most that divided by the number of groups; the plan knows the error of each.
 */
#include "plan/explain/useful.h"

#include "num/rat_round.h"
#include "plan/explain/words.h"
#include "plan/from/relation.h"
#include "plan/part/marginals.h"
#include "plan/work.h"
#include "sql/aggregates.h"

enum { SENTENCE_MAX = 1 << 12, HUNDREDTHS = 10000, TABLES_JUDGED = 24 };

struct judge {
    arena *a;
    const struct plan *p;
    uint64_t people, cells;
    size_t table;    /* of plan->marginals: the one that is judged now */
    rat rows, units; /* the most that an average group can have */
    struct useful *out;
};

/* The error of an aggregate, and the number that it is a share of. */
struct share {
    rat error, whole;
    bool in_range; /* the whole is a range; if false, the largest value */
    bool places;   /* the whole is how many values there are, and their order is
                      the range */
    bool hopeless;
    bool little;    /* not hopeless, but of little use */
    bool found;     /* the range of its values is found from the data */
    const char *of; /* what the whole counts */
    struct grid grid;
};

static const struct grid ONES = {10, 0};

/* ------------------------------------------------------------ sentences -- */

bool
useful_add(arena *a, struct buf *b, const char **list, size_t *n)
{
    const char *text =
        b->failed ? NULL : arena_copy(a, (str){buf_text(b), b->len});

    buf_clear(b);
    for (size_t i = 0; text && i < *n; i++)
        if (str_equal(str_of(list[i]), str_of(text)))
            return true;
    if (text)
        list[(*n)++] = text;
    return text != NULL;
}

/* A number that is only about right, rounded up: whole from 10 on. */
static void
write_about(const rat *number, struct buf *b)
{
    rat x;

    rat_init(&x);
    rat_places_up(&x, number, rat_cmp_i64(number, 10) < 0 ? 1 : 0);
    words_number(&x, b);
    rat_clear(&x);
}

/* "4 groups over about 1000 people: " */
static void
write_people(const struct judge *j, struct buf *b)
{
    if (j->cells > 1)
        buf_printf(b, "%llu groups over ", (unsigned long long)j->cells);
    buf_printf(b, "about %llu people: ", (unsigned long long)j->people);
}

static void
write_percent(uint64_t hundredths, struct buf *b)
{
    if (hundredths >= 1000)
        buf_printf(b, "%llu %%", (unsigned long long)hundredths / 100);
    else if (hundredths == 0)
        buf_add_text(b, "0.01 % or less");
    else
        buf_printf(b, "%llu.%02llu %%", (unsigned long long)hundredths / 100,
                   (unsigned long long)hundredths % 100);
}

/* "±30 of at most 250 rows", or of a range. Of the ranges that may be found, the
   first has the least share, so this is the error at best. */
static void
write_share(const struct share *s, struct buf *b)
{
    if (s->found) {
        buf_add_text(b, "whatever range is found");
        return;
    }
    buf_add_text(b, "±");
    words_steps(&s->error, s->grid, b);
    buf_add_text(b, s->in_range && !s->places ? " in a range of "
                                              : " of at most ");
    if (s->grid.digits == 0)
        write_about(&s->whole, b);
    else
        words_steps(&s->whole, s->grid, b);
    buf_printf(b, "%s%s", *s->of ? " " : "", s->of);
}

/* An aggregate, and which table it is in. */
static void
write_aggregate(const struct judge *j, const struct expr *e, struct buf *b)
{
    words_expr(e, b);
    if (!j->p->marginals)
        return;
    buf_add_text(b, " by ");
    words_set(j->p, j->p->marginals->sets[j->table], b);
}

static bool
write_expected(struct judge *j, const struct expr *e, const struct share *s,
               uint64_t hundredths)
{
    struct buf b;

    buf_init(&b, NULL, SENTENCE_MAX);
    write_aggregate(j, e, &b);
    buf_add_text(&b, ": an error of ");
    write_percent(hundredths, &b);
    buf_printf(&b, "%s%s at best, ",
               s->places     ? " of the values"
               : s->in_range ? " of its range"
                             : "",
               j->cells > 1 ? " in an average group" : "");
    write_share(s, &b);
    return useful_add(j->a, &b, j->out->expected, &j->out->n_expected);
}

static bool
write_warning(struct judge *j, const struct expr *e, const struct share *s)
{
    struct buf b;

    if (j->out->n_warnings >= USEFUL_WARNINGS_MAX)
        return true;
    buf_init(&b, NULL, SENTENCE_MAX);
    write_people(j, &b);
    if (s->little) {
        write_aggregate(j, e, &b);
        buf_printf(&b, " will carry little%s, ",
                   j->cells > 1 ? " in most groups" : "");
        write_share(s, &b);
    } else if (s->in_range) {
        buf_add_text(&b, "the interval of ");
        write_aggregate(j, e, &b);
        buf_printf(&b, " will cover its whole range%s: no information",
                   j->cells > 1 ? " in most groups" : "");
    } else {
        buf_add_text(&b, j->cells > 1 ? "most values of " : "");
        write_aggregate(j, e, &b);
        buf_add_text(&b, " will be noise, ");
        write_share(s, &b);
        buf_add_text(&b,
                     j->cells > 1 && !s->found ? " in an average group" : "");
    }
    return useful_add(j->a, &b, j->out->warnings, &j->out->n_warnings);
}

/* --------------------------------------------------------------- shares -- */

/* The half width of the bar of a part, or of a cell of the table that is judged. */
static i128
bar_of(const struct judge *j, const struct part *part)
{
    return j->p->marginals
               ? marginals_bar(j->p, (size_t)(part - j->p->parts), j->table)
               : part->bar;
}

static const rat *
most_of(const struct judge *j, const struct part *part)
{
    return part->kind == PART_UNITS ? &j->units : &j->rows;
}

static bool
exceeds(i128 bar, const rat *most)
{
    rat x;
    bool is;

    rat_init(&x);
    rat_set_i128(&x, bar);
    is = rat_cmp(&x, most) >= 0;
    rat_clear(&x);
    return is;
}

static void
share_of_count(const struct judge *j, const struct part *part, struct share *s)
{
    static const char *const COUNTED[] = {
        [PART_ROWS] = "rows",   [PART_VALUES] = "values",
        [PART_UNITS] = "units", [PART_DISTINCT] = "values",
        [PART_SHARE] = "rows",
    };

    rat_set_i128(&s->error, bar_of(j, part));
    rat_set(&s->whole, most_of(j, part));
    if (part->domain > 0 && exceeds((i128)part->domain, &s->whole) == false)
        rat_set_i128(&s->whole, (i128)part->domain);
    s->of = COUNTED[part->kind];
    s->hopeless = rat_cmp(&s->error, &s->whole) >= 0;
}

/* A sum is at most as large as all its values at the far end of their range. */
static void
share_of_sum(const struct judge *j, const struct part *part, struct share *s)
{
    i128 low = part->lower < 0 ? -part->lower : part->lower;
    i128 high = part->upper < 0 ? -part->upper : part->upper;

    rat_set_i128(&s->error, bar_of(j, part));
    rat_set_i128(&s->whole, low > high ? low : high);
    rat_mul(&s->whole, &s->whole, &j->rows);
    s->grid = part->grid;
    s->hopeless = rat_cmp(&s->error, &s->whole) >= 0;
}

/* The error of a mean is that of the sum, divided by the rows; half of the range
   or more is all of it, and so is a count that may be 0. rows: the part of that
   count; NULL where the policy states it. */
static void
share_of_mean(const struct judge *j, const struct part *rows,
              const struct part *sum, struct share *s)
{
    rat half;

    rat_init(&half);
    rat_set_i128(&s->error, bar_of(j, sum));
    rat_div(&s->error, &s->error, &j->rows);
    rat_set_i128(&s->whole, sum->upper - sum->lower);
    rat_set_i64(&half, 1, 2);
    rat_mul(&half, &half, &s->whole);
    s->grid = sum->grid;
    s->in_range = true;
    s->hopeless = rat_cmp(&s->error, &half) >= 0 ||
                  (rows && exceeds(bar_of(j, rows), &j->rows));
    rat_clear(&half);
}

/* Has a quantile so few values on one side that its interval takes up much of
   them? A box reaches half of part->bar to each side; measured errors hold from
   10 times that on. */
static bool
few_beside(const struct judge *j, const struct part *part, size_t rank)
{
    rat p, q, least;
    bool few = false;

    rat_init(&p);
    rat_init(&q);
    rat_init(&least);
    if (!rat_read(part->quantiles->rank[rank], "rank", &p, NULL)) {
        rat_set_i64(&q, 1, 1);
        rat_sub(&q, &q, &p);
        rat_mul(&p, rat_cmp(&p, &q) < 0 ? &p : &q, &j->rows);
        rat_set_i128(&least, 5 * part->bar);
        few = part->quantiles->counts && rat_sign(&p) > 0 &&
              rat_cmp(&p, &least) < 0;
    }
    rat_clear(&p);
    rat_clear(&q);
    rat_clear(&least);
    return few;
}

/* The error of a quantile is in places among the sorted values. */
static void
share_of_quantile(const struct judge *j, const struct part *part, size_t rank,
                  struct share *s)
{
    rat_set_i128(&s->error, part->bar);
    rat_set(&s->whole, &j->rows);
    s->of = "places";
    s->in_range = s->places = true;
    s->hopeless = rat_cmp(&s->error, &s->whole) >= 0;
    s->little = !s->hopeless && few_beside(j, part, rank);
}

/* Is the whole of this aggregate's share a range that is found? */
static bool
is_found(const struct judge *j, const struct plan_aggregate *f)
{
    enum aggregate_family family = aggregates[f->kind].family;

    return j->p->ranged && f->expr->n_args > 0 && !f->expr->lower &&
           (family == FAMILY_SUM || family == FAMILY_MEAN) &&
           expr_same(j->p->ranged, f->expr->args[0]);
}

/* Sets *s; false: the error cannot be compared. */
static bool
share_make(const struct judge *j, const struct plan_aggregate *f,
           struct share *s)
{
    const struct part *parts = j->p->parts;

    s->found = is_found(j, f);
    switch (aggregates[f->kind].family) {
    case FAMILY_COUNT:
        share_of_count(j, &parts[f->share >= 0 ? f->share : f->rows], s);
        break;
    case FAMILY_SUM:
        share_of_sum(j, &parts[f->share >= 0 ? f->share : f->sum], s);
        break;
    case FAMILY_MEAN:
        share_of_mean(
            j, f->counted ? NULL : &parts[f->share >= 0 ? f->share : f->rows],
            &parts[f->share >= 0 ? f->share : f->sum], s);
        break;
    case FAMILY_QUANTILE:
        share_of_quantile(j, &parts[f->rows], f->rank, s);
        break;
    case FAMILY_PAIR:
    case FAMILY_VARIANCE: /* its bar depends on the values, unless the count is
                             noise */
        s->in_range = true;
        s->hopeless = !f->counted && exceeds(parts[f->rows].bar, &j->rows);
        return false;
    case FAMILY_RUNNING: /* each of its values has an error of its own */
        return false;
    }
    return rat_sign(&s->whole) > 0;
}

static uint64_t
hundredths_of(const struct share *s)
{
    uint64_t n = USEFUL_UNKNOWN - 1;
    rat x, scale;

    rat_init(&x);
    rat_init(&scale);
    rat_set_i64(&scale, HUNDREDTHS, 1);
    rat_div(&x, &s->error, &s->whole);
    rat_mul(&x, &x, &scale);
    if (!rat_floor_u64(&x, &n))
        n = USEFUL_UNKNOWN - 1;
    rat_clear(&x);
    rat_clear(&scale);
    return n;
}

static bool
judge_aggregate(struct judge *j, size_t slot)
{
    const struct plan_aggregate *f = &j->p->aggregates[slot];
    struct share s = {.of = "", .grid = ONES};
    bool good = true;

    rat_init(&s.error);
    rat_init(&s.whole);
    if (share_make(j, f, &s)) {
        uint64_t n = hundredths_of(&s), *most = &j->out->relative[slot];

        *most = *most == USEFUL_UNKNOWN || n > *most ? n : *most;
        good = write_expected(j, f->expr, &s, n);
    }
    if (good && (s.hopeless || s.little))
        good = write_warning(j, f->expr, &s);
    rat_clear(&s.error);
    rat_clear(&s.whole);
    return good;
}

/* Are there too few people for any group to be shown? */
static bool
judge_selection(struct judge *j)
{
    const struct selection *s = j->p->space.selection;
    struct buf b;

    if (!s || s->half <= j->people || j->out->n_warnings >= USEFUL_WARNINGS_MAX)
        return true;
    buf_init(&b, NULL, SENTENCE_MAX);
    write_people(j, &b);
    buf_printf(&b,
               "few groups or none will be shown, since one of %llu units is "
               "shown with a probability of 50 %%",
               (unsigned long long)s->half);
    return useful_add(j->a, &b, j->out->warnings, &j->out->n_warnings);
}

/* ------------------------------------------------------------- the plan -- */

/* The most that all groups together have, divided by their number. Of discovered
   groups, one may have everything. */
static void
averages_make(struct judge *j)
{
    const struct plan *p = j->p;
    const struct policy_table *t = p->table;
    uint64_t groups = p->space.groups < j->cells ? p->space.groups : j->cells;
    rat cells;

    rat_init(&cells);
    rat_set_i128(&cells, (i128)j->cells);
    rat_set_i128(&j->rows, (i128)j->people * (i128)p->rows);
    if (t->max_rows_given && p->from->kind == RELATION_TABLE &&
        !exceeds((i128)t->max_rows, &j->rows))
        rat_set_i128(&j->rows, (i128)t->max_rows);
    rat_div(&j->rows, &j->rows, &cells);
    rat_set_i128(&j->units, (i128)j->people * (i128)groups);
    rat_div(&j->units, &j->units, &cells);
    rat_clear(&cells);
}

static bool
judge_aggregates(struct judge *j)
{
    bool good = true;

    averages_make(j);
    for (size_t i = 0; i < j->p->n_aggregates && good; i++)
        good = judge_aggregate(j, i);
    return good;
}

/* How many tables have sentences of their own. */
static size_t
tables_judged(const struct plan *p)
{
    size_t n = p->marginals ? p->marginals->n_sets : 1;

    return n < TABLES_JUDGED ? n : TABLES_JUDGED;
}

/* Each table of GROUPING SETS has groups and errors of its own. */
static bool
judge_tables(struct judge *j)
{
    const struct marginals *m = j->p->marginals;
    bool good = true;

    for (size_t s = 0; s < tables_judged(j->p) && good; s++) {
        j->table = s;
        j->cells = m->first[s + 1] - m->first[s];
        good = judge_aggregates(j);
    }
    return good;
}

static bool
judge_plan(struct judge *j)
{
    if (j->p->marginals)
        return judge_tables(j);
    return judge_selection(j) && judge_aggregates(j);
}

bool
plan_useful(arena *a, const struct plan *p, struct useful *out)
{
    size_t n;
    struct plan *const *next = plan_next(p, &n);
    const struct plan *of = n > 0 ? next[0] : p;
    struct judge j = {.a = a,
                      .p = of,
                      .people = p->policy->people,
                      .cells = of->space.selection ? 1 : of->space.cells,
                      .out = out};
    bool good;

    *out = (struct useful){
        .relative = arena_take(a, of->n_aggregates + 1, sizeof *out->relative),
        .expected = arena_take(a, of->n_aggregates * tables_judged(of) + 1,
                               sizeof *out->expected),
        .warnings = arena_take(a, USEFUL_WARNINGS_MAX, sizeof *out->warnings),
    };
    if (!out->relative || !out->expected || !out->warnings)
        return false;
    for (size_t i = 0; i < of->n_aggregates; i++)
        out->relative[i] = USEFUL_UNKNOWN;
    if (p->is_public)
        return true;
    if (!plan_literals(a, of, out))
        return false;
    if (!p->policy->has_people)
        return true;
    rat_init(&j.rows);
    rat_init(&j.units);
    good = judge_plan(&j);
    rat_clear(&j.rows);
    rat_clear(&j.units);
    return good;
}
