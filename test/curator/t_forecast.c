/*
 * What EXPLAIN says about a question: whether it is free, and what budget it
 * leaves.
 */
#include "curator/curator.h"

#include <stdio.h>

#include "support/hospital.h"
#include "support/support.h"

static const char *const patients = "id,age\n1,30\n2,40\n3,50\n4,20\n";
static const char *const floors = "name,floor\nward,1\nsurgery,2\n";

#define POLICY(query) POLICY_OF("", query)
#define POLICY_OF(people, query)                                               \
    "custos: 1\n"                                                              \
    "budget: {epsilon: 2" people "}\n"                                         \
    "query: {" query "}\n"                                                     \
    "tables:\n"                                                                \
    "  patients:\n"                                                            \
    "    source: patients.csv\n"                                               \
    "    unit: id\n"                                                           \
    "    columns:\n"                                                           \
    "      id: {type: integer, nullable: false}\n"                             \
    "      age: {type: integer, range: [0, 100], nullable: false}\n"           \
    "  floors:\n"                                                              \
    "    public: true\n"                                                       \
    "    source: floors.csv\n"                                                 \
    "    columns: {name: {type: text}, floor: {type: integer}}\n"              \
    "analysts:\n"                                                              \
    "  ana: {budget: {epsilon: 1}}\n"                                          \
    "  bob: {budget: {epsilon: 0.5}, window: {epsilon: 0.25, days: 1}}\n"      \
    "  eve: {}\n"

static struct test_store files;
static struct curator *c;

static void
open_store(const char *policy)
{
    test_rng_new_seeded(9);
    test_store_write(&files, policy, "patients.csv", patients, "floors.csv",
                     floors, NULL);
    test_store_init(&files);
    c = test_open(&files);
}

static void
close_store(void)
{
    curator_close(c);
    c = NULL;
    test_store_remove(&files);
}

static struct forecast
forecast(const char *who, const char *sql, const char *epsilon)
{
    struct forecast f;
    struct answer *a;
    char text[256];

    snprintf(text, sizeof text, "EXPLAIN %s", sql);
    a = test_ask(c, who, text, epsilon);
    assert_true(a->explained);
    f = a->forecast;
    answer_free(a);
    return f;
}

static void
pay(const char *who, const char *sql, const char *epsilon)
{
    answer_free(test_ask(c, who, sql, epsilon));
}

static void
explain_tells_what_is_stored(void **state)
{
    static const char sql[] = "SELECT count(*) FROM patients";
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    open_store(POLICY("epsilon: 0.1"));
    assert_false(forecast("ana", sql, "0.1").stored);
    assert_false(forecast("ana", sql, "0.1").stored); /* nor after EXPLAIN */
    pay("ana", sql, "0.1");
    assert_true(forecast("ana", sql, "0.1").stored);
    assert_true(forecast("ana", "select  COUNT( * ) from patients", "").stored);
    assert_false(forecast("ana", sql, "0.2").stored);
    assert_false(
        forecast("ana", "SELECT count(*) FROM patients WHERE age > 30", "0.1")
            .stored);
    assert_false(forecast("ana", "SELECT name FROM floors", "").stored);
    curator_close(c); /* the ledger remembers it */
    assert_int_equal(curator_open(files.store, &c, &err), CUSTOS_OK);
    assert_true(forecast("ana", sql, "0.1").stored);
    close_store();
}

/*
 * EXPLAIN reveals nothing about other analysts or the owner, even if answers
 * are shared.
 */
static void
explain_tells_nothing_of_others(void **state)
{
    static const char *const policies[] = {
        POLICY("epsilon: 0.1"), POLICY("epsilon: 0.1, share_answers: true")};
    static const char sql[] = "SELECT sum(age) FROM patients";
    struct forecast before, after;

    (void)state;
    for (int i = 0; i < 2; i++) {
        open_store(policies[i]);
        before = forecast("ana", sql, "0.1");
        pay("eve", sql, "0.1");
        pay("", sql, "0.1");
        after = forecast("ana", sql, "0.1");
        assert_false(after.stored);
        assert_true(after.can_pay);
        assert_string_equal(before.after.epsilon, after.after.epsilon);
        pay("ana", sql, "0.1");
        assert_true(forecast("ana", sql, "0.1").stored);
        assert_false(forecast("bob", sql, "0.1").stored);
        close_store();
    }
}

static void
explain_tells_what_is_left_after(void **state)
{
    static const char sql[] = "SELECT avg(age) FROM patients";
    struct forecast f;
    char left[64];

    (void)state;
    open_store(POLICY("epsilon: 0.1, max_epsilon: 2"));
    f = forecast("ana", sql, "0.3");
    assert_true(f.can_pay);
    assert_string_equal(f.after.epsilon, "0.7");
    pay("ana", sql, "0.3");
    assert_string_equal(test_left(c, "ana", left), f.after.epsilon);
    f = forecast("ana", sql, "0.3"); /* free now */
    assert_string_equal(f.after.epsilon, "0.7");
    f = forecast("ana", sql, "0.7");
    assert_true(f.can_pay);
    assert_string_equal(f.after.epsilon, "0");
    assert_false(forecast("ana", sql, "0.71").can_pay);
    assert_false(forecast("bob", sql, "0.26").can_pay); /* exceeds the window */
    f = forecast("bob", sql, "0.2");
    assert_string_equal(f.after.epsilon, "0.05");
    f = forecast("", sql, "1.7"); /* the owner, after ana */
    assert_string_equal(f.after.epsilon, "0");
    assert_false(forecast("", sql, "1.71").can_pay);
    f = forecast("ana", "SELECT name FROM floors", ""); /* public: free */
    assert_true(f.can_pay);
    assert_string_equal(f.after.epsilon, "0.7");
    assert_string_equal(test_left(c, "ana", left), "0.7");
    close_store();
}

/* The warning is the same before and after the charge, on any data, and again
   with the cached answer. */
static void
a_useless_answer_is_announced(void **state)
{
    static const char sql[] = "SELECT count(*) FROM patients";
    static const char said[] = "about 5 people: count(*) will be noise, "
                               "±40 of at most 5 rows\n";
    struct answer *a;

    (void)state;
    open_store(POLICY_OF(", n: 5", "epsilon: 0.1, max_epsilon: 2"));
    a = test_ask(c, "ana", "EXPLAIN SELECT count(*) FROM patients", "");
    assert_string_equal(a->warnings.ptr, said);
    assert_memory_equal(a->cells[a->n_rows - 1].value.text.ptr, "warning    ",
                        11);
    answer_free(a);
    for (int again = 0; again < 2; again++) {
        a = test_ask(c, "ana", sql, "");
        assert_int_equal(a->stored, again);
        assert_string_equal(a->warnings.ptr, said);
        assert_true(a->expected.len > 0);
        answer_free(a);
    }
    close_store();
}

/* Counts its calls, and lets the question go on if ctx says so. */
struct confirmed {
    int calls;
    bool goes_on;
    char text[512];
};

static custos_status
confirm(void *ctx, str warnings, custos_err *err)
{
    struct confirmed *of = ctx;

    of->calls++;
    snprintf(of->text, sizeof of->text, "%.*s", (int)warnings.len,
             warnings.ptr);
    return of->goes_on ? CUSTOS_OK : ask_reject_warned(NULL, warnings, err);
}

static void
a_warned_question_is_stopped_before_its_charge(void **state)
{
    static const char said[] =
        "age > 200 is never true: the public range of age is 0 to 100";
    struct confirmed by = {0};
    struct ask ask = {.who = str_of("ana"),
                      .sql = str_of("SELECT count(*) FROM patients WHERE age > "
                                    "200"),
                      .epsilon = str_of("0.1"),
                      .now = 1,
                      .warned = confirm,
                      .warned_ctx = &by};
    struct answer *a = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct ledger_balance b;

    (void)state;
    open_store(POLICY("epsilon: 0.1"));
    assert_int_equal(curator_answer(c, &ask, &a, &err), CUSTOS_EINVAL);
    assert_string_equal(err.said, said);
    assert_int_equal(by.calls, 1);
    assert_int_equal(ledger_balance(curator_ledger(c), str_of("ana"), &b, &err),
                     CUSTOS_OK);
    assert_int_equal(b.charges, 0);
    by.goes_on = true;
    assert_int_equal(curator_answer(c, &ask, &a, &err), CUSTOS_OK);
    assert_int_equal(by.calls, 2);
    assert_true(strstr(by.text, said) == by.text);
    assert_true(str_equal(a->warnings, str_of(by.text)));
    answer_free(a);
    by.goes_on = false; /* the cached answer is free */
    assert_int_equal(curator_answer(c, &ask, &a, &err), CUSTOS_OK);
    assert_true(a->stored);
    answer_free(a);
    assert_int_equal(by.calls, 2);
    ask.sql = str_of("SELECT count(*) FROM patients WHERE age > 20");
    assert_int_equal(curator_answer(c, &ask, &a, &err), CUSTOS_OK);
    answer_free(a);
    assert_int_equal(by.calls, 2);
    close_store();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explain_tells_what_is_stored),
        cmocka_unit_test(explain_tells_nothing_of_others),
        cmocka_unit_test(explain_tells_what_is_left_after),
        cmocka_unit_test(a_useless_answer_is_announced),
        cmocka_unit_test(a_warned_question_is_stopped_before_its_charge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
