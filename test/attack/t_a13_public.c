/*
 * A13: something in a statement can fail, and private rows decide whether the
 * engine reaches it. In one case the engine's statistics of a private column
 * decided whether an aggregate of public rows failed, which revealed the
 * column's exact maximum. In another, a bad byte late in an attached file was
 * read only if the other side of a join was not empty.
 *
 * Ours: public parts are computed before the charge, by statements that read
 * nothing else; a failure there rejects the query at no cost. custos init
 * decodes files completely, and queries of a file that has changed since are
 * rejected. The twins are the patches of test/mutants that name this test.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attack/pairs.h"
#include "curator/shared_state.h"
#include "engine/duckdb/open.h"
#include "support/said.h"

#define FAR "CAST(beds AS double precision) * 1e35 * 1e35 * 1e35 * 1e35 * 1e35"

static int
begin(void **state)
{
    (void)state;
    test_rng_new_seeded(13);
    pairs_open(&pairs, "errors.txt", PAIRS_SMALL);
    return 0;
}

static void
ask(const char *sql, struct pairs_outcome *out)
{
    static struct pairs_query q;

    snprintf(q.sql, sizeof q.sql, "%s", sql);
    snprintf(q.price, sizeof q.price, "0.01");
    pairs_ask(&pairs, &q, PAIRS_PRESENT, out);
}

static int
tables_left(void)
{
    i128 n = -1;

    assert_int_equal(
        duck_ask_whole(duck_of(pairs.curator->engine)->connections[0],
                       "SELECT count(*) FROM duckdb_tables() "
                       "WHERE database_name = 'temp'",
                       &n, NULL),
        CUSTOS_OK);
    return (int)n;
}

/* Whatever the private rows, the error is the same and free. */
static void
public_parts_fail_above_the_charge(void **state)
{
    static const char *const parts[] = {
        "JOIN (SELECT stddev_pop(" FAR " * 1e35) AS x FROM departments) AS q "
        "ON x > 0 WHERE cost > ",
        "JOIN (SELECT var_samp(" FAR ") AS x FROM departments) AS q ON x > 0 "
        "WHERE cost > ",
        "JOIN (SELECT sum(CAST('99999999999999999999999999999999999' AS "
        "numeric(38,3))) AS x FROM departments) AS q ON x > 0 WHERE cost > ",
        "WHERE nights IN (SELECT floor FROM (SELECT 1 AS floor, beds FROM "
        "departments) AS d GROUP BY floor HAVING stddev_samp(" FAR
        " * 1e35) > 0) AND cost > ",
    };
    /* The greatest cost is 17,100.39: the last limit excludes all rows. */
    static const char *const costs[] = {"0", "17000", "19999.99"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        for (size_t k = 0; k < COUNT_OF(costs); k++) {
            struct pairs_outcome o;
            char sql[512];

            snprintf(sql, sizeof sql, "SELECT count(*) FROM visits %s%s",
                     parts[i], costs[k]);
            ask(sql, &o);
            if (o.status != CUSTOS_EINVAL || o.charges != 0 ||
                !strstr(whole_said(&o.err), "public tables cannot be computed"))
                fail_msg("%s: %d %s (%s)", sql, (int)o.status, o.err.said,
                         o.err.noted);
            assert_int_equal(tables_left(), 0);
        }
}

/* Public parts that can be computed are read, and leave no tables behind. */
static void
public_parts_are_read(void **state)
{
    static const char *const queries[] = {
        "SELECT count(*) FROM visits JOIN (SELECT floor, sum(beds) AS x FROM "
        "departments GROUP BY floor) AS q ON q.floor = visits.nights",
        "SELECT department, count(*) FROM visits JOIN (SELECT max(beds) AS x "
        "FROM departments) AS q ON x > nights GROUP BY department",
        /* with bound selection: several plans */
        "SELECT sum(cost) FROM bills JOIN (SELECT floor, avg(beds) AS x FROM "
        "departments GROUP BY floor) AS q ON q.floor = bills.nights",
        "SELECT max(cost) FROM bills WHERE nights IN (SELECT max(floor) FROM "
        "departments)",
        "SELECT count(*) FROM patients WHERE age IN (SELECT floor FROM "
        "departments GROUP BY floor HAVING sum(beds) > 20 AND floor IN (SELECT "
        "max(floor) FROM departments))",
        "SELECT count(*) FROM visits AS a JOIN (SELECT sum(beds) AS x FROM "
        "departments) AS q ON x > 0 JOIN (SELECT sum(beds) AS x FROM "
        "departments) AS r ON r.x = q.x",
        /* discovered groups of a public value */
        "SELECT x, count(*) FROM visits JOIN (SELECT floor, sum(beds) AS x "
        "FROM departments GROUP BY floor) AS q ON q.floor = visits.nights "
        "GROUP BY x",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct pairs_outcome o;

        ask(queries[i], &o);
        if (o.status || o.charges != 1)
            fail_msg("%s: %s (%s)", queries[i], o.err.said, o.err.noted);
        assert_int_equal(tables_left(), 0);
    }
}

/* ------------------------------------------------------- attached files -- */

enum { CODES = 50000 };

static const char attached[] =
    "custos: 1\nbudget: {epsilon: 100}\n"
    "query: {epsilon: 0.1, max_epsilon: 10}\nanalysts:\n  ana: {}\ntables:\n"
    "  people:\n    source: people.csv\n    unit: id\n"
    "    columns: {id: {type: integer, nullable: false},\n"
    "              code: {type: integer, range: [0, 9]}}\n"
    "  codes:\n    source: codes.csv\n    public: true\n    attach: true\n"
    "    columns: {k: {type: integer}, name: {type: text}}\n"
    "  visits:\n    source: visits.csv\n    unit: id\n    attach: true\n"
    "    rows_per_unit: 1\n"
    "    columns: {id: {type: integer, nullable: false}, name: {type: text}}\n";

/* CODES rows and a last one, which may have a byte that is not UTF-8. */
static void
write_codes(const struct test_store *s, const char *name, const char *head,
            const char *last)
{
    char path[160];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", head);
    for (int i = 0; i < CODES; i++)
        fprintf(f, "%d,n%d\n", i, i);
    fprintf(f, "%d,%s\n", CODES, last);
    assert_int_equal(fclose(f), 0);
}

/* init reads a file to the end, even where the engine would stop early. */
static void
a_file_is_decoded_in_full(void **state)
{
    struct test_store s;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_store_write(&s, attached, "people.csv", "id,code\n1,1\n2,2\n", NULL);
    write_codes(&s, "codes.csv", "k,name", "caf\xe9");
    write_codes(&s, "visits.csv", "id,name", "good");
    assert_int_equal(test_store_try(&s, &err), CUSTOS_EPOLICY);
    assert_non_null(strstr(whole_said(&err), "table 'codes'"));
    assert_non_null(strstr(whole_said(&err), "line 50002"));
    write_codes(&s, "codes.csv", "k,name", "good");
    write_codes(&s, "visits.csv", "id,name", "caf\xe9");
    assert_int_equal(test_store_try(&s, &err), CUSTOS_EPOLICY);
    assert_non_null(strstr(whole_said(&err), "table 'visits'"));
    assert_non_null(strstr(whole_said(&err), "line 50002"));
    write_codes(&s, "visits.csv", "id,name", "good");
    test_store_init(&s);
    test_store_remove(&s);
}

/* A query of a changed file is rejected whoever is in the data, at no cost. */
static void
changed_refused(struct curator *c, const char *table)
{
    static const char *const ids[] = {"1", "9"}; /* present, absent */
    static const char *const queries[] = {
        "SELECT count(*) FROM people JOIN codes ON code = k WHERE id = %s",
        ("SELECT count(*) FROM people WHERE id = %s AND code IN (SELECT max(k) "
         "FROM codes)"),
        "SELECT count(*) FROM visits WHERE id = %s",
    };

    for (size_t i = 0; i < COUNT_OF(queries); i++)
        for (size_t k = 0; k < COUNT_OF(ids); k++) {
            uint64_t before = pairs_charges(c);
            custos_err err = CUSTOS_ERR_INIT;
            char sql[200];

            if (!strstr(queries[i], table))
                continue;
            snprintf(sql, sizeof sql, queries[i], ids[k]);
            assert_int_equal(test_refused(c, "ana", sql, "0.1", &err),
                             CUSTOS_EIO);
            assert_non_null(
                strstr(whole_said(&err), "has changed since custos init"));
            assert_non_null(strstr(whole_said(&err), table));
            assert_int_equal(pairs_charges(c), before);
        }
}

static void
a_changed_file_is_refused(void **state)
{
    struct curator *c = NULL;
    struct test_store s;
    struct stat was;
    struct timespec times[2];
    char path[160];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_store_write(&s, attached, "people.csv", "id,code\n1,1\n2,2\n", NULL);
    write_codes(&s, "codes.csv", "k,name", "good");
    write_codes(&s, "visits.csv", "id,name", "good");
    test_store_init(&s);
    assert_int_equal(curator_open(s.store, &c, &err), CUSTOS_OK);
    answer_free(test_ask(c, "ana", "SELECT count(*) FROM visits", "0.1"));
    answer_free(test_ask(c, "ana",
                         "SELECT count(*) FROM people JOIN codes ON "
                         "code = k",
                         "0.1"));
    snprintf(path, sizeof path, "%s/codes.csv", s.folder);
    assert_int_equal(stat(path, &was), 0);
    write_codes(&s, "codes.csv", "k,name", "caf\xe9"); /* same size */
    changed_refused(c, "codes");
    times[0] = was.st_atim;
    times[1] = was.st_mtim;
    assert_int_equal(truncate(path, was.st_size - 1), 0); /* same time */
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    changed_refused(c, "codes");
    answer_free(test_ask(c, "ana",
                         "SELECT max(length(name), "
                         "contribution_bounds_per_row => (0, 9)) "
                         "FROM visits",
                         "0.1"));
    write_codes(&s, "codes.csv", "k,name", "good");
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0); /* as it was */
    answer_free(test_ask(c, "ana",
                         "SELECT count(*) FROM people JOIN codes ON "
                         "code = k WHERE id < 2",
                         "0.1"));
    snprintf(path, sizeof path, "%s/visits.csv", s.folder);
    assert_int_equal(unlink(path), 0);
    write_codes(&s, "visits.csv", "id,name", "caf\xe9");
    changed_refused(c, "visits");
    curator_close(c);
    test_store_remove(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_parts_fail_above_the_charge),
        cmocka_unit_test(public_parts_are_read),
        cmocka_unit_test(a_file_is_decoded_in_full),
        cmocka_unit_test(a_changed_file_is_refused),
    };

    return cmocka_run_group_tests(tests, begin, pairs_end);
}
