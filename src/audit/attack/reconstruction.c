/*
 * Reconstruction (Dinur and Nissim 2003): whoever answers enough random subset
 * counts with an error well below sqrt(n) has published the table.
 *
 * The attacker knows which people are in each subset, asks how many of them have
 * the secret bit, and solves the equations by least squares. Three servers answer:
 * one exactly; one with noise of a quarter of sqrt(n); and custos, which shares one
 * budget (epsilon, delta) over all questions, by its accountant. The same attack is
 * run on a real store, whose curator answers until the budget is spent.
 *
 * By Steinke, Nasr and Jagielski 2023 (arXiv:2305.08846), the number of bits that
 * anyone guesses right from epsilon-DP answers is no more likely to be large than
 * that of as many independent coins of probability e^epsilon/(1 + e^epsilon). So
 * the bits of one run may be counted as if they were independent. (Delta changes
 * this by about delta a bit, a millionth here.)
 */
#include "audit/attack/reconstruction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/attack/front_door.h"
#include "base/base.h"
#include "base/error.h"

enum {
    POINTS = 7,   /* of the curve: n/4, n/2, ... 16 n questions */
    HEADLINE = 5, /* the point of the table: 8 n questions */
    STORE_PEOPLE = 48,
    STORE_FLAGS = 24,
    STORE_QUESTIONS = STORE_FLAGS * (STORE_FLAGS + 1) / 2, /* 300 */
    STORE_SHARES = 50, /* one costs the budget divided by this */
};

static const char delta[] = "1e-6";
static const char measure[] = "secret bits found";

/* ------------------------------------------------------------- servers -- */

custos_status
shared_noise_init(struct shared_noise *s, size_t questions, const char *epsilon,
                  const char *of_delta, custos_err *err)
{
    custos_calibrated fit = CUSTOS_CALIBRATED_INIT;
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_GAUSSIAN,
        .domain = CUSTOS_INTS,
        .values = questions,
        .delta = of_delta,
        .calibration = CUSTOS_ZCDP,
    };
    char text[64], squared[32];
    custos_plan *plan = NULL;
    custos_status st = custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, err);

    *s = (struct shared_noise){.questions = questions};
    snprintf(text, sizeof text, "discrete-gaussian:sigma=1:count=%zu",
             questions);
    snprintf(squared, sizeof squared, "%zu", questions);
    if (!st)
        st = custos_plan_add(plan, text, err);
    if (!st)
        st = custos_calibrate_noise(plan, epsilon, of_delta, &fit, err);
    custos_plan_free(plan);
    if (st)
        return st;
    options.scale = fit.factor;
    options.sensitivity_squared = squared; /* a person is in every subset */
    s->sigma = attack_number(fit.factor);
    return custos_mech_new(NULL, &options, &s->mech, err);
}

void
shared_noise_clear(struct shared_noise *s)
{
    custos_mech_free(s->mech);
    s->mech = NULL;
}

custos_status
server_answer(const struct server *server, const int64_t *exact, size_t m,
              double *out, custos_err *err)
{
    custos_sealed *sealed = NULL;
    int64_t *released;
    custos_status st;

    for (size_t i = 0; i < m && !server->noise; i++) {
        out[i] = (double)exact[i];
        if (server->sigma > 0)
            out[i] += coins_lattice_laplace(server->coins,
                                            server->sigma / M_SQRT2, 1);
    }
    if (!server->noise)
        return CUSTOS_OK;
    CUSTOS_REQUIRE(m == server->noise->questions);
    released = calloc(m, sizeof *released);
    st = released ? custos_seal_ints(NULL, exact, m, &sealed, err)
                  : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = custos_release_ints(server->noise->mech, server->rng, sealed,
                                 released, m, err);
    for (size_t i = 0; i < m && !st; i++)
        out[i] = (double)released[i];
    custos_sealed_free(sealed);
    free(released);
    return st;
}

/* ---------------------------------------------------------- one attack -- */

custos_status
people_init(struct people *p, size_t n, size_t questions, struct coins *coins,
            custos_err *err)
{
    custos_status st = subsets_init(&p->subsets, n, questions, coins, err);

    p->secret = calloc(2 * n, sizeof *p->secret);
    p->guess = p->secret ? p->secret + n : NULL;
    p->exact = calloc(questions, sizeof *p->exact);
    p->answers = calloc(questions, sizeof *p->answers);
    if (!st && (!p->secret || !p->exact || !p->answers))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t k = 0; k < n && !st; k++)
        p->secret[k] = coins_flip(coins, 0.5);
    if (!st)
        subsets_count(&p->subsets, questions, p->secret, p->exact);
    return st;
}

void
people_clear(struct people *p)
{
    subsets_clear(&p->subsets);
    free(p->secret);
    free(p->exact);
    free(p->answers);
}

custos_status
people_guess(struct people *p, size_t m, double sigma, uint64_t *right,
             custos_err *err)
{
    /* Without noise a touch of ridge keeps the equations solvable. */
    double ridge = 4 * fmax(sigma, 0.01) * fmax(sigma, 0.01);
    custos_status st =
        guess_bits(&p->subsets, m, p->answers, ridge, p->guess, err);

    *right = 0;
    for (size_t k = 0; k < p->subsets.people && !st; k++)
        *right += p->guess[k] == p->secret[k];
    return st;
}

/* -------------------------------------------------------- the libraries -- */

struct tally {
    size_t people, questions[POINTS];
    uint64_t bits, right[3][POINTS]; /* by server */
    double weak;
    struct shared_noise noise[POINTS];
    uint64_t store_bits, store_right, store_raw_right; /* through the store */
    size_t store_asked;
    double ceiling;
};

static custos_status
attack_people(struct tally *t, struct coins *coins, custos_rng *rng,
              custos_err *err)
{
    struct people p = {0};
    custos_status st =
        people_init(&p, t->people, t->questions[POINTS - 1], coins, err);

    for (size_t i = 0; i < POINTS && !st; i++)
        for (int s = 0; s < 3 && !st; s++) {
            struct server server = {
                .sigma = s == SERVER_WEAK ? t->weak : 0,
                .noise = s == SERVER_CUSTOS ? &t->noise[i] : NULL,
                .coins = coins,
                .rng = rng,
            };
            size_t m = t->questions[i];
            uint64_t right = 0;

            st = server_answer(&server, p.exact, m, p.answers, err);
            if (!st)
                st = people_guess(
                    &p, m, server.noise ? server.noise->sigma : server.sigma,
                    &right, err);
            t->right[s][i] += right;
        }
    t->bits += t->people;
    people_clear(&p);
    return st;
}

/* ------------------------------------------------------------ the store -- */

/* Question i is about the people with one flag, or with one of two flags. */
static bool
two_flags(size_t i, size_t *first, size_t *second)
{
    *first = *second = 0;
    if (i < STORE_FLAGS) {
        *first = i;
        return false;
    }
    for (i -= STORE_FLAGS, *second = 1; i >= *second; i -= (*second)++)
        continue;
    *first = i;
    return true;
}

static void
ask_subset(size_t i, char *sql, size_t room)
{
    size_t a, b;

    if (two_flags(i, &a, &b))
        snprintf(sql, room,
                 "SELECT count(*) AS n FROM people WHERE secret AND f%zu <> "
                 "f%zu;",
                 a, b);
    else
        snprintf(sql, room,
                 "SELECT count(*) AS n FROM people WHERE secret AND f%zu;", a);
}

/* Makes the subsets of people those of the questions, and counts again. */
static void
combine_flags(struct people *p)
{
    struct subsets *s = &p->subsets;
    size_t a, b;

    for (size_t i = 0; i < s->count; i++)
        if (two_flags(i, &a, &b))
            for (size_t w = 0; w < s->words; w++)
                s->bits[i * s->words + w] =
                    s->bits[a * s->words + w] ^ s->bits[b * s->words + w];
    subsets_count(s, s->count, p->secret, p->exact);
}

static custos_status
attack_store(const struct attack_options *o, const char *epsilon,
             struct tally *t, struct coins *coins, custos_err *err)
{
    struct front_door door;
    struct people p = {0};
    char price[32];
    double each = attack_number(epsilon) / STORE_SHARES;
    uint64_t right = 0, raw = 0;
    size_t m = 0;
    struct subsets flags;
    custos_status st =
        people_init(&p, STORE_PEOPLE, STORE_QUESTIONS, coins, err);

    if (st)
        goto out;
    combine_flags(&p);
    flags = p.subsets;
    flags.count = STORE_FLAGS;
    st = front_open(&door, o->command,
                    &(struct front_table){&flags, p.secret, epsilon, delta},
                    err);
    if (st)
        goto out;
    snprintf(price, sizeof price, "%.6g", each);
    st = front_ask(&door, price, ask_subset, STORE_QUESTIONS, p.answers, &m,
                   err);
    front_close(&door);
    if (!st)
        st = people_guess(&p, m, M_SQRT2 / each, &right, err);
    for (size_t i = 0; i < m; i++)
        p.answers[i] = (double)p.exact[i];
    if (!st)
        st = people_guess(&p, m, 0, &raw, err);
    t->store_asked = m;
    t->store_bits += STORE_PEOPLE;
    t->store_right += right;
    t->store_raw_right += raw;
out:
    people_clear(&p);
    return st;
}

/* ----------------------------------------------------------- the report -- */

static void
write_rows(const struct tally *t, const char *epsilon, struct attack_report *r)
{
    const size_t i = HEADLINE;
    struct attack_row *row;

    row = attack_add_share(r, SERVER_NAIVE, measure, t->right[0][i], t->bits);
    snprintf(row->who, sizeof row->who, "exact counts");
    row = attack_add_share(r, SERVER_WEAK, measure, t->right[1][i], t->bits);
    snprintf(row->who, sizeof row->who, "too little noise (sigma %.3g)",
             t->weak);
    row = attack_add_share(r, SERVER_CUSTOS, measure, t->right[2][i], t->bits);
    snprintf(row->who, sizeof row->who, "custos, epsilon %.20s (sigma %.3g)",
             epsilon, t->noise[i].sigma);
    row->ceiling = t->ceiling;
}

static void
write_store_rows(const struct tally *t, const char *epsilon,
                 struct attack_report *r)
{
    static const char through[] = "secret bits found through a real store";
    static const char answers[] = "answers of that store";
    struct attack_row *row;

    row = attack_add_share(r, SERVER_NAIVE, through, t->store_raw_right,
                           t->store_bits);
    snprintf(row->who, sizeof row->who, "the same %zu counts, exact",
             t->store_asked);
    row = attack_add_share(r, SERVER_CUSTOS, through, t->store_right,
                           t->store_bits);
    snprintf(row->who, sizeof row->who, "custos, epsilon %.20s", epsilon);
    row->ceiling = t->ceiling;
    row = attack_add_number(r, SERVER_CUSTOS, answers, (double)t->store_asked);
    snprintf(row->who, sizeof row->who, "custos, %d questions",
             STORE_QUESTIONS);
    /* Six budgets' worth must be refused; only if epsilon is tiny, delta pays for
       so much. */
    if (attack_number(epsilon) >= 0.1)
        row->ceiling = STORE_QUESTIONS - 1;
}

static void
write_report(const struct tally *t, const char *epsilon,
             struct attack_report *r)
{
    static const enum attack_server order[] = {SERVER_CUSTOS, SERVER_NAIVE,
                                               SERVER_WEAK};
    static const char *const labels[] = {"exact counts", "too little noise",
                                         "custos"};
    char questions[ATTACK_GROUPED];
    size_t n = t->people;

    attack_grouped(t->questions[HEADLINE], questions);
    snprintf(r->title, sizeof r->title, "Reconstruction from counts");
    snprintf(r->knows, sizeof r->knows,
             "A table has one secret bit for each of %zu people. The attacker "
             "chooses random halves of the people, asks %s times how many of "
             "them have the bit, and solves the equations for all bits at "
             "once. Blind guessing finds half of them.",
             n, questions);
    snprintf(r->picture, sizeof r->picture,
             "%zu people; custos shares epsilon %.20s over all questions", n,
             epsilon);
    r->x = (struct attack_axis){.label = "questions asked",
                                .least = (double)t->questions[0],
                                .most = (double)t->questions[POINTS - 1],
                                .is_log = true};
    r->y = (struct attack_axis){
        .label = "secret bits found, %", .least = 40, .most = 100};
    for (int k = 0; k < 3; k++) {
        enum attack_server s = order[k];
        struct attack_curve *c = attack_add_curve(r, labels[s]);

        for (size_t i = 0; i < POINTS; i++)
            attack_add_point(c, (double)t->questions[i],
                             100 * (double)t->right[s][i] / (double)t->bits);
    }
    attack_add_level(r, "most allowed", 100 * t->ceiling);
    write_rows(t, epsilon, r);
    if (t->store_bits)
        write_store_rows(t, epsilon, r);
    snprintf(r->means, sizeof r->means,
             "Enough exact counts are the table itself, and a little noise on "
             "each does not help: more questions average it away. custos adds "
             "more noise the more is asked, and refuses when the budget is "
             "spent: nobody can find more than %.1f %% of the bits on average.",
             attack_percent_up(t->ceiling));
}

/* The budget shared over each number of questions; the caller clears t->noise. */
static custos_status
prepare(struct tally *t, const char *epsilon, custos_err *err)
{
    custos_status st = attack_ceiling(epsilon, delta, &t->ceiling, err);

    t->weak = sqrt((double)t->people) / 4;
    for (size_t i = 0; i < POINTS && !st; i++) {
        t->questions[i] = t->people / 4 << i;
        st = shared_noise_init(&t->noise[i], t->questions[i], epsilon, delta,
                               err);
    }
    return st;
}

static custos_status
run(const struct attack_options *o, struct attack_report *r, custos_err *err)
{
    const char *epsilon = attack_epsilon(o, "1");
    const int trials = o->quick ? 2 : 4, stores = o->quick ? 1 : 4;
    const int all = trials + (o->command ? stores : 0);
    struct tally t = {.people = o->quick ? 128 : 256};
    custos_rng *rng = NULL;
    struct coins coins;
    custos_status st = prepare(&t, epsilon, err);

    coins_seed(&coins, o->seed, 2);
    if (!st)
        st = custos_rng_new(&rng, err);
    for (int i = 0; i < trials && !st; i++) {
        st = attack_people(&t, &coins, rng, err);
        attack_step(o, (i + 1.0) / all);
    }
    for (int i = 0; i < stores && !st && o->command; i++) {
        st = attack_store(o, epsilon, &t, &coins, err);
        attack_step(o, (i + 1.0 + trials) / all);
    }
    if (!st)
        write_report(&t, epsilon, r);
    for (size_t i = 0; i < POINTS; i++)
        shared_noise_clear(&t.noise[i]);
    custos_rng_free(rng);
    return st;
}

const struct attack attack_reconstruction = {
    .name = "reconstruction",
    .summary = "many counts: solving for everybody's secret",
    .run = run,
};
