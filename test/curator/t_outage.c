/*
 * Failures around the curator: answers that cannot be stored, attached files
 * that are missing or replaced, an init that ends half way.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "curator/curator.h"
#include "curator/opened.h"
#include "engine/duckdb/duck.h"
#include "support/said.h"
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

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv", people, NULL);
    open_store();
    return 0;
}

/* Runs SQL on the ledger's file, such as adding a trigger. */
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

/* ------------------------------------------------------ attached files -- */

#define FAR(name, source)                                                      \
    "  " name ":\n    source: " source "\n    attach: true\n    unit: id\n"    \
    "    columns: {id: {type: integer}, x: {type: integer, range: [0, 9]}}\n"

static const char attached[] = FAR("a_csv", "far.csv")
    FAR("a_parquet", "far.parquet") FAR("a_base", "far.duckdb");

static const char *const kinds[] = {"csv", "parquet", "duckdb"};
static const char *const tables[] = {"a_csv", "a_parquet", "a_base"};

/* far.csv, far.parquet and far.duckdb, with id and a column of this name. */
static void
write_far(const char *column)
{
    struct duck_connection *dc = NULL;
    struct duck *db = NULL;
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        buf_printf(&b, "%s/far.%s", files.folder, kinds[i]);
        (void)unlink(buf_text(&b));
        buf_clear(&b);
    }
    buf_printf(&b, "%s/far.duckdb", files.folder);
    assert_int_equal(duck_open(buf_text(&b), DUCK_WRITE, &db, NULL), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &dc, NULL), CUSTOS_OK);
    buf_clear(&b);
    buf_printf(&b,
               "CREATE TABLE a_base AS SELECT range AS id, range AS %s FROM "
               "range(4); COPY a_base TO '%s/far.csv' (HEADER); COPY a_base TO "
               "'%s/far.parquet' (FORMAT parquet)",
               column, files.folder, files.folder);
    assert_int_equal(duck_do(dc, buf_text(&b), NULL), CUSTOS_OK);
    duck_disconnect(dc);
    duck_close(db);
    buf_clear(&b);
}

static void
far_refused(const char *says)
{
    char sql[64], before[64], after[64];
    custos_err err = CUSTOS_ERR_INIT;

    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
        test_left(c, "", before);
        assert_int_equal(test_refused(c, "", sql, "0.01", &err), CUSTOS_EIO);
        assert_string_equal(test_left(c, "", after), before);
        assert_non_null(strstr(whole_said(&err), tables[i]));
        assert_non_null(strstr(whole_said(&err), says));
        assert_non_null(strstr(whole_said(&err), "custos init"));
    }
    answer_free(test_ask(c, "", "SELECT count(*) FROM people", "0.01"));
}

static void
an_attached_file_that_is_gone_costs_nothing(void **state)
{
    char text[2048], sql[64], path[128];
    struct answer *a;

    (void)state;
    snprintf(text, sizeof text, "%s%s", policy, attached);
    test_store_policy(&files, text);
    write_far("x");
    open_store();
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        snprintf(sql, sizeof sql, "SELECT sum(x) FROM %s", tables[i]);
        a = test_ask(c, "", sql, "0.01");
        assert_int_equal(test_whole(a, 0, 0), 6);
        answer_free(a);
    }
    write_far("y"); /* another column */
    reopen();
    far_refused("has changed since custos init");
    write_far("x"); /* the same columns, but another file */
    reopen();
    far_refused("has changed since custos init");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        snprintf(path, sizeof path, "%s/far.%s", files.folder, kinds[i]);
        assert_int_equal(unlink(path), 0);
    }
    far_refused("does not exist"); /* while open, and after reopening */
    reopen();
    far_refused("does not exist");
    write_far("x");
    reopen();
    far_refused("has changed since custos init");
    open_store();
    answer_free(test_ask(c, "", "SELECT count(*) FROM a_csv", "0.01"));
}

/* ---------------------------------------------------------------- init -- */

/* The policy with another budget. */
static void
write_budget(const char *epsilon)
{
    const char *from = "epsilon: 1}", *at = strstr(policy, from);
    char text[2048];

    snprintf(text, sizeof text, "%.*sepsilon: %s}%s", (int)(at - policy),
             policy, epsilon, at + strlen(from));
    test_store_policy(&files, text);
}

/* Number of the owner's rows of kind "budget", and the words of the last. */
static int
budget_acts(char words[128])
{
    arena *a = arena_new(NULL, 1 << 20);
    struct ledger_row *rows = NULL;
    size_t n = 100;
    int found = 0;

    assert_int_equal(ledger_rows(curator_ledger(c), 0, str_of(""), str_of(""),
                                 a, &rows, &n, NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < n; i++)
        if (str_equal(rows[i].kind, str_of("budget"))) {
            snprintf(words, 128, "%s", rows[i].words.ptr);
            found++;
        }
    arena_free(a);
    return found;
}

static void
a_change_of_the_budget_is_an_act(void **state)
{
    char words[128] = "", left[64];

    (void)state;
    answer_free(test_ask(c, "", "SELECT count(*) FROM people", "0.1"));
    write_budget("1.0"); /* the same amount */
    open_store();
    assert_int_equal(budget_acts(words), 0);
    write_budget("3");
    open_store();
    assert_int_equal(budget_acts(words), 1);
    assert_string_equal(words, "epsilon 3, delta 0; before epsilon 1.0, "
                               "delta 0");
    assert_string_equal(test_left(c, "", left), "2.9");
    write_budget("0.05"); /* less than was spent */
    open_store();
    assert_int_equal(budget_acts(words), 2);
    assert_string_equal(test_left(c, "", left), "0");
}

/*
 * init ends after it wrote the terms to the ledger and before it replaces the
 * file `current`, as if killed there: the new policy's file cannot be written.
 * Nothing is charged until init runs again, which then completes normally.
 */
static void
an_init_that_ends_half_way_goes_on(void **state)
{
    char path[128], inside[160], left[64], words[128];
    struct receipt head;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    answer_free(test_ask(c, "", "SELECT count(*) FROM people", "0.1"));
    snprintf(path, sizeof path, "%s/policy/3.yaml", files.store);
    snprintf(inside, sizeof inside, "%s/x", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mkdir(inside, 0700), 0);
    write_budget("2");
    assert_int_equal(test_store_try(&files, &err), CUSTOS_EIO);
    reopen();
    assert_string_equal(test_left(c, "", left), "1.9"); /* the new terms */
    assert_int_equal(
        test_refused(c, "", "SELECT sum(age) FROM people", "0.1", &err),
        CUSTOS_EPOLICY);
    assert_non_null(strstr(whole_said(&err), "policy"));
    assert_string_equal(test_left(c, "", left), "1.9");
    assert_int_equal(rmdir(inside), 0);
    assert_int_equal(rmdir(path), 0);
    open_store();
    answer_free(test_ask(c, "", "SELECT sum(age) FROM people", "0.1"));
    assert_string_equal(test_left(c, "", left), "1.8");
    assert_true(budget_acts(words) > 0);
    assert_int_equal(ledger_verify(curator_ledger(c), NULL, &head, &err),
                     CUSTOS_OK);
    snprintf(path, sizeof path, "%s/data/2.duckdb", files.store);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/data/3.duckdb", files.store);
    assert_int_not_equal(access(path, F_OK), 0);
}

/*
 * Imports that finish while a process opens the store: the version it found in
 * force can no longer be read, and another one is in force.
 */
struct imports {
    char policy[128], aside[128], data[128], next[128], current[128];
    unsigned long long version, number; /* of the data and of the policy */
};

static void *
import_twice(void *p)
{
    const struct imports *x = p;
    int fd = open(x->policy, O_WRONLY); /* waits for the reader */
    FILE *f = fopen(x->aside, "w");

    if (fd < 0 || !f || fputs(policy, f) < 0 || fclose(f) ||
        rename(x->aside, x->policy) || rename(x->data, x->next))
        return "the version cannot be removed";
    f = fopen(x->aside, "w");
    if (!f || fprintf(f, "%llu %llu\n", x->version + 1, x->number) < 0 ||
        fclose(f) || rename(x->aside, x->current))
        return "the next cannot come into force";
    close(fd); /* the reader gets nothing */
    return NULL;
}

static void
a_version_that_goes_while_it_is_opened(void **state)
{
    struct imports x = {0};
    pthread_t thread;
    void *fault = NULL;
    FILE *f;

    (void)state;
    curator_close(c);
    c = NULL;
    snprintf(x.current, sizeof x.current, "%s/current", files.store);
    f = fopen(x.current, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%9llu %9llu", &x.version, &x.number), 2);
    fclose(f);
    snprintf(x.policy, sizeof x.policy, "%s/policy/%llu.yaml", files.store,
             x.number);
    snprintf(x.aside, sizeof x.aside, "%s/aside", files.folder);
    snprintf(x.data, sizeof x.data, "%s/data/%llu.duckdb", files.store,
             x.version);
    snprintf(x.next, sizeof x.next, "%s/data/%llu.duckdb", files.store,
             x.version + 1);
    assert_int_equal(unlink(x.policy), 0);
    assert_int_equal(mkfifo(x.policy, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, import_twice, &x), 0);
    reopen();
    pthread_join(thread, &fault);
    if (fault)
        fail_msg("%s", (const char *)fault);
    answer_free(test_ask(c, "", "SELECT count(*) FROM people", "0.1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_cannot_be_kept_is_given),
        TEST(an_attached_file_that_is_gone_costs_nothing),
        TEST(a_change_of_the_budget_is_an_act),
        TEST(an_init_that_ends_half_way_goes_on),
        TEST(a_version_that_goes_while_it_is_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
