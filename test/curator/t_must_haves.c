/*
 * The rules of doc/must-haves.md, by number, through the complete curator on
 * DuckDB. That page also names the rules' other tests.
 *
 * Two stores have the same policy and share no values. The tests ask both
 * stores whatever must not depend on the data.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "curator/curator.h"
#include "curator/shared_state.h"
#include "engine/duckdb/open.h"
#include "support/hospital.h"
#include "support/said.h"
#include "support/support.h"

enum { STORES = 2 };

#define TABLES                                                                 \
    "tables:\n"                                                                \
    "  patients:\n"                                                            \
    "    source: patients.csv\n"                                               \
    "    unit: id\n"                                                           \
    "    columns:\n"                                                           \
    "      id: {type: integer, nullable: false}\n"                             \
    "      age: {type: integer, range: [0, 100], nullable: false}\n"           \
    "      city: {type: text, values: [Oslo, Rome]}\n"                         \
    "      weight: {type: real, range: [0, 200]}\n"                            \
    "      born: {type: date}\n"                                               \
    "      note: {type: text}\n"                                               \
    "      income: {type: integer}\n"                                          \
    "      debt: {type: real}\n"                                               \
    "  visits:\n"                                                              \
    "    source: visits.csv\n"                                                 \
    "    unit: patient\n"                                                      \
    "    rows_per_unit: 4\n"                                                   \
    "    groups_per_unit: 2\n"                                                 \
    "    columns:\n"                                                           \
    "      patient: {type: integer, references: patients.id}\n"                \
    "      nights: {type: integer, range: [3, 10], nullable: false}\n"         \
    "      cost: {type: decimal, scale: 2, range: [-50, 5000]}\n"              \
    "  floors:\n"                                                              \
    "    public: true\n"                                                       \
    "    source: floors.csv\n"                                                 \
    "    columns: {name: {type: text}, floor: {type: integer}}\n"

#define ANALYSTS                                                               \
    "analysts:\n"                                                              \
    "  ana: {budget: {epsilon: 6}, tables: {patients: [age, city],\n"          \
    "        floors: [floor]}}\n"                                              \
    "  bob: {budget: {epsilon: 6}}\n"                                          \
    "  eve: {window: {epsilon: 0.2, days: 1}}\n"

#define POLICY                                                                 \
    "custos: 2\n"                                                              \
    "budget: {epsilon: 10, delta: 1e-3, n: 100}\n"                             \
    "query: {epsilon: 0.1, max_epsilon: 6, max_rho: 0.1, delta: "              \
    "1e-9}\n" TABLES ANALYSTS

/* The column `secret` is in the file but not in the policy. */
static const char *const patients[STORES] = {
    "id,age,city,weight,born,note,income,debt,secret\n"
    "1,30,Rome,70.5,1990-02-28,secret,9223372036854775807,1e308,x\n"
    "2,0,Rome,0,2000-02-29,12,-9223372036854775808,-1e308,x\n"
    "3,100,Oslo,200,infinity,,0,0,x\n"
    "4,999,Oslo,,5874897-12-31,2020-13-45,,,x\n"
    "5,20,Paris,inf,0001-01-01 (BC),%_\\,1,1e-320,x\n"
    "6,25,,nan,-infinity,\xc3\xa9\xf0\x9f\x92\x89,-1,nan,x\n"
    "7,-5,Oslo,-11,1969-12-31,1e999,7,inf,x\n",
    "id,age,city,weight,born,note,income,debt,secret\n"
    "8,50,Oslo,60,1980-06-15,plain,5,5,y\n",
};

static const char *const visits[STORES] = {
    "patient,nights,cost\n"
    "1,3,1\n1,4,2\n1,5,3\n1,6,4\n1,7,5\n1,8,6\n1,9,7\n1,10,8\n"
    "2,5,\n"
    "3,6,99999\n3,7,0.01\n"
    ",9,1\n"
    "77,9,1\n",
    "patient,nights,cost\n"
    "8,3,1\n",
};

static const char *const floors = "name,floor\nward,1\nsurgery,2\n";

static struct test_store files[STORES];
static struct curator *c[STORES];

static void
reopen(size_t i)
{
    curator_close(c[i]);
    c[i] = NULL;
    c[i] = test_open(&files[i]);
}

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    for (size_t i = 0; i < STORES; i++) {
        test_store_write(&files[i], POLICY, "patients.csv", patients[i],
                         "visits.csv", visits[i], "floors.csv", floors, NULL);
        test_store_init(&files[i]);
        reopen(i);
    }
    return 0;
}

static int
end(void **state)
{
    (void)state;
    for (size_t i = 0; i < STORES; i++) {
        curator_close(c[i]);
        c[i] = NULL;
        test_store_remove(&files[i]);
    }
    return 0;
}

/* Puts a policy in force in the first store only, with a new data version. */
static void
renew(const char *policy)
{
    curator_close(c[0]);
    c[0] = NULL;
    test_store_policy(&files[0], policy);
    test_store_init(&files[0]);
    reopen(0);
}

static uint64_t
charges(size_t i)
{
    struct ledger_balance b;
    custos_err err = CUSTOS_ERR_INIT;

    assert_false(ledger_balance(curator_ledger(c[i]), str_of(""), &b, &err));
    return b.charges;
}

static custos_status
ask(size_t i, struct ask a, struct answer **out, custos_err *err)
{
    *out = NULL;
    *err = (custos_err)CUSTOS_ERR_INIT;
    a.now = a.now ? a.now : 1;
    return curator_answer(c[i], &a, out, err);
}

/* Both stores reject the question with the same words and no charge. */
static custos_status
refused_alike(struct ask a)
{
    custos_status st = CUSTOS_OK;
    custos_err err[STORES] = {CUSTOS_ERR_INIT, CUSTOS_ERR_INIT};

    for (size_t i = 0; i < STORES; i++) {
        uint64_t before = charges(i);
        struct answer *answer;

        st = ask(i, a, &answer, &err[i]);
        if (!st)
            fail_msg("%s is answered (epsilon %s, within %s)", a.sql.ptr,
                     a.epsilon.ptr, a.within.ptr);
        assert_int_equal(charges(i), before);
    }
    assert_int_equal(err[0].code, err[1].code);
    assert_int_equal(err[0].at, err[1].at);
    assert_string_equal(err[0].said, err[1].said);
    assert_string_equal(err[0].hint, err[1].hint);
    return st;
}

static custos_status
refused(const char *who, const char *sql)
{
    return refused_alike((struct ask){.who = str_of(who), .sql = str_of(sql)});
}

/* ------------------------------------------------------------- rules 1, 2 -- */

static void
rule_1_what_is_not_labelled_does_not_exist(void **state)
{
    static const char *const unknown[] = {
        "SELECT count(secret) FROM patients",
        "SELECT count(*) FROM patients WHERE secret = 'x'",
        "SELECT count(*) FROM patients GROUP BY secret",
        "SELECT count(*) FROM sources",
        "SELECT count(*) FROM people",
        "SELECT count(*) FROM t0",
        "SELECT count(u) FROM patients",
        "SELECT count(*) FROM patients WHERE r = 1",
        "SELECT sum(g3) FROM patients",
        "SELECT count(*) FROM patients WHERE rowid = 0",
    };
    static const char *const statements[] = {
        "SET privacy_noise = false",
        "SET custos.noise = off",
        "SET custos.seed = 1",
        "SET threads = 1",
        "SELECT * FROM patients",
        "SELECT age FROM patients",
        "SELECT max(note) FROM patients",
        "SELECT count(*) FROM patients, visits",
        "SELECT count(*) FROM (SELECT * FROM patients LIMIT 3) t",
        "SELECT count(*) FROM patients WHERE note ~ '(a+)+$'",
        "SELECT count(*) FROM patients WHERE random() < 0.5",
        "SELECT count(*) FROM patients WHERE repeat(note, age) = ''",
        "SELECT count(*) FROM patients WHERE pg_sleep(1) IS NULL",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(unknown); i++)
        assert_int_equal(refused("", unknown[i]), CUSTOS_ENAME);
    for (size_t i = 0; i < COUNT_OF(statements); i++)
        assert_int_equal(refused("", statements[i]), CUSTOS_EUNSUPPORTED);
}

/*
 * Conditions that would fail in other systems on the rows of the first store.
 */
static const char *const oracles[] = {
    "note::int = 1",
    "CAST(note AS double precision) > 0",
    "note::date > date '2000-01-01'",
    "note::boolean",
    "1 / (CASE WHEN note = 'secret' THEN 0 ELSE 1 END) = 1",
    "1.0 / (CASE WHEN note = 'secret' THEN 0 ELSE 1 END) = 1",
    "1 % (CASE WHEN note = 'secret' THEN 0 ELSE 1 END) = 0",
    "income + 1 > 0",
    "income - 1 < 0",
    "-income > 0",
    "abs(income) > 0",
    "income * income > 0",
    "income * 9223372036854775807 > 0",
    "income / -1 > 0",
    "income % -1 = 0",
    "CAST(income AS smallint) > 0",
    "CAST(income AS numeric(5, 2)) > 0",
    "CAST(debt AS integer) > 0",
    "CAST(debt AS numeric(38, 10)) > 0",
    "debt * 1e308 > 0",
    "debt / 1e-300 > 0",
    "debt * 1e308 - debt * 1e308 > 0",
    "round(debt) = 0",
    "round(debt, 10) = 0",
    "floor(debt * 1e308) = 0",
    "width_bucket(debt, 0, 1, 10) = 11",
    "width_bucket(debt * 1e308 - debt * 1e308, 0, 1, 10) = 11",
    "extract(year FROM born) > 2000",
    "extract(week FROM born) > 2",
    "date_trunc('month', born) > date '2000-01-01'",
    "born::timestamp > timestamp '2000-01-01 00:00:00'",
    "CAST(born AS text) = 'x'",
    "born > timestamp '2000-01-01 00:00:00'",
    "length(note) / (length(note) - 6) > 0",
    "substring(note, 2, 3) = 'ecr'",
    "substring(note, -1, 2) = ''",
    "note LIKE '%\\%%'",
    "note LIKE '_\\\\'",
    "upper(note) || lower(note) = ''",
    "note IN ('secret', '12')",
    "CASE WHEN note = 'secret' THEN 1 / (age - 30) ELSE 1 END = 1",
    "age = 30 AND 1 / (age - 30) = 1",
    "coalesce(1 / (age - 30), 1 / age) = 1",
    "nullif(income, -9223372036854775808) / 3 > 0",
    "least(income, debt) > greatest(income, debt)",
};

static void
rule_2_no_row_makes_a_query_fail(void **state)
{
    int answered = 0;
    char sql[256];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(oracles) * 3; i++) {
        struct answer *answer[STORES];
        custos_status st[STORES];
        custos_err err[STORES] = {CUSTOS_ERR_INIT, CUSTOS_ERR_INIT};
        const char *x = oracles[i / 3];

        snprintf(sql, sizeof sql,
                 i % 3 == 0 ? "SELECT count(*) FROM patients WHERE %s"
                 : i % 3 == 1
                     ? "SELECT sum(CASE WHEN %s THEN 1 ELSE 0 END) FROM "
                       "patients"
                     : "SELECT count(*) FROM patients GROUP BY (%s)",
                 x);
        for (size_t k = 0; k < STORES; k++) {
            uint64_t before = charges(k);

            st[k] = ask(
                k, (struct ask){.sql = str_of(sql), .epsilon = str_of("0.001")},
                &answer[k], &err[k]);
            assert_int_not_equal(st[k], CUSTOS_EENGINE);
            assert_int_equal(charges(k) - before, st[k] ? 0 : 1);
        }
        assert_int_equal(st[0], st[1]);
        if (st[0]) {
            assert_string_equal(err[0].said, err[1].said);
            assert_string_equal(err[0].hint, err[1].hint);
            continue;
        }
        assert_int_equal(answer[0]->n_rows, answer[1]->n_rows);
        answered++;
        answer_free(answer[0]);
        answer_free(answer[1]);
    }
    assert_true(answered > (int)COUNT_OF(oracles) * 2);
    refused("", "SELECT count(*) FROM patients WHERE note LIKE 'secret\\'");
}

/* ------------------------------------------------------------- rules 7, 8 -- */

static void
rule_7_nothing_counts_as_zero(void **state)
{
    struct answer *a = test_ask(
        c[0], "",
        "SELECT city, count(*), sum(age), sum(weight), count(weight) FROM "
        "patients WHERE age < 0 GROUP BY city",
        "");

    (void)state;
    assert_int_equal(a->n_rows, 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 1; k < 5; k++) {
            const struct datum *d = &a->cells[i * 5 + k].value;

            assert_true(d->type != TYPE_NULL && d->n == 0);
        }
    answer_free(a);
}

/* The probability that half of the groups have a noise of 0 is below 10^-40. */
static void
rule_7_empty_groups_have_noise(void **state)
{
    struct answer *a;
    int noisy = 0;

    (void)state;
    test_rng_new_seeded(9);
    reopen(1);
    a = test_ask(c[1], "",
                 "SELECT age, count(*), sum(age), count(distinct id) FROM "
                 "patients GROUP BY age",
                 "0.1");
    assert_int_equal(a->n_rows, 101);
    for (size_t i = 0; i < 101; i++)
        noisy += test_whole(a, i, 1) != 0 && test_whole(a, i, 2) != 0 &&
                 test_whole(a, i, 3) != 0;
    assert_true(noisy > 50);
    answer_free(a);
}

static void
rule_8_groups_are_public_or_chosen_and_in_order(void **state)
{
    static const char *const queries[] = {
        "SELECT city, count(*) FROM patients GROUP BY city",
        "SELECT city, age, count(*) FROM patients GROUP BY 2, 1",
        ("SELECT nights, sum(cost) FROM visits WHERE patient = 1 GROUP BY "
         "nights"),
        "SELECT age > 50, count(*) FROM patients GROUP BY 1",
        "SELECT upper(city), count(*) FROM patients GROUP BY 1",
        /* groups of too few people: none is shown */
        "SELECT note, count(*) FROM patients GROUP BY note",
        "SELECT income, count(*) FROM patients GROUP BY income",
        "SELECT born, count(*) FROM patients GROUP BY born",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct answer *a = test_ask(c[0], "", queries[i], "");
        struct answer *b = test_ask(c[1], "", queries[i], "");

        assert_int_equal(a->n_rows, b->n_rows);
        for (size_t k = 0; k < a->n_rows * a->n_columns; k++)
            if (a->columns[k % a->n_columns].is_key) {
                const struct datum *x = &a->cells[k].value;

                assert_int_equal(x->type, b->cells[k].value.type);
                assert_true(x->type == TYPE_NULL ||
                            datum_cmp(x, &b->cells[k].value) == 0);
            }
        answer_free(a);
        answer_free(b);
    }
    refused("", "SELECT id, count(*) FROM patients GROUP BY id");
    refused("", "SELECT weight, count(*) FROM patients GROUP BY weight");
}

/* ---------------------------------------------------- rules 9, 15, 16, 23 -- */

static void
ruin_data(size_t i)
{
    char path[128];
    struct stat is;
    int fd;

    snprintf(path, sizeof path, "%s/data/1.duckdb", files[i].store);
    fd = open(path, O_WRONLY);
    assert_true(fd >= 0 && fstat(fd, &is) == 0);
    for (off_t at = 3 * 4096; at < is.st_size; at += 512) {
        char zeros[512] = {0};

        assert_true(pwrite(fd, zeros, sizeof zeros, at) == sizeof zeros);
    }
    assert_int_equal(close(fd), 0);
}

static bool
same_text(const struct answer *a, const struct answer *b)
{
    bool same = a->n_rows == b->n_rows && a->n_columns == b->n_columns;

    for (size_t i = 0; same && i < a->n_rows * a->n_columns; i++)
        same = str_equal(a->cells[i].value.text, b->cells[i].value.text);
    return same;
}

/* EXPLAIN says the same if the data is overwritten, so it does not read it. */
static void
rule_9_explain_reads_no_data(void **state)
{
    static const char *const queries[] = {
        "EXPLAIN SELECT city, avg(weight), sum(age) FROM patients WHERE note "
        "LIKE 's%' GROUP BY city",
        "EXPLAIN SELECT nights, sum(cost), count(distinct patient) FROM visits "
        "GROUP BY nights",
    };

    (void)state;
    ruin_data(1);
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct answer *a = test_ask(c[0], "", queries[i], "");
        struct answer *b = test_ask(c[1], "", queries[i], "");

        assert_true(a->explained && b->explained && same_text(a, b));
        answer_free(a);
        answer_free(b);
    }
    assert_int_equal(charges(0) + charges(1), 0);
}

static void
rule_16_prices_and_plans_are_public(void **state)
{
    struct {
        const char *sql, *within;
        bool jointly;
    } asked[] = {
        {"SELECT count(*) FROM patients", "10", false},
        {"SELECT city, sum(age) FROM patients GROUP BY city", "900", true},
        {"SELECT city, avg(age) FROM patients GROUP BY city", "", false},
        {"SELECT variance(cost) FROM visits WHERE nights > 5", "", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        struct ask q = {.sql = str_of(asked[i].sql),
                        .within = str_of(asked[i].within),
                        .jointly = asked[i].jointly};
        struct answer *a = NULL, *b = NULL;
        custos_err err = CUSTOS_ERR_INIT;

        if (ask(0, q, &a, &err) || ask(1, q, &b, &err))
            fail_msg("%s", err.said);
        assert_true(str_equal(a->epsilon, b->epsilon));
        assert_true(str_equal(a->rho, b->rho));
        assert_true(str_equal(a->delta, b->delta));
        assert_true(str_equal(a->remarks, b->remarks));
        answer_free(a);
        answer_free(b);
    }
    /* without a public size, the price of this accuracy is not public */
    refused_alike((struct ask){.sql = str_of("SELECT avg(age) FROM patients"),
                               .within = str_of("1")});
    refused_alike(
        (struct ask){.sql = str_of("SELECT variance(age) FROM patients"),
                     .within = str_of("1")});
}

/*
 * Stores with seven people and with one have the same chain except for hashes
 * and times.
 */
static void
rule_23_the_ledger_knows_nothing_of_the_data(void **state)
{
    struct ledger_row *rows[STORES];
    arena *a = arena_new(NULL, 1 << 22);
    size_t n[STORES] = {100, 100};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < STORES; i++) {
        answer_free(test_ask(
            c[i], "", "SELECT city, count(*) FROM patients GROUP BY city", ""));
        answer_free(test_ask(c[i], "bob", "SELECT sum(cost) FROM visits", ""));
        assert_false(ledger_rows(curator_ledger(c[i]), 0, str_of(""),
                                 str_of(""), a, &rows[i], &n[i], &err));
    }
    assert_int_equal(n[0], n[1]);
    assert_true(n[0] >= 4);
    for (size_t i = 0; i < n[0]; i++) {
        const struct ledger_row *x = &rows[0][i], *y = &rows[1][i];

        assert_true(str_equal(x->kind, y->kind));
        assert_true(str_equal(x->query, y->query));
        assert_true(str_equal(x->plan, y->plan));
        assert_true(str_equal(x->theorems, y->theorems));
        assert_true(str_equal(x->words, y->words));
        assert_true(str_equal(x->epsilon, y->epsilon));
        assert_int_equal(x->data_version, y->data_version);
        assert_int_equal(x->seq, y->seq);
        assert_memory_equal(x->policy, y->policy, sizeof x->policy);
    }
    arena_free(a);
}

/* ------------------------------------------------------------ rules 10, 20 -- */

static void
rule_10_prices_are_capped_by_the_policy(void **state)
{
    static const char *const epsilons[] = {"NaN",
                                           "nan",
                                           "Inf",
                                           "-Inf",
                                           "infinity",
                                           "-1",
                                           "0",
                                           "0.0",
                                           "-0",
                                           "6.1",
                                           "1e999",
                                           "0x10",
                                           "1/0",
                                           " ",
                                           "1e-999999999",
                                           "6.000000000000000000000000000001"};
    static const char *const queries[] = {
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0) count(*) FROM "
        "patients",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = -1) count(*) FROM "
        "patients",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = NaN) count(*) FROM "
        "patients",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 7) count(*) FROM "
        "patients",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 1e-8) count(*) FROM "
        "patients",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 1) count(*) FROM "
        "patients",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(seed = 1) count(*) FROM "
        "patients",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(noise = 0) count(*) FROM "
        "patients",
        "SELECT count(*, epsilon => 7) FROM patients",
        "SELECT count(*, epsilon => 0) FROM patients",
        "SELECT count(*, epsilon => -1) FROM patients",
        "SELECT count(*, epsilon => 4), sum(age, epsilon => 4) FROM patients",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 5) "
        "count(*) FROM visits",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 3) "
        "nights, count(*) FROM visits GROUP BY nights",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 0) "
        "count(*) FROM visits",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 2) "
        "count(*) FROM patients",
    };
    static const char *const widths[] = {"0", "-1", "NaN", "Inf", "1e-9"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(epsilons); i++)
        refused_alike(
            (struct ask){.sql = str_of("SELECT count(*) FROM patients"),
                         .epsilon = str_of(epsilons[i])});
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        refused("", queries[i]);
    for (size_t i = 0; i < COUNT_OF(widths); i++)
        refused_alike((struct ask){.sql = str_of("SELECT count(*) FROM visits"),
                                   .within = str_of(widths[i])});
}

static void
rule_20_limits_are_the_owners(void **state)
{
    static const char *const statements[] = {
        "SET statement_timeout = 1",
        "SET memory_limit = '1MB'",
        "SET custos.timeout = 1",
        "SET enable_external_access = true",
        "RESET ALL",
        "PRAGMA memory_limit = '1MB'",
        "SELECT set_config('memory_limit', '1MB', false)",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(statements); i++)
        refused("", statements[i]);
}

/* -------------------------------------------------------- rules 11, 13, 14 -- */

/*
 * A question reads one version: a question that began before an import uses the
 * old version to its end, and the next question uses the new one.
 */
static void
rule_11_one_snapshot(void **state)
{
    struct curator *old = c[0];
    struct engine *running = NULL;
    char path[128];
    struct answer *a;
    i128 rows = 0;
    FILE *f;

    (void)state;
    snprintf(path, sizeof path, "%s/patients.csv", files[0].folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(patients[1], f);
    fclose(f);
    c[0] = NULL;
    assert_false(curator_refresh(old, NULL));
    assert_false(engine_share(old->engine, &running, NULL));
    test_store_init(&files[0]);
    reopen(0);
    a = test_ask(c[0], "", "SELECT count(*), sum(age) FROM patients", "");
    assert_int_equal(test_whole(a, 0, 0), 1);
    assert_int_equal(test_whole(a, 0, 1), 50);
    answer_free(a);
    a = test_ask(old, "", "SELECT count(*), sum(age) FROM patients", "");
    assert_true(a->stored);
    assert_int_equal(test_whole(a, 0, 0), 1);
    assert_int_equal(test_whole(a, 0, 1), 50);
    answer_free(a);
    assert_int_equal(engine_version(old->engine), engine_version(running) + 1);
    assert_false(duck_ask_whole(duck_of(running)->connections[0],
                                "SELECT count(*) FROM t0", &rows, NULL));
    assert_int_equal((int)rows, 7);
    engine_close(running);
    curator_close(old);
}

static void
rule_13_the_key_is_all_of_the_question(void **state)
{
    static const struct ask asked[] = {
        {.sql = {"SELECT count(*) FROM visits", 27}},
        {.sql = {"SELECT count(*) FROM visits", 27}, .within = {"40", 2}},
        {.sql = {"SELECT count(*) FROM visits", 27},
         .within = {"40", 2},
         .jointly = true},
        {.who = {"bob", 3}, .sql = {"SELECT count(*) FROM visits", 27}},
        {.sql = {"SELECT count(*) AS n FROM visits", 32}},
        {.sql = {"SELECT count(nights) FROM visits", 32}},
        {.sql = {"SELECT WITH DIFFERENTIAL_PRIVACY "
                 "OPTIONS(max_rows_contributed = 1) count(*) FROM visits",
                 87}},
        {.sql = {"SELECT WITH DIFFERENTIAL_PRIVACY "
                 "OPTIONS(max_rows_contributed = 2) count(*) FROM visits",
                 87}},
        {.sql = {"SELECT count(*, epsilon => 0.1) FROM visits", 43}},
        {.sql = {"SELECT count(*) FROM visits", 27}, .rho = {"0.001", 5}},
        {.sql = {"SELECT count(*) FROM visits", 27}, .rho = {"0.0011", 6}},
        {.sql = {"SELECT count(*) FROM visits WHERE nights > 3", 44}},
        {.sql = {"SELECT count(*) FROM visits WHERE nights > '3'", 46}},
        {.sql = {"SELECT count(*) FROM visits WHERE nights >= 3", 45}},
        /* equal as canonical texts */
        {.sql = {"SELECT percentile_cont(ARRAY[0.25, 0.5]) WITHIN GROUP "
                 "(ORDER BY nights) AS q FROM visits",
                 88}},
        {.sql = {"SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY nights) "
                 "AS \"q[1]\", percentile_cont(0.5) WITHIN GROUP (ORDER BY "
                 "nights) AS \"q[2]\" FROM visits",
                 144}},
        {.sql = {"SELECT percentile_cont(ARRAY[0.25]) WITHIN GROUP (ORDER BY "
                 "nights) AS q, percentile_cont(0.5) WITHIN GROUP (ORDER BY "
                 "nights) AS \"q[2]\" FROM visits",
                 146}},
    };

    (void)state;
    test_rng_new_seeded(13); /* quantiles cannot be drawn from zeros */
    reopen(0);
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < COUNT_OF(asked); i++) {
            struct answer *a;
            custos_err err = CUSTOS_ERR_INIT;

            assert_int_equal(asked[i].sql.len, strlen(asked[i].sql.ptr));
            if (ask(0, asked[i], &a, &err))
                fail_msg("%s: %s (%s)", asked[i].sql.ptr, err.said, err.noted);
            assert_int_equal(a->stored, again);
            answer_free(a);
        }
    test_rng_new_silent();
    reopen(0);
}

/* Any change makes a new policy, even if it does not affect the query. */
static void
rule_13_a_new_policy_asks_anew(void **state)
{
    uint64_t before;
    struct answer *a;

    (void)state;
    answer_free(test_ask(c[0], "", "SELECT count(*) FROM patients", ""));
    before = charges(0);
    renew("# the owner thought again\n" POLICY);
    assert_int_equal(charges(0), before);
    a = test_ask(c[0], "", "SELECT count(*) FROM patients", "");
    assert_false(a->stored);
    assert_int_equal(charges(0), before + 1);
    answer_free(a);
}

/*
 * An analyst who gets a shared answer pays for it once, from their own budget.
 */
static void
rule_13_shared_answers_cost_who_asks(void **state)
{
    static const char sql[] = "SELECT count(*) FROM patients";
    char before[64], left[64];
    struct answer *a, *b;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_rng_new_seeded(4);
    renew("custos: 1\nbudget: {epsilon: 10}\n"
          "query: {max_epsilon: 6, share_answers: true}\n" TABLES ANALYSTS);
    a = test_ask(c[0], "ana", sql, "4");
    test_left(c[0], "", before);
    assert_string_equal(before, "6");
    for (int again = 0; again < 2; again++) {
        b = test_ask(c[0], "bob", sql, "4");
        /* remarks name the unit, which only bob may know: not shared */
        assert_int_equal(b->stored, again);
        answer_free(b);
    }
    assert_string_equal(test_left(c[0], "", left), "2");
    b = test_ask(c[0], "eve", sql, "0.2");
    answer_free(b);
    answer_free(a);
    a = test_ask(c[0], "", "SELECT sum(age) FROM patients", "1");
    test_left(c[0], "", before);
    for (int again = 0; again < 2; again++) {
        b = test_ask(c[0], "bob", "SELECT sum(age) FROM patients", "1");
        assert_int_equal(b->stored, again);
        assert_true(a->cells[0].value.n == b->cells[0].value.n);
        answer_free(b);
        assert_string_equal(test_left(c[0], "", left), before);
    }
    answer_free(a);
    a = test_ask(c[0], "", "SELECT avg(age) FROM patients", "0.5");
    answer_free(a);
    b = test_ask(c[0], "bob", "SELECT avg(age) FROM patients", "0.5");
    answer_free(b);
    /* bob has spent 4 + 1 + 0.5 of 6, and the common budget has 0.3 left */
    a = test_ask(c[0], "", "SELECT count(*) FROM visits", "0.3");
    answer_free(a);
    b = test_ask(c[0], "bob", "SELECT count(*) FROM visits", "0.3");
    answer_free(b);
    assert_string_equal(test_left(c[0], "", left), "0");
    assert_int_equal(test_refused(c[0], "bob", sql, "0.3", &err),
                     CUSTOS_ESPENT);
    assert_non_null(strstr(whole_said(&err), "own"));
    assert_false(ledger_verify(curator_ledger(c[0]), NULL, NULL, &err));
}

/* Even if analysts have budget left, they cannot exceed the common one. */
static void
rule_14_who_shares_has_one_budget(void **state)
{
    static const char *const sql[] = {"SELECT count(*) FROM patients",
                                      "SELECT sum(age) FROM patients",
                                      "SELECT avg(age) FROM patients"};
    custos_err err = CUSTOS_ERR_INIT;
    char left[64];

    (void)state;
    renew("custos: 1\nbudget: {epsilon: 10}\n"
          "query: {max_epsilon: 6}\n" TABLES ANALYSTS);
    answer_free(test_ask(c[0], "ana", sql[0], "6"));
    answer_free(test_ask(c[0], "bob", sql[0], "4"));
    assert_string_equal(test_left(c[0], "", left), "0");
    for (int i = 1; i < 3; i++) {
        assert_int_equal(test_refused(c[0], "bob", sql[i], "0.000000001", &err),
                         CUSTOS_ESPENT);
        assert_int_equal(test_refused(c[0], "", sql[i], "0.000000001", &err),
                         CUSTOS_ESPENT);
    }
}

/* After a table is renamed and imported again, what was spent stays spent. */
static void
rule_14_a_renamed_table_keeps_its_ledger(void **state)
{
    char before[64], after[64];
    uint64_t n;

    (void)state;
    answer_free(test_ask(c[0], "", "SELECT count(*) FROM patients", "5"));
    test_left(c[0], "", before);
    n = charges(0);
    renew("custos: 1\n"
          "budget: {epsilon: 10, delta: 1e-3, n: 100}\n"
          "query: {epsilon: 0.1, max_epsilon: 6, delta: 1e-9}\n"
          "tables:\n"
          "  people:\n"
          "    source: patients.csv\n"
          "    unit: id\n"
          "    columns: {id: {type: integer}}\n");
    assert_string_equal(test_left(c[0], "", after), before);
    assert_int_equal(charges(0), n);
}

/* Setting the clock back refunds nothing. */
static void
rule_14_a_window_slows_down_and_refills_nothing(void **state)
{
    const int64_t day = (int64_t)86400 * 1000000;
    const int64_t times[] = {10 * day,     10 * day + 1, 9 * day, 0,
                             11 * day - 1, 11 * day + 2, -5 * day};
    const bool granted[] = {true, true, false, false, false, true, false};
    char before[64], after[64], sql[80];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        struct ask a = {.who = str_of("eve"),
                        .epsilon = str_of("0.1"),
                        .now = times[i] ? times[i] : 1};
        struct answer *answer;
        custos_err err = CUSTOS_ERR_INIT;

        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM patients WHERE age > %zu", i);
        a.sql = str_of(sql);
        test_left(c[0], "", before);
        assert_int_equal(ask(0, a, &answer, &err),
                         granted[i] ? CUSTOS_OK : CUSTOS_ESPENT);
        test_left(c[0], "", after);
        assert_int_equal(!strcmp(before, after), !granted[i]);
        answer_free(answer);
    }
}

/* ----------------------------------------------------------------- rule 22 -- */

static void
rule_22_what_is_not_granted_is_not_there(void **state)
{
    static const char *const queries[] = {
        "SELECT sum(weight) FROM patients",
        "SELECT count(weight) FROM patients",
        "SELECT count(*) FROM patients WHERE weight > 70",
        "SELECT count(*) FROM patients p WHERE p.weight > 70",
        "SELECT count(*) FROM patients GROUP BY weight > 70",
        "SELECT weight > 70, count(*) FROM patients GROUP BY 1",
        "SELECT count(*) FROM patients ORDER BY weight",
        "SELECT count(*) AS n FROM patients ORDER BY sum(weight)",
        "SELECT count(*) FROM patients HAVING sum(weight) > 3",
        "SELECT sum(CASE WHEN weight > 70 THEN 1 ELSE 0 END) FROM patients",
        "SELECT count(DISTINCT id) FROM patients",
        "SELECT count(*) FROM patients WHERE id = 1",
        "SELECT count(*) FROM patients WHERE \"weight\" > 70",
        "SELECT count(*) FROM visits",
        "SELECT name FROM floors",
        "SELECT floor FROM floors ORDER BY name",
        "SELECT floor FROM floors WHERE name = 'ward'",
        "SELECT floors.name FROM floors",
    };
    struct answer *a;
    char sql[128];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries) * 2; i++) {
        custos_err err = CUSTOS_ERR_INIT;

        snprintf(sql, sizeof sql, "%s%s", i % 2 ? "EXPLAIN " : "",
                 queries[i / 2]);
        if (test_refused(c[0], "ana", sql, "", &err) != CUSTOS_ENAME)
            fail_msg("%s: %s", sql, err.said);
    }
    refused("ana", "SELECT count(*), DP_INTERVAL_LOW(weight) FROM patients");
    a = test_ask(c[0], "ana", "SELECT * FROM floors", "");
    assert_int_equal(a->n_columns, 1);
    assert_true(str_equal(a->columns[0].name, str_of("floor")));
    answer_free(a);
    assert_int_equal(charges(0), 0);
}

/* ------------------------------------------------------ rules 3, 5, 21, 24 -- */

/*
 * A person with many rows in many groups counts with at most four rows, in at
 * most two groups.
 */
static void
rule_5_heavy_units_are_bounded(void **state)
{
    struct answer *a = test_ask(c[0], "",
                                "SELECT nights, count(*), count(distinct "
                                "patient) FROM visits GROUP BY nights",
                                "");
    int64_t rows = 0, units = 0;

    (void)state;
    for (size_t i = 0; i < a->n_rows; i++) {
        rows += test_whole(a, i, 1);
        units += test_whole(a, i, 2);
    }
    /* one row in each group: two of patient 1, one of 2, two of 3 */
    assert_int_equal(rows, 2 + 1 + 2);
    assert_int_equal(units, 2 + 1 + 2);
    answer_free(a);
    a = test_ask(c[0], "",
                 "SELECT count(*), count(cost), sum(cost) FROM visits WHERE "
                 "patient = 3",
                 "");
    assert_int_equal(test_whole(a, 0, 0), 2);
    assert_true(a->cells[2].value.n == 500001); /* 5000 and 0.01 */
    answer_free(a);
}

#define PEOPLE(unit)                                                           \
    "custos: 1\nbudget: {epsilon: 10, delta: 1e-3, n: 100}\n"                  \
    "tables:\n"                                                                \
    "  patients:\n"                                                            \
    "    source: patients.csv\n"                                               \
    "    " unit "\n"                                                           \
    "    columns: {id: {type: integer}, income: {type: integer}}\n"

/*
 * The unit of a table cannot change, not even if a policy without the table was
 * in force in between, and the table cannot become public.
 */
static void
rule_24_units_do_not_change_step_by_step(void **state)
{
    static const char *const others[] = {
        PEOPLE("unit: row"), PEOPLE("unit: income"), PEOPLE("public: true")};
    static const char without[] =
        "custos: 1\nbudget: {epsilon: 10, delta: 1e-3, n: 100}\n"
        "tables:\n"
        "  others:\n"
        "    source: patients.csv\n"
        "    unit: id\n"
        "    columns: {id: {type: integer}}\n";
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (int round = 0; round < 2; round++) {
        curator_close(c[0]);
        c[0] = NULL;
        for (size_t i = 0; i < COUNT_OF(others); i++) {
            test_store_policy(&files[0], others[i]);
            assert_int_equal(test_store_try(&files[0], &err), CUSTOS_EPOLICY);
            assert_non_null(strstr(whole_said(&err), "cannot change"));
        }
        renew(without);
    }
    renew(PEOPLE("unit: id"));
}

/*
 * If the first import failed, nothing was asked and the unit may still change.
 */
static void
rule_24_a_store_without_data_takes_any_unit(void **state)
{
    struct test_store s;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_store_write(&s, PEOPLE("unit: row"), NULL);
    assert_int_not_equal(test_store_try(&s, &err), CUSTOS_OK);
    test_store_remove(&s);
    test_store_write(&s, PEOPLE("unit: row"), "patients.csv", "id\n1\n", NULL);
    assert_int_not_equal(test_store_try(&s, &err), CUSTOS_OK);
    test_store_policy(&s, PEOPLE("unit: id"));
    assert_int_not_equal(test_store_try(&s, &err), CUSTOS_OK);
    assert_null(strstr(whole_said(&err), "cannot change"));
    test_store_remove(&s);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(rule_1_what_is_not_labelled_does_not_exist),
        TEST(rule_2_no_row_makes_a_query_fail),
        TEST(rule_5_heavy_units_are_bounded),
        TEST(rule_7_nothing_counts_as_zero),
        TEST(rule_7_empty_groups_have_noise),
        TEST(rule_8_groups_are_public_or_chosen_and_in_order),
        TEST(rule_9_explain_reads_no_data),
        TEST(rule_10_prices_are_capped_by_the_policy),
        TEST(rule_11_one_snapshot),
        TEST(rule_13_the_key_is_all_of_the_question),
        TEST(rule_13_a_new_policy_asks_anew),
        TEST(rule_13_shared_answers_cost_who_asks),
        TEST(rule_14_who_shares_has_one_budget),
        TEST(rule_14_a_renamed_table_keeps_its_ledger),
        TEST(rule_14_a_window_slows_down_and_refills_nothing),
        TEST(rule_16_prices_and_plans_are_public),
        TEST(rule_20_limits_are_the_owners),
        TEST(rule_22_what_is_not_granted_is_not_there),
        TEST(rule_23_the_ledger_knows_nothing_of_the_data),
        TEST(rule_24_units_do_not_change_step_by_step),
        TEST(rule_24_a_store_without_data_takes_any_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
