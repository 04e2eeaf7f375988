/*
 * Three rounds of learning: every pair on few outputs, the best pairs on more,
 * then the best statistics of the best two. Last, the events of the best
 * statistics are chosen again by many outputs, which finds rare ones.
 */
#include "audit/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/clock.h"
#include "audit/count.h"
#include "base/error.h"

enum {
    ROUND_LEAST = 128, /* outputs of each arm in a round */
    PAIRS_SECOND = 4,  /* pairs in the second round */
    PAIRS_THIRD = 2,   /* and in the third */
    KEPT = 8,          /* statistics in the third round */
    CHOSEN = 6,        /* of which events are chosen again */
    JOINED = 4,        /* features that are joined with each other */
    STATISTICS_MAX = FEATURES_MAX + 3 + JOINED * JOINED + 1,
};

struct list {
    struct statistic *statistic;
    size_t n;
};

/* Statistics that were tried on a pair, best first. */
struct ranking {
    struct events *events;
    size_t n;
};

/* How many pairs and how many outputs of each arm a round has. Slow targets give
   few outputs in all: their first rounds need a larger part of them. */
static size_t
round_pairs(size_t n_pairs, int round)
{
    size_t most = round == 0   ? n_pairs
                  : round == 1 ? PAIRS_SECOND
                               : PAIRS_THIRD;

    return n_pairs < most ? n_pairs : most;
}

static uint64_t
round_size(const struct audit_target *target, uint64_t size, int round)
{
    uint64_t n = round == 0   ? size / (target->slow ? 3 : 8)
                 : round == 1 ? size / 2
                              : size;

    return n < ROUND_LEAST ? ROUND_LEAST : n;
}

uint64_t
search_outputs(const struct audit_target *target, uint64_t size, size_t n_pairs)
{
    uint64_t sum = 0;

    for (int round = n_pairs > PAIRS_SECOND ? 0 : 1; round < 3; round++)
        sum += round_pairs(n_pairs, round) * round_size(target, size, round);
    return sum;
}

/* Between two statistics that promise the same, the plain one is better. */
static double
promise_of(const struct events *e)
{
    double promise = fmax(e->side[ARM_A].promise, e->side[ARM_B].promise);

    return e->statistic.kind == STATISTIC_JOINT && promise > 0 ? promise / 1.03
                                                               : promise;
}

static int
by_promise(const void *a, const void *b)
{
    double x = promise_of(a), y = promise_of(b);

    return (x < y) - (x > y);
}

static void
ranking_clear(struct ranking *r)
{
    for (size_t i = 0; i < r->n; i++)
        events_clear(&r->events[i]);
    free(r->events);
    *r = (struct ranking){0};
}

struct learning {
    const struct statistic *statistic;
    const struct event_goal *goal;
    struct batch learn[ARMS], choose[ARMS];
    struct events *events;
};

static custos_status
learn_job(void *context, void *state, size_t job, custos_err *err)
{
    struct learning *l = context;

    (void)state;
    return events_learn(&l->events[job], &l->statistic[job], l->learn,
                        l->choose, l->goal, err);
}

/* The part of the progress that the next `size` outputs are. */
static struct parallel
next_progress(struct search *s, uint64_t size)
{
    double all = (double)(search_outputs(s->target, s->size, s->n_pairs) +
                          PAIRS_THIRD * s->choose);
    double length = s->parallel.to - s->parallel.from;
    struct parallel p = s->parallel;

    p.from = s->parallel.from + length * (double)s->drawn / all;
    s->drawn += size;
    p.to = s->parallel.from + length * fmin((double)s->drawn / all, 1);
    return p;
}

/* Draws a round's outputs of one pair and ranks the statistics. */
static custos_status
rank_statistics(struct search *s, size_t pair, uint64_t size, uint64_t seed,
                const struct list *list, struct ranking *out, custos_err *err)
{
    struct batch arms[ARMS] = {{0}};
    struct learning l = {.statistic = list->statistic, .goal = &s->goal};
    struct parallel p = next_progress(s, size);
    custos_status st = CUSTOS_OK;

    *out = (struct ranking){.events = calloc(list->n, sizeof *out->events),
                            .n = list->n};
    if (!out->events)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (int arm = 0; arm < ARMS && !st; arm++)
        st = batch_new(&arms[arm], s->target, size, err);
    if (!st)
        st = outputs_draw(s->target, &s->pairs[pair], seed, &p, arms, err);
    if (!st) {
        for (int arm = 0; arm < ARMS; arm++) {
            l.learn[arm] = batch_part(&arms[arm], 0, size / 2);
            l.choose[arm] = batch_part(&arms[arm], size / 2, size - size / 2);
        }
        l.events = out->events;
        p.job = learn_job;
        p.context = &l;
        p.target = NULL;
        p.progress = NULL;
        st = parallel_do(&p, list->n, err);
    }
    for (int arm = 0; arm < ARMS; arm++)
        batch_clear(&arms[arm]);
    if (st)
        ranking_clear(out);
    else
        qsort(out->events, out->n, sizeof *out->events, by_promise);
    return st;
}

/* What is tried at first: every feature, log ratios, and length with last. */
static custos_status
first_list(const struct audit_target *target, struct list *out, custos_err *err)
{
    struct feature features[FEATURES_MAX];
    size_t n = features_of(target, features);

    *out = (struct list){calloc(STATISTICS_MAX, sizeof *out->statistic), 0};
    if (!out->statistic)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        out->statistic[out->n++] = statistic_of_feature(features[i]);
    if (target->width > 1) {
        out->statistic[out->n++] = statistic_of_ratios(target, FEATURE_VALUE);
        out->statistic[out->n++] =
            statistic_of_ratios(target, FEATURE_DIFFERENCE);
        out->statistic[out->n++] = statistic_of_ratios(target, FEATURE_SORTED);
        out->statistic[out->n++] =
            statistic_of_joint((struct feature){FEATURE_LENGTH, 0},
                               (struct feature){FEATURE_LAST, 0});
    }
    return CUSTOS_OK;
}

static struct statistic
unlearned(const struct statistic *s)
{
    struct statistic out = *s;

    for (size_t i = 0; i < out.n; i++)
        out.part[i] = (struct part){.feature = s->part[i].feature};
    return out;
}

/* Errors and lengths may differ so rarely that few outputs do not show it: these
   statistics stay to the end. */
static bool
shows_rare(const struct statistic *s)
{
    enum feature_kind kind = s->part[0].feature.kind;

    return s->kind == STATISTIC_FEATURE &&
           (kind == FEATURE_CODE || kind == FEATURE_LENGTH);
}

/* The best statistics, and the best features joined. */
static void
list_best(const struct ranking *r, size_t keep, size_t join, struct list *out)
{
    size_t joined = 0, best[JOINED];

    out->n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (i < keep || shows_rare(&r->events[i].statistic))
            out->statistic[out->n++] = unlearned(&r->events[i].statistic);
    for (size_t i = 0; i < r->n && joined < join; i++)
        if (r->events[i].statistic.kind == STATISTIC_FEATURE &&
            r->events[i].statistic.part[0].feature.kind != FEATURE_WHOLE &&
            r->events[i].bins.n > 1)
            best[joined++] = i;
    for (size_t i = 0; i < joined; i++)
        for (size_t k = 0; k < i; k++)
            out->statistic[out->n++] = statistic_of_joint(
                r->events[best[k]].statistic.part[0].feature,
                r->events[best[i]].statistic.part[0].feature);
}

/* Is this an error, a status or a length that some outputs have and others not? */
static bool
may_be_rare(const struct events *e)
{
    return shows_rare(&e->statistic) && e->bins.n > 1;
}

/* Moves rare events among the first `n`: what few outputs show cannot promise
   much, but many will show it. */
static void
promote_rare(struct ranking *r, size_t n)
{
    for (size_t i = n; i < r->n && n > 1; i++)
        if (may_be_rare(&r->events[i])) {
            struct events e = r->events[i];

            while (n > 1 && may_be_rare(&r->events[n - 1]))
                n--;
            r->events[i] = r->events[n - 1];
            r->events[n - 1] = e;
        }
}

/* Chooses the events of the best statistics by many outputs. */
static custos_status
choose_again(struct search *s, size_t pair, struct ranking *r, custos_err *err)
{
    const struct events *events[CHOSEN];
    struct counting counting = {.target = s->target,
                                .pair = &s->pairs[pair],
                                .events = events,
                                .n = r->n < CHOSEN ? r->n : CHOSEN,
                                .samples = s->choose,
                                .seed = s->seed + 0x50000u + pair,
                                .parallel = next_progress(s, s->choose)};
    struct counts counts;
    double began = clock_seconds();
    custos_status st;

    promote_rare(r, counting.n);
    for (size_t i = 0; i < counting.n; i++)
        events[i] = &r->events[i];
    st = count_outputs(&counting, &counts, err);
    if (st)
        return st;
    s->each = fmax(s->each, (clock_seconds() - began) / (double)s->choose);
    for (size_t i = 0; i < counting.n && !st; i++)
        st = events_choose(&r->events[i], counts.count[i], s->choose, &s->goal,
                           err);
    counts_clear(&counts);
    for (size_t i = counting.n; i < r->n; i++)
        events_clear(&r->events[i]);
    r->n = counting.n;
    qsort(r->events, r->n, sizeof *r->events, by_promise);
    return st;
}

/* The finalists: the best sides of the best events. */
static void
take_finalists(struct ranking *r, struct suspicion *out)
{
    out->n = 0;
    promote_rare(r, FINALISTS_MAX < r->n ? FINALISTS_MAX : r->n);
    for (size_t i = 0; i < r->n && out->n < FINALISTS_MAX; i++) {
        struct events *e = &r->events[i];
        bool a = e->side[ARM_A].promise >= e->side[ARM_B].promise;

        if (e->bins.n < 2 || promise_of(e) <= -1)
            continue;
        out->finalist[out->n++] =
            (struct finalist){.events = *e, .more = a ? ARM_A : ARM_B};
        *e = (struct events){0}; /* moved */
    }
}

/* A pair in the search, with what was learned about it. */
struct contender {
    size_t pair;
    double promise;
    struct list list;       /* after the second round: its best statistics */
    struct ranking ranking; /* after the third */
};

static int
by_contender(const void *a, const void *b)
{
    double x = ((const struct contender *)a)->promise;
    double y = ((const struct contender *)b)->promise;

    return (x < y) - (x > y);
}

static uint64_t
round_seed(const struct search *s, int round, const struct contender *c)
{
    return s->seed + 0x10000u * (uint64_t)(round + 1) + c->pair;
}

/* One of the first two rounds for one pair. */
static custos_status
try_pair(struct search *s, int round, const struct list *list,
         struct contender *c, custos_err *err)
{
    struct ranking r;
    custos_status st =
        rank_statistics(s, c->pair, round_size(s->target, s->size, round),
                        round_seed(s, round, c), list, &r, err);

    if (st)
        return st;
    c->promise = promise_of(&r.events[0]);
    if (round == 1) {
        c->list.statistic = calloc(STATISTICS_MAX, sizeof *c->list.statistic);
        if (c->list.statistic)
            list_best(&r, KEPT, JOINED, &c->list);
        else
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    ranking_clear(&r);
    return st;
}

/* The third round for one pair, and the choice by many outputs. */
static custos_status
study_pair(struct search *s, struct contender *c, custos_err *err)
{
    uint64_t size = round_size(s->target, s->size, 2);
    custos_status st = rank_statistics(s, c->pair, size, round_seed(s, 2, c),
                                       &c->list, &c->ranking, err);

    if (!st && s->choose > size)
        st = choose_again(s, c->pair, &c->ranking, err);
    if (!st)
        c->promise = promise_of(&c->ranking.events[0]);
    return st;
}

/* All rounds. The best contender is the first at the end. */
static custos_status
hold_rounds(struct search *s, const struct list *list, struct contender *c,
            custos_err *err)
{
    custos_status st = CUSTOS_OK;
    size_t third = round_pairs(s->n_pairs, 2);

    for (int round = s->n_pairs > PAIRS_SECOND ? 0 : 1; round < 2; round++) {
        size_t n = round_pairs(s->n_pairs, round);

        for (size_t i = 0; i < n && !st; i++)
            st = try_pair(s, round, list, &c[i], err);
        if (st)
            return st;
        qsort(c, n, sizeof *c, by_contender);
    }
    /* A second pair that promises far less is not worth its outputs. */
    if (third > 1 && c[0].promise > 0 && c[1].promise < 0.6 * c[0].promise)
        third = 1;
    for (size_t i = 0; i < third && !st; i++)
        st = study_pair(s, &c[i], err);
    if (!st)
        qsort(c, third, sizeof *c, by_contender);
    return st;
}

custos_status
search_run(struct search *s, struct suspicion *out, custos_err *err)
{
    struct contender *c = calloc(s->n_pairs, sizeof *c);
    struct list list = {0};
    custos_status st = first_list(s->target, &list, err);

    *out = (struct suspicion){0};
    if (!st && !c)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; c && i < s->n_pairs; i++)
        c[i].pair = i;
    if (!st)
        st = hold_rounds(s, &list, c, err);
    if (!st) {
        out->pair = c[0].pair;
        take_finalists(&c[0].ranking, out);
    }
    for (size_t i = 0; c && i < s->n_pairs; i++) {
        ranking_clear(&c[i].ranking);
        free(c[i].list.statistic);
    }
    free(list.statistic);
    free(c);
    return st;
}

void
suspicion_clear(struct suspicion *suspicion)
{
    for (size_t i = 0; i < suspicion->n; i++)
        events_clear(&suspicion->finalist[i].events);
    suspicion->n = 0;
}
