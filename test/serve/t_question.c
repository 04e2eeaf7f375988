/*
 * A question as a job: whose it is, is checked again when it runs, however long
 * ago its session began.
 */
#include "support/support.h"

#include "serve/question.h"
#include "support/hospital.h"

static const char policy[] =
    "custos: 1\nbudget: {epsilon: 10, delta: 0}\n"
    "query: {epsilon: 0.01, max_epsilon: 1}\n"
    "tables:\n  people:\n    source: people.csv\n    unit: row\n"
    "    columns: {age: {type: integer, range: [0, 100]}}\n"
    "analysts:\n  ann: {}\n";

static struct test_store files;
static struct curator *curator;

/* Gives ann a new token; an older one is no longer valid. */
static void
token_set(enum credential_change how, char token[CREDENTIAL_TOKEN_MAX])
{
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    if (credential_token_new(token, &err) ||
        credential_set(curator_ledger(curator), str_of("ann"), how, str_of(""),
                       str_of(token), 0, 1, &r, &err))
        fail_msg("%s", err.said);
}

/* Asks as `who`; returns the status and whether the session must end. */
static custos_status
ask_as(const struct credential *who, bool *lost)
{
    struct question q;

    question_init(&q);
    q.who = *who;
    q.ask.sql = str_of("EXPLAIN SELECT count(*) FROM people");
    q.job.work(&q.job, curator);
    *lost = q.lost;
    assert_int_equal(q.answer != NULL, q.status == CUSTOS_OK);
    answer_free(q.answer);
    return q.status;
}

static void
the_revoked_ask_no_more(void **state)
{
    char old[CREDENTIAL_TOKEN_MAX], new[CREDENTIAL_TOKEN_MAX];
    custos_err err = CUSTOS_ERR_INIT;
    struct credential first, second;
    bool lost;

    (void)state;
    token_set(CREDENTIAL_NEW, old);
    assert_int_equal(credential_token(curator, str_of(old), &first, &err),
                     CUSTOS_OK);
    assert_int_equal(ask_as(&first, &lost), CUSTOS_OK);
    assert_false(lost);
    token_set(CREDENTIAL_AGAIN, new);
    assert_int_equal(credential_token(curator, str_of(new), &second, &err),
                     CUSTOS_OK);
    assert_int_equal(ask_as(&first, &lost), CUSTOS_EDENIED);
    assert_true(lost);
    assert_int_equal(ask_as(&second, &lost), CUSTOS_OK);
}

static int
begin(void **state)
{
    (void)state;
    test_store_write(&files, policy, "people.csv", "age\n1\n2\n3\n", NULL);
    test_store_init(&files);
    curator = test_open(&files);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    curator_close(curator);
    test_store_remove(&files);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_revoked_ask_no_more),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
