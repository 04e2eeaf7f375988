/*
 * Reconstruction finds more than 95 % of the bits in exact and in hardly noisy
 * counts, and no more than the ceiling in what custos answers within a budget,
 * through the library and through a real store.
 */
#include "audit/attack/reconstruction.h"
#include "audit/attack/front_door.h"
#include "audit/attacks.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { PEOPLE = 128, QUESTIONS = 8 * PEOPLE, TRIALS = 4 };

/* How many bits of TRIALS tables are found. */
static uint64_t
bits_found(struct server server)
{
    uint64_t found = 0;
    struct coins coins;

    coins_seed(&coins, 7, 1);
    server.coins = &coins;
    for (int i = 0; i < TRIALS; i++) {
        struct people p = {0};
        uint64_t right = 0;
        double sigma = server.noise ? server.noise->sigma : server.sigma;

        assert_int_equal(people_init(&p, PEOPLE, QUESTIONS, &coins, NULL),
                         CUSTOS_OK);
        assert_int_equal(
            server_answer(&server, p.exact, QUESTIONS, p.answers, NULL),
            CUSTOS_OK);
        assert_int_equal(people_guess(&p, QUESTIONS, sigma, &right, NULL),
                         CUSTOS_OK);
        found += right;
        people_clear(&p);
    }
    return found;
}

static void
exact_counts_are_the_table(void **state)
{
    struct server server = {.sigma = 0};

    (void)state;
    assert_int_equal(bits_found(server), TRIALS * PEOPLE);
}

static void
little_noise_does_not_help(void **state)
{
    struct server server = {.sigma = sqrt(PEOPLE) / 4};

    (void)state;
    assert_true((double)bits_found(server) > 0.95 * TRIALS * PEOPLE);
}

/* Noise of the size of sqrt(n) times a few does: what the attack finds depends on
   the noise, not on a slip that shows it the secret. */
static void
much_noise_helps(void **state)
{
    struct server server = {.sigma = 20 * sqrt(PEOPLE)};

    (void)state;
    assert_true((double)bits_found(server) < 0.65 * TRIALS * PEOPLE);
}

/* False alarms: FALSE_ALARM for each epsilon. */
static void
budget_is_kept(void **state)
{
    static const char *const epsilons[] = {"0.1", "1", "4"};
    custos_rng *rng = NULL;

    (void)state;
    assert_int_equal(custos_rng_new(&rng, NULL), CUSTOS_OK);
    for (size_t i = 0; i < 3; i++) {
        struct shared_noise noise;
        struct server server = {.noise = &noise, .rng = rng};
        double ceiling;
        uint64_t found;

        assert_int_equal(
            shared_noise_init(&noise, QUESTIONS, epsilons[i], "1e-6", NULL),
            CUSTOS_OK);
        assert_int_equal(attack_ceiling(epsilons[i], "1e-6", &ceiling, NULL),
                         CUSTOS_OK);
        found = bits_found(server);
        assert_true(bound_p_low(found, TRIALS * PEOPLE, FALSE_ALARM) <=
                    ceiling);
        shared_noise_clear(&noise);
    }
    custos_rng_free(rng);
}

static void
ceilings_are_right(void **state)
{
    double p;

    (void)state;
    assert_int_equal(attack_ceiling("1", NULL, &p, NULL), CUSTOS_OK);
    assert_true(fabs(p - exp(1) / (1 + exp(1))) < 1e-12);
    assert_int_equal(attack_ceiling("1", "0.01", &p, NULL), CUSTOS_OK);
    assert_true(p <= exp(1) / (1 + exp(1)) + 0.01);
    assert_int_equal(attack_ceiling("-1", NULL, &p, NULL), CUSTOS_ERANGE);
}

/* The folder goes away, whatever happened in it. */
static void
no_folder_is_left(void **state)
{
    struct subsets subsets;
    bool secret[8] = {true};
    struct front_table table = {&subsets, secret, "1", "1e-6"};
    struct front_door door;
    char folder[sizeof door.folder.path];
    custos_err err = CUSTOS_ERR_INIT;
    struct coins coins;

    (void)state;
    coins_seed(&coins, 1, 1);
    assert_int_equal(subsets_init(&subsets, 8, 2, &coins, NULL), CUSTOS_OK);
    assert_int_equal(front_open(&door, getenv("CUSTOS"), &table, &err),
                     CUSTOS_OK);
    snprintf(folder, sizeof folder, "%s", door.folder.path);
    assert_int_equal(access(folder, F_OK), 0);
    front_close(&door);
    assert_int_not_equal(access(folder, F_OK), 0);
    table.epsilon = "nothing";
    assert_int_equal(front_open(&door, getenv("CUSTOS"), &table, &err),
                     CUSTOS_EIO);
    assert_int_equal(door.folder.keeper, 0);
    assert_int_equal(front_open(&door, "/no/such/command", &table, &err),
                     CUSTOS_EIO);
    assert_int_equal(door.folder.keeper, 0);
    subsets_clear(&subsets);
}

static void
store_keeps_its_budget(void **state)
{
    static struct attack_report r;
    const struct attack_row *raw, *custos;

    (void)state;
    run_attack(&attack_reconstruction, getenv("CUSTOS"), &r);
    assert_int_equal(r.n_rows, 6);
    assert_true(r.rows[0].value > 0.95 && r.rows[1].value > 0.95);
    raw = &r.rows[3];
    custos = &r.rows[4];
    /* Exact answers to the same questions would have shown everything. */
    assert_int_equal(raw->hits, raw->n);
    assert_true(bound_p_low(custos->hits, custos->n, FALSE_ALARM) <=
                custos->ceiling);
    /* It answered, and then it refused. */
    assert_true(r.rows[5].value > 100 && r.rows[5].value < 250);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_counts_are_the_table),
        cmocka_unit_test(little_noise_does_not_help),
        cmocka_unit_test(much_noise_helps),
        cmocka_unit_test(budget_is_kept),
        cmocka_unit_test(ceilings_are_right),
        cmocka_unit_test(no_folder_is_left),
        cmocka_unit_test(store_keeps_its_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
