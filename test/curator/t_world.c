/*
 * The world around the curator fails: answers that cannot be kept.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "curator/curator.h"
#include "support/hospital.h"
#include "support/support.h"

static const char policy[] = "custos: 1\n"
                             "budget: {epsilon: 1}\n"
                             "query: {epsilon: 0.1}\n"
                             "tables:\n"
                             "  people:\n"
                             "    source: people.csv\n"
                             "    unit: id\n"
                             "    columns:\n"
                             "      id: {type: integer, nullable: false}\n"
                             "      age: {type: integer, range: [0, 100]}\n";

static const char people[] = "id,age\n1,20\n2,30\n3,40\n";

static struct test_store files;
static struct curator *c;

static void
reopen(void)
{
    custos_err err;

    curator_close(c);
    c = NULL;
    if (curator_open(files.store, &c, &err))
        fail_msg("%s (%s)", err.said, err.noted);
}

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv", people, NULL);
    test_store_init(&files);
    reopen();
    return 0;
}

static int
end(void **state)
{
    (void)state;
    curator_close(c);
    c = NULL;
    test_store_remove(&files);
    return 0;
}

/* The ledger with a rule of ours; nothing else of it changes. */
static void
ledger_do(const char *sql)
{
    char path[128];
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/ledger.db", files.store);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void
what_cannot_be_kept_is_given(void **state)
{
    static const char sql[] = "SELECT count(*) FROM people";
    struct answer *a;
    char left[64];

    (void)state;
    ledger_do("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT "
              "RAISE(ABORT, 'disk full'); END");
    for (int i = 0; i < 2; i++) {
        a = test_ask(c, "", sql, "0.1");
        assert_int_equal(test_whole(a, 0, 0), 3);
        assert_false(a->stored);
        assert_non_null(strstr(a->remarks.ptr, "asking again will cost again"));
        answer_free(a);
        assert_string_equal(test_left(c, "", left), i ? "0.8" : "0.9");
    }
    ledger_do("DROP TRIGGER full");
    for (int i = 0; i < 2; i++) {
        a = test_ask(c, "", sql, "0.1");
        assert_null(strstr(a->remarks.ptr, "cost again"));
        assert_int_equal(a->stored, i);
        answer_free(a);
    }
    assert_string_equal(test_left(c, "", left), "0.7");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_cannot_be_kept_is_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
