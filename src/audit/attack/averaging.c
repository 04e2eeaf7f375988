/*
 * Averaging: the same question again and again. If every answer has fresh noise and
 * nobody counts the answers, their average is the secret. custos gives the cached
 * answer to the same question, and charges a reworded one until the budget is spent.
 */
#include "audit/attack/averaging.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/attack/front_door.h"
#include "base/error.h"

enum {
    SHARES = 10, /* one answer costs the budget divided by this */
    TRUTH = 137,
    STORE_PEOPLE = 64,
    STORE_QUESTIONS = 100,
};

static const char delta[] = "1e-6";

/* ------------------------------------------------------------- budget -- */

/* How many answers of this scale one budget admits, by libcustos' filter. */
static custos_status
admitted(const char *epsilon, double scale, size_t *out, custos_err *err)
{
    custos_filter_options options = {
        .size = sizeof options, .epsilon = epsilon, .delta = delta};
    custos_charge_options price = {.size = sizeof price};
    custos_filter *filter = NULL;
    custos_charge *charge = NULL;
    char mechanism[80];
    custos_status st = custos_filter_new(NULL, &options, &filter, err);

    snprintf(mechanism, sizeof mechanism, "discrete-laplace:scale=%.17g",
             scale);
    price.mechanism = mechanism;
    if (!st)
        st = custos_charge_new(NULL, &price, &charge, err);
    for (*out = 0; !st;) {
        st = custos_filter_admit(filter, charge, err);
        *out += !st;
    }
    custos_charge_free(charge);
    custos_filter_free(filter);
    return st == CUSTOS_ESPENT ? CUSTOS_OK : st;
}

/* ---------------------------------------------------------- averaging -- */

/* One run: asks 2^(AVERAGING_SIZES-1) times. */
static custos_status
average_once(enum averaging_server server, struct attack_counts *counts,
             struct coins *coins, struct averages *t, custos_err *err)
{
    const double scale = attack_counts_scale(counts);
    const int64_t exact = TRUTH;
    double sum = 0, n = 0;
    size_t size = 0;

    for (size_t k = 1; size < AVERAGING_SIZES; k++) {
        int64_t told = TRUTH;
        custos_status st = CUSTOS_OK;

        if (server == AVERAGING_FRESH)
            told += (int64_t)coins_lattice_laplace(coins, scale, 1);
        else if (k <= t->answers)
            st = attack_counts_release(counts, &exact, &told, err);
        if (st)
            return st;
        if (server == AVERAGING_FRESH || k <= t->answers) {
            sum += (double)told;
            n++;
        }
        if (k == (size_t)1 << size) {
            t->error[size] += fabs(sum / n - TRUTH);
            t->found[size++] += round(sum / n) == TRUTH;
        }
    }
    return CUSTOS_OK;
}

custos_status
averages_of(enum averaging_server server, const char *epsilon, uint64_t runs,
            struct coins *coins, struct averages *out, custos_err *err)
{
    struct attack_counts *counts = NULL;
    custos_status st = attack_counts_new(epsilon, SHARES, 1, &counts, err);

    memset(out, 0, sizeof *out);
    out->answers = 1;
    if (!st && server == AVERAGING_CHARGED)
        st = admitted(epsilon, attack_counts_scale(counts), &out->answers, err);
    for (uint64_t i = 0; i < runs && !st; i++)
        st = average_once(server, counts, coins, out, err);
    for (size_t i = 0; i < AVERAGING_SIZES; i++)
        out->error[i] /= (double)runs;
    attack_counts_free(counts);
    return st;
}

/* ---------------------------------------------------------- the store -- */

static void
ask_same(size_t i, char *sql, size_t room)
{
    (void)i;
    snprintf(sql, room, "SELECT count(*) AS n FROM people WHERE secret;");
}

/* The same people in other words: nobody is older than 120. */
static void
ask_reworded(size_t i, char *sql, size_t room)
{
    snprintf(sql, room,
             "SELECT count(*) AS n FROM people WHERE secret AND (age < 20 OR "
             "age > 19 - %zu);",
             i);
}

static size_t
count_distinct(const double *x, size_t n)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < i && x[k] != x[i])
            k++;
        found += k == i;
    }
    return found;
}

static custos_status
attack_store(const struct attack_options *o, const char *epsilon,
             struct coins *coins, struct attack_report *r, custos_err *err)
{
    static const char measure[] = "different answers of a real store";
    const front_question asked[] = {ask_same, ask_reworded};
    double answers[STORE_QUESTIONS];
    bool secret[STORE_PEOPLE];
    struct front_door door;
    struct subsets none;
    char price[32];
    custos_status st = subsets_init(&none, STORE_PEOPLE, 1, coins, err);

    if (st)
        return st;
    for (size_t k = 0; k < STORE_PEOPLE; k++)
        secret[k] = coins_flip(coins, 0.5);
    snprintf(price, sizeof price, "%.6g", attack_number(epsilon) / SHARES);
    st = front_open(&door, o->command,
                    &(struct front_table){&none, secret, epsilon, delta}, err);
    for (int i = 0; i < 2 && !st; i++) {
        size_t answered = 0;
        struct attack_row *row;

        st = front_ask(&door, price, asked[i], STORE_QUESTIONS, answers,
                       &answered, err);
        if (st)
            break;
        row = attack_add_number(r, SERVER_CUSTOS, measure,
                                (double)count_distinct(answers, answered));
        snprintf(row->who, sizeof row->who, "custos, %d questions%s",
                 STORE_QUESTIONS, i ? ", reworded" : ", all the same");
        /* The same question has one answer. Of other words ten cost the whole
           budget; only if epsilon is tiny, delta pays for some more. */
        if (i == 0)
            row->ceiling = 1;
        else if (attack_number(epsilon) >= 0.1)
            row->ceiling = SHARES;
    }
    front_close(&door);
    subsets_clear(&none);
    return st;
}

/* ---------------------------------------------------------- the report -- */

static void
write_rows(const struct averages t[3], uint64_t runs, struct attack_report *r)
{
    static const char measure[] = "exact count found";
    const size_t last = AVERAGING_SIZES - 1;
    struct attack_row *row;

    row = attack_add_share(r, SERVER_NAIVE, measure,
                           t[AVERAGING_FRESH].found[last], runs);
    snprintf(row->who, sizeof row->who, "fresh noise every time");
    row = attack_add_share(r, SERVER_CUSTOS, measure,
                           t[AVERAGING_CACHED].found[last], runs);
    snprintf(row->who, sizeof row->who, "custos, same question: cached answer");
    row = attack_add_share(r, SERVER_CUSTOS, measure,
                           t[AVERAGING_CHARGED].found[last], runs);
    snprintf(row->who, sizeof row->who,
             "custos, reworded: %zu answers, then refused",
             t[AVERAGING_CHARGED].answers);
}

static void
write_report(const struct averages t[3], uint64_t runs, const char *epsilon,
             struct attack_report *r)
{
    static const enum averaging_server order[] = {
        AVERAGING_CACHED, AVERAGING_FRESH, AVERAGING_CHARGED};
    static const char *const labels[] = {"fresh noise", "custos, cached",
                                         "custos, reworded"};
    const size_t last = AVERAGING_SIZES - 1;
    char times[ATTACK_GROUPED];

    attack_grouped(UINT64_C(1) << last, times);
    snprintf(r->title, sizeof r->title, "Averaging of repeated answers");
    snprintf(r->knows, sizeof r->knows,
             "A server adds noise to a count, each time afresh, and keeps no "
             "account. The attacker asks the same question %s times and takes "
             "the average; the noise cancels out. Against custos the attacker "
             "also tries other words for the same question.",
             times);
    snprintf(r->picture, sizeof r->picture,
             "each answer costs a tenth of the budget, epsilon %.20s", epsilon);
    r->x = (struct attack_axis){
        .label = "times asked", .least = 1, .most = 1 << last, .is_log = true};
    r->y = (struct attack_axis){.label = "mean error of the average, people",
                                .least = 0.1,
                                .most = 100,
                                .is_log = true};
    for (int k = 0; k < 3; k++) {
        struct attack_curve *c = attack_add_curve(r, labels[order[k]]);

        for (size_t i = 0; i < AVERAGING_SIZES; i++)
            attack_add_point(c, 1 << i, t[order[k]].error[i]);
    }
    r->y.most = fmax(100, pow(10, ceil(log10(t[AVERAGING_CACHED].error[0]))));
    attack_add_level(r, "half a person", 0.5);
    write_rows(t, runs, r);
    snprintf(r->means, sizeof r->means,
             "Noise alone protects nobody if one may ask forever. custos keeps "
             "an account: the same question gets the same answer, other words "
             "cost as much again, and after %zu answers the budget is spent. "
             "The error then stays at about %.0f people.",
             t[AVERAGING_CHARGED].answers, t[AVERAGING_CHARGED].error[last]);
}

static custos_status
run(const struct attack_options *o, struct attack_report *r, custos_err *err)
{
    const char *epsilon = attack_epsilon(o, "1");
    const uint64_t runs = o->quick ? 200 : 1000;
    struct averages t[3];
    struct coins coins;
    custos_status st = CUSTOS_OK;

    coins_seed(&coins, o->seed, 4);
    for (int s = 0; s < 3 && !st; s++) {
        st = averages_of((enum averaging_server)s, epsilon, runs, &coins, &t[s],
                         err);
        attack_step(o, (s + 1) / 4.0);
    }
    if (st)
        return st;
    write_report(t, runs, epsilon, r);
    return o->command ? attack_store(o, epsilon, &coins, r, err) : CUSTOS_OK;
}

const struct attack attack_averaging = {
    .name = "averaging",
    .summary = "the same question again and again",
    .run = run,
};
