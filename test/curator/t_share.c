/*
 * Handles that share a store: questions from many threads, an import meanwhile,
 * the owner's reload.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "num/ival.h"
#include "support/hospital.h"
#include "support/support.h"

enum { THREADS = 4, EACH = 12 };

#define POLICY(budget, analysts)                                               \
    "custos: 1\nbudget: {epsilon: " budget ", delta: 0}\n"                     \
    "query: {epsilon: 0.01, max_epsilon: 1}\n"                                 \
    "tables:\n  people:\n    source: people.csv\n    unit: row\n"              \
    "    columns: {age: {type: integer, range: [0, 100]}}\n" analysts

static const char policy[] = POLICY("10", "analysts:\n  ann: {}\n");

static struct test_store files;

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv", "age\n10\n20\n30\n", NULL);
    test_store_init(&files);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    test_store_remove(&files);
    return 0;
}

static struct curator *
share(struct curator *c)
{
    struct curator *more = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (curator_share(c, &more, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    return more;
}

static int64_t
count(struct curator *c, const char *epsilon)
{
    struct answer *a =
        test_ask(c, "ann", "SELECT count(*) FROM people", epsilon);
    int64_t n = test_whole(a, 0, 0);

    answer_free(a);
    return n;
}

struct asker {
    pthread_t thread;
    struct curator *c;
    int from;
    int fresh, stored, wrong;
};

/* Asks each question twice in a row; the second time is free. */
static void *
ask_all(void *arg)
{
    struct asker *k = arg;
    char epsilon[32];

    for (int i = 0; i < 2 * EACH; i++) {
        struct ask ask = {.who = str_of("ann"),
                          .sql = str_of("SELECT count(*) FROM people"),
                          .now = 1};
        struct answer *a = NULL;
        custos_err err = CUSTOS_ERR_INIT;

        snprintf(epsilon, sizeof epsilon, "0.01%04d", k->from + i / 2);
        ask.epsilon = str_of(epsilon);
        if (curator_answer(k->c, &ask, &a, &err) || a->stored != i % 2 ||
            a->cells[0].value.n != 3)
            k->wrong++;
        else if (a->stored)
            k->stored++;
        else
            k->fresh++;
        answer_free(a);
    }
    ival_forget_caches();
    return NULL;
}

static void
threads_share_one_curator(void **state)
{
    struct asker askers[THREADS] = {0};
    struct ledger_balance b;
    struct receipt head;
    struct curator *c;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    askers[0].c = test_open(&files);
    for (int i = 1; i < THREADS; i++)
        askers[i].c = share(askers[0].c);
    for (int i = 0; i < THREADS; i++) {
        askers[i].from = i * EACH;
        assert_int_equal(
            pthread_create(&askers[i].thread, NULL, ask_all, &askers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(askers[i].thread, NULL);
        assert_int_equal(askers[i].wrong, 0);
        assert_int_equal(askers[i].fresh, EACH);
        assert_int_equal(askers[i].stored, EACH);
    }
    for (int i = 0; i < THREADS; i++) /* first the one that opened the store */
        curator_close(askers[i].c);
    c = test_open(&files);
    assert_false(ledger_balance(curator_ledger(c), str_of("ann"), &b, &err));
    assert_int_equal(b.charges, THREADS * EACH);
    assert_false(ledger_verify(curator_ledger(c), NULL, &head, &err));
    curator_close(c);
}

static void
write_people(const char *text)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/people.csv", files.folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Every handle uses the new version from its next question on. */
static void
an_import_is_followed(void **state)
{
    struct curator *a, *b, *late;

    (void)state;
    a = test_open(&files);
    b = share(a);
    assert_int_equal(count(a, "0.02"), 3);
    assert_int_equal(count(b, "0.021"), 3);
    write_people("age\n1\n2\n3\n4\n5\n");
    test_store_init(&files);
    late = share(b);
    assert_int_equal(count(a, "0.02"), 5);
    assert_int_equal(count(b, "0.021"), 5);
    assert_int_equal(count(late, "0.022"), 5);
    curator_close(a);
    curator_close(late);
    curator_close(b);
}

/*
 * A new policy is not in force in this process until the reload. Meanwhile the
 * ledger, which already has it, rejects charges under the old one. The reload
 * is a row of the ledger.
 */
static void
a_policy_waits_for_the_reload(void **state)
{
    struct ledger_row *row = NULL;
    arena *memory = arena_new(NULL, 1 << 20);
    struct curator *a, *b;
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 1;

    (void)state;
    a = test_open(&files);
    b = share(a);
    assert_int_equal(count(a, "0.03"), 5);
    test_store_policy(&files,
                      POLICY("10", "analysts:\n  ann: {}\n  bob: {budget: "
                                   "{epsilon: 1}}\n"));
    write_people("age\n1\n2\n3\n4\n5\n6\n");
    test_store_init(&files);
    assert_int_equal(
        test_refused(b, "bob", "SELECT count(*) FROM people", "0.03", &err),
        CUSTOS_ENAME);
    assert_int_equal(
        test_refused(b, "ann", "SELECT count(*) FROM people", "0.04", &err),
        CUSTOS_EPOLICY);
    assert_int_equal(curator_policy(b)->n_analysts, 1);
    assert_int_equal(curator_reload(a, 77, &r, &err), CUSTOS_OK);
    assert_int_equal(curator_refresh(b, &err), CUSTOS_OK);
    assert_int_equal(curator_policy(b)->n_analysts, 2);
    assert_int_equal(count(b, "0.03"), 6);
    assert_int_equal(count(a, "0.04"), 6);
    assert_false(ledger_rows(curator_ledger(a), r.seq, str_of(""), str_of(""),
                             memory, &row, &n, &err));
    assert_true(str_equal(row->kind, str_of("reload")));
    assert_int_equal(row->time, 77);
    curator_interrupt(a); /* no effect: nothing runs */
    assert_int_equal(count(a, "0.05"), 6);
    curator_close(a);
    curator_close(b);
    arena_free(memory);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_one_curator),
        cmocka_unit_test(an_import_is_followed),
        cmocka_unit_test(a_policy_waits_for_the_reload),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
