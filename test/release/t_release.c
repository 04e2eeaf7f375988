/*
 * Releases from a store: what is refused costs nothing, what is given was charged
 * before the rows were read, and the same request is free.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/fields.h"
#include "release/release.h"
#include "store/file.h"
#include "support/hospital.h"
#include "support/said.h"
#include "support/support.h"
#include "synopsis/synopsis.h"
#include "synth/price.h"

#define POLICY_TABLES                                                          \
    "custos: 2\nadjacency: add-remove\n"                                       \
    "budget: {epsilon: 10, delta: 1e-5, n: 1000}\n"                            \
    "query: {epsilon: 0.1, delta: 1e-9, max_epsilon: 200, max_rho: 200, "      \
    "min_epsilon: 0, min_rho: 0}\n"                                            \
    "tables:\n"                                                                \
    "  people:\n    source: people.csv\n    unit: id\n"                        \
    "    max_rows: 400\n    columns:\n"                                        \
    "      id: {type: integer, nullable: false}\n"                             \
    "      age: {type: integer, range: [0, 120]}\n"                            \
    "      city: {type: text, values: [Oslo, Rome], nullable: false}\n"        \
    "      smoker: {type: boolean}\n"                                          \
    "      day: {type: date, range: [2024-01-01, 2025-12-31]}\n"               \
    "      pay: {type: decimal, scale: 2, range: [0, 1000]}\n"                 \
    "      note: {type: text}\n"                                               \
    "      born: {type: integer}\n"                                            \
    "  visits:\n    source: visits.csv\n    unit: id\n    rows_per_unit: 2\n"  \
    "    columns:\n"                                                           \
    "      id: {type: integer, references: people.id}\n"                       \
    "      kind: {type: text, values: [a, b, c]}\n"                            \
    "  trips:\n    source: visits.csv\n    unit: id\n    rows_per_unit: 3\n"   \
    "    columns:\n"                                                           \
    "      id: {type: integer, references: people.id}\n"                       \
    "      kind: {type: text, references: cities.city, values: [a, b, c]}\n"   \
    "  calls:\n    source: visits.csv\n    unit: id\n    columns:\n"           \
    "      id: {type: integer}\n"                                              \
    "      kind: {type: text, values: [a, b, c]}\n"                            \
    "  homes:\n    source: people.csv\n    unit: id\n"                         \
    "    rows_per_unit: 1\n    columns:\n"                                     \
    "      id: {type: integer}\n"                                              \
    "      age: {type: integer, range: [0, 120]}\n"                            \
    "      city: {type: text, values: [Oslo, Rome], nullable: false}\n"        \
    "      smoker: {type: boolean}\n"                                          \
    "      pay: {type: decimal, scale: 2, range: [0, 1000]}\n"                 \
    "    constraints:\n"                                                       \
    "      - age >= 15 OR smoker = false\n"                                    \
    "      - city <> 'Rome' OR age < 50\n"                                     \
    "      - city <> 'Rome' OR pay < 40\n"                                     \
    "  cities:\n    public: true\n    source: cities.csv\n"                    \
    "    columns: {city: {type: text, values: [Oslo, Rome]}}\n"

static const char POLICY[] = POLICY_TABLES
    "views:\n"
    "  stays: {sql: 'SELECT v.id AS id, v.kind AS kind, p.city AS city FROM "
    "visits v JOIN people p ON v.id = p.id'}\n"
    "  flats: {sql: 'SELECT v.kind, h.age, h.city, h.smoker FROM visits v "
    "JOIN homes h ON v.id = h.id WHERE h.age > 0'}\n"
    "  maybe_flats: {sql: 'SELECT v.kind, h.age, h.city, h.smoker, h.age + 1 "
    "AS next FROM visits v LEFT JOIN homes h ON v.id = h.id'}\n"
    "  twins: {sql: 'SELECT age AS \"Age\", smoker, age FROM people'}\n"
    "  wide: {sql: 'SELECT t.kind, p.age, p.city, p.smoker, p.day, p.pay FROM "
    "trips t JOIN people p ON t.id = p.id'}\n";

static struct test_store files;
static struct curator *c;

static void
begin_with(const char *policy)
{
    static char people[8192], visits[8192];
    size_t n = 0, m = 0;

    n = (size_t)snprintf(people, sizeof people,
                         "id,age,city,smoker,day,pay,note,born\n");
    m = (size_t)snprintf(visits, sizeof visits, "id,kind\n");
    for (int i = 1; i <= 90; i++) {
        n += (size_t)snprintf(people + n, sizeof people - n,
                              "%d,%d,%s,%s,2024-%02d-03,%d.50,x,1990\n", i,
                              i % 80, i % 3 ? "Oslo" : "Rome",
                              i % 7 == 0   ? ""
                              : i % 2 == 0 ? "true"
                                           : "false",
                              i % 12 + 1, i);
        for (int k = 0; k < i % 4; k++)
            m += (size_t)snprintf(visits + m, sizeof visits - m, "%d,%c\n", i,
                                  "abc"[(i + k) % 3]);
    }
    test_store_write(&files, policy, "people.csv", people, "visits.csv", visits,
                     "cities.csv", "city\nOslo\n", NULL);
    test_store_init(&files);
    c = test_open(&files);
}

static int
begin(void **state)
{
    (void)state;
    begin_with(POLICY);
    return 0;
}

/* Neighbours differ in one person who has other rows. */
static int
begin_change_one(void **state)
{
    static char policy[sizeof POLICY];
    char *at;

    (void)state;
    memcpy(policy, POLICY, sizeof POLICY);
    at = strstr(policy, "add-remove");
    memcpy(at, "change-one", strlen("change-one"));
    begin_with(policy);
    return 0;
}

/* The number of people is public, but nothing else about them. */
static int
begin_known_size(void **state)
{
    static const char policy[] =
        "custos: 2\nadjacency: change-one\n"
        "budget: {epsilon: 10, delta: 1e-5, n: 1000}\n"
        "query: {epsilon: 0.1, delta: 1e-9}\n"
        "tables:\n"
        "  people:\n    source: people.csv\n    unit: row\n"
        "    exact_rows: 90\n    columns:\n"
        "      city: {type: text, values: [Oslo, Rome], nullable: false}\n"
        "      smoker: {type: boolean}\n"
        "  cities:\n    public: true\n    source: cities.csv\n"
        "    columns: {city: {type: text, values: [Oslo, Rome]}}\n"
        "views:\n"
        "  smokers: {sql: 'SELECT city, smoker FROM people'}\n"
        "  places: {sql: 'SELECT city FROM cities'}\n";

    (void)state;
    begin_with(policy);
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

static uint64_t
rows_in_ledger(void)
{
    struct receipt head;

    assert_int_equal(ledger_head(curator_ledger(c), &head, NULL), CUSTOS_OK);
    return head.seq;
}

/* ---------------------------------------------- in place of engine_fields -- */

static uint64_t ledger_when_read; /* 0: nothing was read */
static bool seen_when_read; /* is anything of the release beside its place? */
static custos_status fails_with; /* CUSTOS_OK: it does not */

static bool exists(const char *name);

custos_status
__real_engine_fields(struct engine *e, const struct plan *plan,
                     const struct engine_field *fields, size_t n,
                     engine_take_fields take, void *ctx, custos_err *err);
custos_status
__wrap_engine_fields(struct engine *e, const struct plan *plan,
                     const struct engine_field *fields, size_t n,
                     engine_take_fields take, void *ctx, custos_err *err);

custos_status
__wrap_engine_fields(struct engine *e, const struct plan *plan,
                     const struct engine_field *fields, size_t n,
                     engine_take_fields take, void *ctx, custos_err *err)
{
    ledger_when_read = rows_in_ledger();
    seen_when_read = exists("o") || exists("o.partial");
    if (fails_with)
        return custos_fail(err, fails_with, "the query could not be completed");
    return __real_engine_fields(e, plan, fields, n, take, ctx, err);
}

/* ------------------------------------------------------------- a full disk -- */

/* Of copies into a folder: how many more there is room for; -1: no limit. */
static int room_for_copies = -1;

custos_status
__real_file_copy(const char *from, const char *to, custos_err *err);
custos_status
__wrap_file_copy(const char *from, const char *to, custos_err *err);

custos_status
__wrap_file_copy(const char *from, const char *to, custos_err *err)
{
    if (room_for_copies == 0)
        return custos_fail(err, CUSTOS_EIO, "cannot write %.100s: disk full",
                           to);
    room_for_copies -= room_for_copies > 0;
    return __real_file_copy(from, to, err);
}

static bool no_room_for_synopsis;

custos_status __real_synopsis_write(const struct synopsis *s, const char *path,
                                    custos_err *err);
custos_status __wrap_synopsis_write(const struct synopsis *s, const char *path,
                                    custos_err *err);

custos_status
__wrap_synopsis_write(const struct synopsis *s, const char *path,
                      custos_err *err)
{
    if (!no_room_for_synopsis)
        return __real_synopsis_write(s, path, err);
    assert_int_equal(file_write(path, str_of("half a"), NULL), CUSTOS_OK);
    return custos_fail(err, CUSTOS_EIO, "cannot write %.100s: disk full", path);
}

/* ---------------------------------------------------------------- helpers -- */

static struct release_request
request_of(const char *table, const char *columns, const char *out)
{
    static char path[160];

    snprintf(path, sizeof path, "%s/%s", files.folder, out);
    return (struct release_request){.table = str_of(table),
                                    .columns = str_of(columns),
                                    .epsilon = str_of("0.5"),
                                    .delta = str_of("1e-9"),
                                    .out = path,
                                    .now = 1000000};
}

static custos_status
ask(const struct release_request *request, struct receipt *receipt,
    custos_err *err)
{
    struct release r;
    custos_status st = release_prepare(c, request, &r, err);

    ledger_when_read = 0;
    if (st)
        return st;
    st = release_run(c, request, &r, receipt, err);
    release_free(&r);
    return st;
}

static void
must_ask(const struct release_request *request, struct receipt *receipt)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (ask(request, receipt, &err))
        fail_msg("%s | %s (%s)", err.said, err.hint, err.noted);
}

static bool
exists(const char *name)
{
    char path[200];
    struct stat is;

    snprintf(path, sizeof path, "%s/%s", files.folder, name);
    return !stat(path, &is);
}

/* ------------------------------------------------------------------ tests -- */

static void
a_refused_release_costs_nothing(void **state)
{
    static const struct {
        const char *table, *columns, *workload, *epsilon, *delta, *rho, *out;
        custos_status status;
        const char *said;
    } cases[] = {
        {"people", NULL, NULL, "1", "1e-9", NULL, "o", CUSTOS_EPOLICY,
         "column note of people has no public domain; add values: [...] to it "
         "in the policy, or leave it out by --columns"},
        {"people", "age,born", NULL, "1", "1e-9", NULL, "o", CUSTOS_EPOLICY,
         "column born of people has no public domain; add range: [LOW, HIGH] "
         "or values: [...] to it in the policy, or leave it out by --columns"},
        {"people", "age,sex", NULL, "1", "1e-9", NULL, "o", CUSTOS_ENAME,
         "people has no column 'sex'"},
        {"people", "id", NULL, "1", "1e-9", NULL, "o", CUSTOS_EINVAL,
         "no column of people can be modelled; identifying columns cannot be "
         "released; choose others by --columns"},
        {"twins", NULL, NULL, "1", "1e-9", NULL, "o", CUSTOS_EINVAL,
         "columns Age and age of twins differ in nothing but case; leave one "
         "out by --columns, or give it another name in the view"},
        {"people", "\"age", NULL, "1", "1e-9", NULL, "o", CUSTOS_EINVAL,
         "the quote before age is not closed; write \"\" for a quote that is "
         "part of a name"},
        {"nobody", NULL, NULL, "1", "1e-9", NULL, "o", CUSTOS_ENAME, NULL},
        {"cities", NULL, NULL, "1", "1e-9", NULL, "o", CUSTOS_EINVAL,
         "table cities is public: its rows can be copied"},
        {"calls", NULL, NULL, "1", "1e-9", NULL, "o", CUSTOS_EPOLICY,
         "the policy does not say how many rows of calls one unit may have; "
         "add rows_per_unit: N to the table"},
        {"visits", NULL, "no-such-file", "1", "1e-9", NULL, "o", CUSTOS_ENAME,
         NULL},
        {"visits", NULL, NULL, "1", "1e-9", "1", "o", CUSTOS_EINVAL, NULL},
        {"visits", NULL, NULL, "1", NULL, NULL, "o", CUSTOS_EINVAL,
         "a release priced in epsilon needs a delta; give --delta, for example "
         "1e-9, or --rho instead"},
        {"visits", NULL, NULL, NULL, NULL, NULL, "o", CUSTOS_EINVAL, NULL},
        {"visits", NULL, NULL, "0", "1e-9", NULL, "o", CUSTOS_ERANGE, NULL},
        {"visits", NULL, NULL, "one", "1e-9", NULL, "o", CUSTOS_EPARSE, NULL},
        {"visits", NULL, NULL, "1", "0", NULL, "o", CUSTOS_ERANGE, NULL},
        {"visits", NULL, NULL, "1", "1", NULL, "o", CUSTOS_ERANGE, NULL},
        {"visits", NULL, NULL, "1", "-1e-9", NULL, "o", CUSTOS_ERANGE, NULL},
        {"visits", NULL, NULL, "1", "tiny", NULL, "o", CUSTOS_EPARSE, NULL},
        {"visits", NULL, NULL, NULL, NULL, "1e-19", "o", CUSTOS_ERANGE,
         "this budget is too small for a measurement of each column; give a "
         "larger one, or fewer columns by --columns"},
        {"visits", NULL, NULL, NULL, NULL, "1e-30", "o", CUSTOS_ERANGE,
         "this price is too small for a single measurement"},
        {"visits", NULL, NULL, NULL, NULL, "1e20", "o", CUSTOS_ERANGE, NULL},
        {"visits", NULL, NULL, "100", "1e-9", NULL, "o", CUSTOS_ESPENT, NULL},
        {"visits", NULL, NULL, "1", "1e-9", NULL, "people.csv", CUSTOS_EINVAL,
         NULL},
        {"visits", NULL, NULL, "1", "1e-9", NULL, "store/o", CUSTOS_EINVAL,
         NULL},
        {"visits", NULL, NULL, "1", "1e-9", NULL, "a/b", CUSTOS_EIO, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct release_request r =
            request_of(cases[i].table, cases[i].columns, cases[i].out);
        const uint64_t before = rows_in_ledger();
        custos_err err = CUSTOS_ERR_INIT;
        struct receipt receipt;

        r.workload = str_of(cases[i].workload);
        r.epsilon = str_of(cases[i].epsilon);
        r.delta = str_of(cases[i].delta);
        r.rho = str_of(cases[i].rho);
        if (ask(&r, &receipt, &err) != cases[i].status)
            fail_msg("case %zu: %d %s", i, (int)err.code, err.said);
        if (cases[i].said)
            assert_string_equal(whole_said(&err), cases[i].said);
        assert_int_equal(rows_in_ledger(), before);
        assert_int_equal(ledger_when_read, 0);
        assert_false(exists("o"));
        assert_false(exists("o.partial"));
    }
}

/* At least the least price, in the lane in which it is given; the rho of a price in
   epsilon is raised to it. Caps are for queries. */
static void
a_price_is_what_the_policy_allows(void **state)
{
    static const struct {
        const char *query, *epsilon, *delta, *rho, *said;
    } cases[] = {
        {"epsilon: 0.1", NULL, NULL, "0.01", NULL},
        {"epsilon: 0.1, max_rho: 0.02", NULL, NULL, "0.0201", NULL},
        {"epsilon: 0.1, max_epsilon: 0.5, delta: 1e-9", "0.501", "2e-9", NULL,
         NULL},
        {"epsilon: 0.5, min_epsilon: 0.3, delta: 1e-9", "0.29", "1e-9", NULL,
         "this release would cost epsilon 0.29, and the policy's least price "
         "is "
         "0.3; give a larger price"},
        {"epsilon: 0.5, min_rho: 0.004, max_rho: 1", NULL, NULL, "0.0039",
         "this release would cost rho 0.0039, and the policy's least price is "
         "0.004; give a larger price"},
        {"epsilon: 0.5, min_rho: 0.004, max_rho: 1", NULL, NULL, "0.004", NULL},
        /* By default a ten-thousandth of the budget, in rho too. */
        {"epsilon: 0.1, delta: 1e-9", "0.0009", "1e-9", NULL,
         "this release would cost epsilon 0.0009, and the policy's least price "
         "is 0.001; give a larger price"},
        {"epsilon: 0.5, min_rho: 0.004, delta: 1e-9", "0.01", "1e-9", NULL,
         NULL}, /* its rho is less, and is raised */
        {"epsilon: 0.1, max_rho: 1", NULL, NULL, "0.00001",
         "this release would cost rho 0.00001, and the policy's least price is "
         "0.0001"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct release_request r = request_of("visits", NULL, "o");
        static char policy[sizeof POLICY + 256];
        custos_err err = CUSTOS_ERR_INIT;
        const char *at, *end;
        struct release x;
        custos_status st;

        at = strstr(POLICY, "query: {") + strlen("query: {");
        end = strchr(at, '}');
        snprintf(policy, sizeof policy, "%.*s%s%s", (int)(at - POLICY), POLICY,
                 cases[i].query, end);
        test_store_policy(&files, policy);
        curator_close(c);
        test_store_init(&files);
        c = test_open(&files);
        r.epsilon = str_of(cases[i].epsilon);
        r.delta = str_of(cases[i].delta);
        r.rho = str_of(cases[i].rho);
        st = release_prepare(c, &r, &x, &err);
        if (!st) {
            if (strstr(cases[i].query, "min_rho"))
                assert_true(x.price.charge.rho >=
                            (amount)4000000000 * 100000000);
            release_free(&x);
        }
        if (st != (cases[i].said ? CUSTOS_EDENIED : CUSTOS_OK))
            fail_msg("case %zu: %d %s", i, (int)st, err.said);
        if (st && strncmp(whole_said(&err), cases[i].said,
                          strlen(cases[i].said)) != 0)
            fail_msg("case %zu: %s", i, whole_said(&err));
    }
}

static void
workloads_are_checked_before_the_charge(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"age,city\nkind\n",
         "line 2 of the workload: the release has no column 'kind'"},
        {"# nothing\n\n", "the workload has no tables"},
        {"age,id\n", "line 1 of the workload: column id only identifies, so "
                     "there is no table of it"},
        {"# this\n\"age\" city\n",
         "line 2 of the workload: after \"age\" there is no comma"},
    };
    char path[160];

    (void)state;
    snprintf(path, sizeof path, "%s/workload", files.folder);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct release_request r = request_of("people", "id,age,city", "o");
        const uint64_t before = rows_in_ledger();
        custos_err err = CUSTOS_ERR_INIT;
        struct receipt receipt;

        assert_int_equal(file_write(path, str_of(cases[i].text), NULL),
                         CUSTOS_OK);
        r.workload = str_of(path);
        assert_int_not_equal(ask(&r, &receipt, &err), CUSTOS_OK);
        assert_string_equal(whole_said(&err), cases[i].said);
        assert_int_equal(rows_in_ledger(), before);
    }
}

static void
the_charge_comes_before_the_rows(void **state)
{
    const struct release_request r =
        request_of("people", "id,age,city,smoker,day,pay", "o");
    const uint64_t before = rows_in_ledger();
    struct receipt receipt;

    (void)state;
    must_ask(&r, &receipt);
    assert_int_equal(receipt.seq, before + 1);
    assert_int_equal(ledger_when_read, before + 1);
    assert_false(seen_when_read);
    assert_true(exists("o/synopsis.custos"));
    assert_false(exists("o.partial"));
}

static void
the_same_release_is_free(void **state)
{
    struct release_request r = request_of("visits", NULL, "o1");
    struct receipt first, second;
    char path[2][200];
    arena *a = arena_new(NULL, 1 << 24);
    str text[2];

    (void)state;
    must_ask(&r, &first);
    r.out = "o2";
    snprintf(path[0], sizeof path[0], "%s/o2", files.folder);
    r.out = path[0];
    must_ask(&r, &second);
    assert_int_equal(second.seq, 0);
    assert_int_equal(ledger_when_read, 0);
    assert_int_equal(rows_in_ledger(), first.seq);
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/o%d/synopsis.custos",
                 files.folder, i + 1);
        assert_int_equal(file_read(path[i], 1 << 22, a, &text[i], NULL),
                         CUSTOS_OK);
    }
    assert_true(str_equal(text[0], text[1]));
    /* Another request is another release. */
    snprintf(path[0], sizeof path[0], "%s/o3", files.folder);
    r.out = path[0];
    r.method = str_of("mst");
    must_ask(&r, &second);
    assert_int_equal(second.seq, first.seq + 1);
    arena_free(a);
}

static void
new_data_are_another_release(void **state)
{
    struct release_request r = request_of("visits", NULL, "o1");
    struct receipt first, second;
    char path[200];

    (void)state;
    must_ask(&r, &first);
    curator_close(c);
    test_store_init(&files);
    c = test_open(&files);
    snprintf(path, sizeof path, "%s/o2", files.folder);
    r.out = path;
    must_ask(&r, &second);
    assert_true(second.seq > first.seq);
}

/* A failure below the charge leaves the charge, no folder, and no release that a later
   run could find. */
static void
a_lost_release_stays_charged(void **state)
{
    const struct release_request r = request_of("visits", NULL, "o");
    custos_err err = CUSTOS_ERR_INIT;
    struct receipt receipt, resumed;
    const uint64_t before = rows_in_ledger();

    (void)state;
    fails_with = CUSTOS_EENGINE;
    assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EENGINE);
    assert_string_equal(err.said, "the query could not be completed");
    fails_with = CUSTOS_OK;
    assert_int_equal(rows_in_ledger(), before + 2); /* charge and failure */
    assert_false(exists("o"));
    assert_false(exists("o.partial"));
    assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EDENIED);
    assert_int_equal(
        ledger_resume(curator_ledger(c), str_of("test"), 1, &resumed, NULL),
        CUSTOS_OK);
    must_ask(&r, &receipt);
    assert_int_equal(receipt.seq, before + 4);
}

/* Makes a folder with one file in it. */
static void
make_folder(const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", files.folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/%s/file", files.folder, name);
    assert_int_equal(file_write(path, str_of("x"), NULL), CUSTOS_OK);
}

/* What an interrupted run left beside the place gives way; nothing else does, though
   its name ends alike: it might be a store. */
static void
only_leftovers_are_removed(void **state)
{
    const struct release_request r = request_of("visits", NULL, "o");
    const uint64_t before = rows_in_ledger();
    custos_err err = CUSTOS_ERR_INIT;
    struct receipt receipt;
    char path[200];

    (void)state;
    make_folder("o.partial");
    assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EINVAL);
    assert_true(exists("o.partial/file"));
    assert_int_equal(rows_in_ledger(), before);
    make_folder("o.partial/unfinished-release");
    assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EINVAL);
    assert_true(exists("o.partial/file"));
    snprintf(path, sizeof path, "%s/o.partial/file", files.folder);
    assert_int_equal(unlink(path), 0);
    make_folder("o.partial/unfinished-release");
    must_ask(&r, &receipt);
    assert_true(exists("o/synopsis.custos"));
    assert_false(exists("o/file"));
    assert_false(exists("o.partial"));
}

/* The charge stands, and is no failure on private data: nobody is suspended. What was
   complete in the store is found again for free. */
static void
a_full_disk_leaves_no_half_release(void **state)
{
    const struct release_request r = request_of("visits", NULL, "o");
    custos_err err = CUSTOS_ERR_INIT;
    const uint64_t before = rows_in_ledger();
    struct receipt receipt;
    struct release half;

    (void)state;
    no_room_for_synopsis = true;
    assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EIO);
    no_room_for_synopsis = false;
    assert_int_equal(rows_in_ledger(), before + 1);
    assert_false(exists("o") || exists("o.partial"));
    assert_int_equal(release_prepare(c, &r, &half, &err), CUSTOS_OK);
    assert_false(half.stored);
    release_free(&half);

    room_for_copies = 2;
    assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EIO);
    room_for_copies = -1;
    assert_int_equal(rows_in_ledger(), before + 2);
    assert_false(exists("o") || exists("o.partial"));
    must_ask(&r, &receipt);
    assert_int_equal(receipt.seq, 0);
    assert_int_equal(ledger_when_read, 0);
    assert_int_equal(rows_in_ledger(), before + 2);
    assert_true(exists("o/synopsis.custos") && exists("o/report.html"));
}

/* Where no folder can be made, for others or in the store, nothing is charged. */
static void
a_place_that_is_not_writable_costs_nothing(void **state)
{
    /* Not even root may write there. */
    static const char *const places[] = {"/proc/o", "/proc/self/status/o"};
    struct release_request r = request_of("visits", NULL, "o");
    const uint64_t before = rows_in_ledger();
    struct receipt receipt;
    struct release x;
    char path[400];

    (void)state;
    assert_int_equal(release_prepare(c, &r, &x, NULL), CUSTOS_OK);
    snprintf(path, sizeof path, "%s/releases", files.store);
    if (access(path, F_OK))
        assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/releases/%s.partial", files.store, x.id);
    release_free(&x);
    assert_int_equal(file_write(path, str_of("x"), NULL), CUSTOS_OK);
    assert_int_equal(ask(&r, &receipt, NULL), CUSTOS_EINVAL);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rows_in_ledger(), before);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        custos_err err = CUSTOS_ERR_INIT;

        r.out = places[i];
        assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EIO);
        assert_non_null(strstr(err.said, "cannot create /proc/"));
        assert_int_equal(rows_in_ledger(), before);
        assert_int_equal(ledger_when_read, 0);
    }
}

static void
folders_say_why_and_where(void **state)
{
    struct folder f = {.path = "/proc/o"};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(folder_begin(&f, &err), CUSTOS_EIO);
    assert_non_null(strstr(err.said, "cannot create /proc/o.partial: "));
    folder_drop(&f);
    assert_true(folder_would_be_in("/no-such-folder/r", "/no-such-folder"));
    assert_true(
        folder_would_be_in("/no-such-folder.partial/r", "/no-such-folder"));
    assert_false(folder_would_be_in("/no-such-folders/r", "/no-such-folder"));
}

/* What killed runs of any release have left in the store goes; nothing else. */
static void
what_other_runs_left_in_the_store_is_removed(void **state)
{
    const struct release_request r = request_of("visits", NULL, "o");
    struct receipt receipt;
    char path[400];

    (void)state;
    snprintf(path, sizeof path, "%s/releases", files.store);
    assert_int_equal(mkdir(path, 0700), 0);
    make_folder("store/releases/ab.partial");
    make_folder("store/releases/ab.partial/unfinished-release");
    snprintf(path, sizeof path, "%s/releases/ab.partial/file", files.store);
    assert_int_equal(unlink(path), 0);
    make_folder("store/releases/cd.partial");
    make_folder("store/releases/ef");
    must_ask(&r, &receipt);
    assert_false(exists("store/releases/ab.partial"));
    assert_true(exists("store/releases/cd.partial/file"));
    assert_true(exists("store/releases/ef/file"));
}

/* Files say neither when nor how long a release was made, and have usual rights. */
static void
times_and_rights_of_files_say_nothing(void **state)
{
    static const char *const names[] = {"o", "o/synopsis.custos", "o/tables",
                                        "o/tables/index.csv"};
    const struct release_request r = request_of("visits", NULL, "o");
    const mode_t mask = umask(027);
    struct receipt receipt;

    (void)state;
    must_ask(&r, &receipt);
    umask(mask);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char path[400];
        struct stat is;

        snprintf(path, sizeof path, "%s/%s", files.folder, names[i]);
        assert_int_equal(stat(path, &is), 0);
        assert_int_equal(is.st_mtim.tv_sec, 315532800);
        assert_int_equal(is.st_mtim.tv_nsec, 0);
        assert_int_equal(is.st_mode & 0777, S_ISDIR(is.st_mode) ? 0750 : 0640);
    }
}

/* A run that had to wait does not measure what it was not prepared for. */
static void
a_change_before_the_charge_costs_nothing(void **state)
{
    const struct release_request r = request_of("visits", NULL, "o");
    custos_err err = CUSTOS_ERR_INIT;
    struct receipt receipt;
    struct release x;
    uint64_t before;

    (void)state;
    assert_int_equal(release_prepare(c, &r, &x, NULL), CUSTOS_OK);
    test_store_init(&files);
    before = rows_in_ledger();
    ledger_when_read = 0;
    assert_int_equal(release_run(c, &r, &x, &receipt, &err), CUSTOS_EBUSY);
    assert_string_equal(whole_said(&err),
                        "the data or the policy changed while this release "
                        "waited for another; nothing was charged: run it "
                        "again");
    release_free(&x);
    assert_int_equal(rows_in_ledger(), before);
    assert_int_equal(ledger_when_read, 0);
    assert_false(exists("o") || exists("o.partial"));
    must_ask(&r, &receipt);
    assert_int_equal(receipt.seq, before + 1);
}

/* A model of pairs could have 200 million cells. */
static void
a_model_that_is_too_large_is_refused(void **state)
{
    struct release_request r = request_of("codes", NULL, "o");
    const size_t room = 1 << 20, values = 14000;
    char *policy = malloc(room), path[160];
    custos_err err = CUSTOS_ERR_INIT;
    struct release x;
    size_t n;

    (void)state;
    assert_non_null(policy);
    n = (size_t)snprintf(
        policy, room,
        "%s  codes:\n    source: people.csv\n    unit: id\n"
        "    rows_per_unit: 1\n    columns:\n      id: {type: integer}\n",
        POLICY_TABLES);
    for (int i = 0; i < 2; i++) {
        n += (size_t)snprintf(policy + n, room - n,
                              "      %s: {type: integer, values: [0",
                              i ? "born" : "age");
        for (size_t k = 1; k < values; k++)
            n += (size_t)snprintf(policy + n, room - n, ",%zu", k);
        n += (size_t)snprintf(policy + n, room - n, "]}\n");
    }
    test_store_policy(&files, policy);
    free(policy);
    curator_close(c);
    test_store_init(&files);
    c = test_open(&files);
    r.method = str_of("mst");
    assert_int_equal(release_prepare(c, &r, &x, &err), CUSTOS_EOVERFLOW);
    assert_string_equal(whole_said(&err),
                        "the table of age,born has more than 16777216 cells; "
                        "leave out a column of it, or ask for smaller tables");
    snprintf(path, sizeof path, "%s/workload", files.folder);
    assert_int_equal(file_write(path, str_of("age\n"), NULL), CUSTOS_OK);
    r.workload = str_of(path);
    assert_int_equal(release_prepare(c, &r, &x, &err), CUSTOS_EOVERFLOW);
    assert_string_equal(whole_said(&err),
                        "a model of pairs could need 1495 MB, and the limit is "
                        "1024 MB; leave out columns by --columns; age has the "
                        "most values, 14001");
    r.columns = str_of("id,age");
    assert_int_equal(release_prepare(c, &r, &x, &err), CUSTOS_OK);
    release_free(&x);
}

/* The row of the charge has the price that the steps were given, and the file says
   the same. */
static void
the_receipt_covers_the_steps(void **state)
{
    struct release_request r = request_of("visits", NULL, "o");
    char path[256], out[200];
    struct ledger_row *row = NULL;
    struct synopsis *s = NULL;
    struct receipt receipt;
    arena *a = arena_new(NULL, 1 << 26);

    (void)state;
    for (int in_rho = 0; in_rho < 2; in_rho++) {
        amount spent = 0, price;
        size_t n = 1;

        snprintf(out, sizeof out, "%s/o%d", files.folder, in_rho);
        r.out = out;
        if (in_rho) {
            r.epsilon = r.delta = str_of("");
            r.rho = str_of("1/70");
        }
        must_ask(&r, &receipt);
        assert_int_equal(ledger_rows(curator_ledger(c), receipt.seq, str_of(""),
                                     str_of(""), a, &row, &n, NULL),
                         CUSTOS_OK);
        snprintf(path, sizeof path, "%s/synopsis.custos", out);
        assert_int_equal(synopsis_read(a, path, &s, NULL), CUSTOS_OK);
        assert_true(str_equal(row->rho, s->facts.rho));
        assert_true(str_equal(row->epsilon, s->facts.epsilon));
        assert_string_equal(row->delta_rho.ptr, "0");
        assert_int_equal(s->facts.receipt, receipt.seq);
        assert_int_equal(s->facts.rows_per_unit, 2);
        assert_true(amount_read(row->rho, AMOUNT_LOSS, &price));
        for (size_t i = 0; i < s->released->n_tables; i++)
            spent += s->released->tables[i].rho;
        assert_true(spent < price && spent > price / 20 * 17);
        assert_true(s->released->n_choices > 0);
        for (size_t i = 0; i < s->released->n_choices; i++)
            spent += s->released->choices[i];
        assert_true(spent <= price && price - spent <= 1000);
        assert_string_equal(row->query.ptr, "RELEASE \"visits\" (\"id\", "
                                            "\"kind\")");
        synopsis_close(s);
    }
    arena_free(a);
}

/* Without pairs there is nothing else to pay for. */
static void
one_column_gets_all_of_the_price(void **state)
{
    struct release_request r = request_of("visits", "kind", "o");
    struct synopsis *s = NULL;
    struct receipt receipt;
    struct release x;
    char path[200];
    arena *a = arena_new(NULL, 1 << 26);

    (void)state;
    r.method = str_of("mst");
    assert_int_equal(release_prepare(c, &r, &x, NULL), CUSTOS_OK);
    must_ask(&r, &receipt);
    snprintf(path, sizeof path, "%s/synopsis.custos", r.out);
    assert_int_equal(synopsis_read(a, path, &s, NULL), CUSTOS_OK);
    assert_int_equal(s->released->n_tables, 1);
    assert_int_equal(s->released->n_choices, 0);
    assert_true(s->released->tables[0].rho == x.price.rho);
    synopsis_close(s);
    release_free(&x);
    arena_free(a);
}

/* A model is no larger than a table of all columns, nor than its limit. */
static void
models_are_no_larger_than_they_can_be(void **state)
{
    static const struct {
        const char *columns, *method;
        size_t bytes;
    } cases[] = {
        {"age,city", "aim", 122 * 2 * 8},
        {"age,city", "tables", 122 * 2 * 8},
        {"age,city,smoker,day,pay", "aim", (size_t)122 * 2 * 3 * 62 * 65 * 8},
        {"age,city,smoker,day,pay", "tables", METHOD_TABLES_BYTES},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct release_request r = request_of("people", cases[i].columns, "o");
        struct release x;

        r.method = str_of(cases[i].method);
        assert_int_equal(release_prepare(c, &r, &x, NULL), CUSTOS_OK);
        assert_int_equal(x.facts.bytes_most, cases[i].bytes);
        release_free(&x);
    }
    assert_int_equal(megabytes_up(1), 1);
    assert_int_equal(megabytes_up(80 << 20), 80);
    assert_int_equal(megabytes_up((80 << 20) + 1), 81);
}

static void
rows_that_take_too_much_memory_are_refused(void **state)
{
    struct release_request r = request_of("visits", NULL, "o");
    const uint64_t before = rows_in_ledger();
    custos_err err = CUSTOS_ERR_INIT;
    struct receipt receipt;

    (void)state;
    r.rows = (uint64_t)1 << 31;
    assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EOVERFLOW);
    assert_string_equal(whole_said(&err),
                        "2147483648 synthetic rows of 1 columns would take too "
                        "much memory; ask for at most 536870912, or for fewer "
                        "columns");
    assert_int_equal(rows_in_ledger(), before);
}

/* True rows, too, by what the policy says of their number. */
static void
a_table_that_would_not_fit_in_memory_is_refused(void **state)
{
    const struct release_request r = request_of("people", "id,age,city", "o");
    static char policy[sizeof POLICY + 32];
    const char *at = strstr(POLICY, "max_rows: 400"),
               *end = at + strlen("max_rows: 400");
    custos_err err = CUSTOS_ERR_INIT;
    struct release x;

    (void)state;
    snprintf(policy, sizeof policy, "%.*smax_rows: 100000000000000%s",
             (int)(at - POLICY), POLICY, end);
    test_store_policy(&files, policy);
    curator_close(c);
    test_store_init(&files);
    c = test_open(&files);
    assert_int_equal(release_prepare(c, &r, &x, &err), CUSTOS_EOVERFLOW);
    assert_non_null(strstr(err.said, "100000000000000 rows, the policy's "
                                     "max_rows, would not fit in memory ("));
}

/* With noise of millions of rows there are no more synthetic ones than the policy
   allows true ones. */
static void
noise_does_not_make_rows(void **state)
{
    struct release_request r = request_of("people", "city", "o");
    struct receipt receipt;
    char path[200];
    arena *a = arena_new(NULL, 1 << 26);
    str text;

    (void)state;
    r.epsilon = r.delta = str_of("");
    for (int i = 0; i < 8; i++) { /* half of the totals are above 0 */
        static const char *const rho[] = {"1e-13", "2e-13", "3e-13", "4e-13",
                                          "5e-13", "6e-13", "7e-13", "8e-13"};
        char out[160];
        size_t lines = 0;

        snprintf(out, sizeof out, "%s/o%d", files.folder, i);
        r.out = out;
        r.rho = str_of(rho[i]);
        must_ask(&r, &receipt);
        snprintf(path, sizeof path, "%s/synthetic.csv", out);
        assert_int_equal(file_read(path, 1 << 24, a, &text, NULL), CUSTOS_OK);
        for (size_t k = 0; k < text.len; k++)
            lines += text.ptr[k] == '\n';
        assert_true(lines <= 401);
    }
    arena_free(a);
}

static void
a_table_of_known_size_can_be_released(void **state)
{
    static const struct {
        const char *table, *said; /* NULL: it can be released */
    } cases[] = {
        {"people", NULL},
        {"smokers", NULL},
        {"cities", "table cities is public: its rows can be copied"},
        {"places", "table places is public: its rows can be copied"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct release_request r =
            request_of(cases[i].table, NULL, cases[i].table);
        custos_err err = CUSTOS_ERR_INIT;
        struct synopsis *s = NULL;
        struct receipt receipt;
        char path[200];
        arena *a = arena_new(NULL, 1 << 26);

        r.epsilon = str_of("8");
        snprintf(path, sizeof path, "%s/synopsis.custos", r.out);
        if (cases[i].said) {
            assert_int_equal(ask(&r, &receipt, &err), CUSTOS_EINVAL);
            assert_string_equal(whole_said(&err), cases[i].said);
        } else {
            must_ask(&r, &receipt);
            assert_int_equal(synopsis_read(a, path, &s, NULL), CUSTOS_OK);
            assert_int_equal(s->facts.rows_per_unit, 1);
            assert_true(s->model->total > 60 && s->model->total < 120);
            synopsis_close(s);
        }
        arena_free(a);
    }
}

/* A view over two tables is released like a table. */
static void
a_view_can_be_released(void **state)
{
    struct release_request r = request_of("stays", NULL, "o");
    struct synopsis *s = NULL;
    struct receipt receipt;
    char path[200];
    arena *a = arena_new(NULL, 1 << 26);

    (void)state;
    r.epsilon = str_of("8"); /* near the truth */
    must_ask(&r, &receipt);
    snprintf(path, sizeof path, "%s/synopsis.custos", r.out);
    assert_int_equal(synopsis_read(a, path, &s, NULL), CUSTOS_OK);
    assert_int_equal(s->schema->n, 3);
    assert_int_equal(s->schema->columns[0].coding, SCHEMA_NUMBER);
    assert_int_equal(s->schema->columns[1].n, 3);
    assert_int_equal(s->schema->columns[2].n, 2);
    assert_false(s->schema->columns[2].nullable);
    /* 90 people with 0, 1, 2 and 3 visits in turn, of whom 2 count */
    assert_true(s->model->total > 80 && s->model->total < 140);
    synopsis_close(s);
    arena_free(a);
}

/* A field of a line of CSV without quotes; -1: NULL. */
static long
number_at(const char *line, int field)
{
    while (field-- > 0)
        line = strchr(line, ',') + 1;
    return *line == ',' || *line == '\n' ? -1 : strtol(line, NULL, 10);
}

static bool
has_at(const char *line, int field, const char *word)
{
    while (field-- > 0)
        line = strchr(line, ',') + 1;
    return !strncmp(line, word, strlen(word));
}

/* The data do not satisfy the constraints: 15 children smoke, and 17 people in Rome
   earn too much. They are counted as they are, and no synthetic row is like them. */
static void
synthetic_rows_satisfy_the_constraints(void **state)
{
    static const char *const methods[] = {"aim", "mst"};

    (void)state;
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct release_request r = request_of("homes", NULL, methods[k]);
        arena *a = arena_new(NULL, 1 << 24);
        size_t n = 0, young = 0, poor = 0, near = 0;
        struct receipt receipt;
        char path[256];
        str text;

        r.epsilon = str_of("4");
        r.method = str_of(methods[k]);
        r.rows = 20000;
        must_ask(&r, &receipt);
        snprintf(path, sizeof path, "%s/synthetic.csv", r.out);
        assert_int_equal(file_read(path, 1 << 23, a, &text, NULL), CUSTOS_OK);
        assert_true(has_at(text.ptr, 0, "id,age,city,smoker,pay\n"));
        for (const char *line = strchr(text.ptr, '\n') + 1; *line;
             line = strchr(line, '\n') + 1, n++) {
            const long age = number_at(line, 1), pay = number_at(line, 4);
            const bool rome = has_at(line, 2, "Rome");

            assert_false(age >= 0 && age < 15 && has_at(line, 3, "true"));
            assert_false(rome && age >= 50);
            /* Pay is cut into 64 ranges of 1563 cents, one of which begins at
               31.26 and has 40 in it. */
            assert_false(rome && pay >= 40);
            near += rome && pay >= 32;
            young += age >= 0 && age < 15;
            poor += rome && pay >= 0;
        }
        assert_int_equal(n, 20000);
        assert_true(young > 100 && poor > 100 && near > 10);
        arena_free(a);
    }
}

/* What the policy states of a table holds in views of it; of what an outer join did
   not find, all columns are NULL, and not one alone. */
static void
constraints_apply_in_views(void **state)
{
    static const struct {
        const char *view;
        size_t n, cells;
    } cases[] = {{"flats", 2, 15 + 71}, {"maybe_flats", 2, 15 + 71 + 121}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct release_request r = request_of(cases[i].view, NULL, "o");
        custos_err err = CUSTOS_ERR_INIT;
        struct release x;

        if (release_prepare(c, &r, &x, &err))
            fail_msg("%s", err.said);
        assert_int_equal(x.zeros.n, cases[i].n);
        assert_int_equal(x.zeros.cells, cases[i].cells);
        release_free(&x);
    }
}

/* Two tables as one view: a person counts with as many rows as the view can have of
   them, and the noise is for all of these. */
static void
check_wide_view(uint64_t factor)
{
    struct release_request r = request_of("wide", NULL, "o");
    struct synopsis *s = NULL;
    struct receipt receipt;
    struct release x;
    char path[200];
    arena *a = arena_new(NULL, 1 << 26);

    assert_int_equal(release_prepare(c, &r, &x, NULL), CUSTOS_OK);
    assert_int_equal(x.plan->rows, 3);
    assert_int_equal(x.method.l1, factor * 3);
    assert_int_equal(x.method.l2_squared, factor * 9);
    assert_int_equal(x.schema->columns[0].coding, SCHEMA_VALUES);
    assert_int_equal(x.schema->columns[0].n, 3);
    assert_int_equal(x.schema->domain.n, 6);
    release_free(&x);
    r.epsilon = str_of("9");
    r.method = str_of("mst");
    must_ask(&r, &receipt);
    snprintf(path, sizeof path, "%s/synopsis.custos", r.out);
    assert_int_equal(synopsis_read(a, path, &s, NULL), CUSTOS_OK);
    assert_int_equal(s->facts.rows_per_unit, 3);
    assert_true(str_equal(s->facts.adjacency,
                          str_of(factor == 2 ? "change-one" : "add-remove")));
    for (size_t i = 0; i < s->released->n_tables; i++) {
        const struct released_table *t = &s->released->tables[i];
        const double sigma = price_sigma(t->rho, factor * 9);

        assert_true(t->variance == sigma * sigma);
    }
    /* 90 people with 0, 1, 2 and 3 visits in turn. */
    assert_true(s->model->total > 90 && s->model->total < 180);
    synopsis_close(s);
    arena_free(a);
}

static void
a_wide_view_is_bounded_per_person(void **state)
{
    (void)state;
    check_wide_view(1);
}

static void
a_wide_view_pays_for_change_one(void **state)
{
    (void)state;
    check_wide_view(2);
}

/* NULL is a code like the others. The noise at this price deviates by 1.5 rows, so a
   right count is rejected with a chance below 1e-8. */
static void
nulls_count(void **state)
{
    struct release_request r = request_of("people", "smoker", "o");
    const struct released_table *t;
    struct synopsis *s = NULL;
    struct receipt receipt;
    char path[200];
    arena *a = arena_new(NULL, 1 << 26);

    (void)state;
    r.epsilon = str_of("8");
    r.method = str_of("mst");
    must_ask(&r, &receipt);
    snprintf(path, sizeof path, "%s/synopsis.custos", r.out);
    assert_int_equal(synopsis_read(a, path, &s, NULL), CUSTOS_OK);
    t = &s->released->tables[0];
    assert_true(t->cells == 3 && t->variance < 2.5);
    /* Of 90 people 12 have a NULL, and 39 each of the other two. */
    assert_true(t->values[2] > 2 && t->values[2] < 22);
    synopsis_close(s);
    arena_free(a);
}

/* There are as many synthetic rows as the measurements say: with this noise, which
   deviates by 29 rows, six releases have the true number with a chance below 1e-11. */
static void
the_number_of_rows_is_noisy(void **state)
{
    static const char *const prices[] = {"0.0006",  "0.00061", "0.00062",
                                         "0.00063", "0.00064", "0.00065"};
    struct release_request r = request_of("people", "smoker", "o");
    arena *a = arena_new(NULL, 1 << 24);
    size_t true_number = 0;

    (void)state;
    r.epsilon = r.delta = str_of("");
    for (size_t i = 0; i < COUNT_OF(prices); i++) {
        char out[160], path[200];
        struct receipt receipt;
        size_t lines = 0;
        str text;

        snprintf(out, sizeof out, "%s/o%zu", files.folder, i);
        snprintf(path, sizeof path, "%s/synthetic.csv", out);
        r.out = out;
        r.rho = str_of(prices[i]);
        must_ask(&r, &receipt);
        assert_true(receipt.seq > 0); /* no price is another's */
        assert_int_equal(file_read(path, 1 << 20, a, &text, NULL), CUSTOS_OK);
        for (size_t k = 0; k < text.len; k++)
            lines += text.ptr[k] == '\n';
        true_number += lines == 1 + 90;
    }
    assert_true(true_number < COUNT_OF(prices));
    arena_free(a);
}

static void
schemas_follow_the_policy(void **state)
{
    struct release_request r =
        request_of("people", "id,age,city,smoker,day,pay", "o");
    const struct schema_column *x;
    struct release release;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(release_prepare(c, &r, &release, &err), CUSTOS_OK);
    x = release.schema->columns;
    assert_int_equal(release.schema->n, 6);
    assert_int_equal(release.schema->domain.n, 5);
    assert_int_equal(x[0].coding, SCHEMA_NUMBER);
    assert_int_equal(x[1].coding, SCHEMA_CUTS);
    assert_int_equal(x[1].n, 121);
    assert_true(x[1].nullable && x[1].cuts[0] == 0 && x[1].cuts[121] == 121);
    assert_int_equal(x[2].coding, SCHEMA_VALUES);
    assert_true(x[2].n == 2 && !x[2].nullable && !x[2].ordered);
    assert_true(x[3].n == 2 && x[3].nullable);
    assert_int_equal(x[4].type, TYPE_DATE);
    assert_int_equal(x[4].n, 61); /* 731 days, 12 at a time */
    assert_true(x[4].cuts[61] - x[4].cuts[0] == 731);
    assert_true(x[5].base == 10 && x[5].digits == 2);
    assert_true(x[5].cuts[0] == 0 && x[5].cuts[x[5].n] == 100001);
    assert_false(x[0].nullable);
    release_free(&release);
    r = request_of("visits", NULL, "o");
    assert_int_equal(release_prepare(c, &r, &release, &err), CUSTOS_OK);
    x = release.schema->columns;
    assert_true(x[0].coding == SCHEMA_NUMBER && x[0].nullable);
    release_free(&release);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_refused_release_costs_nothing, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_price_is_what_the_policy_allows,
                                        begin, end),
        cmocka_unit_test_setup_teardown(workloads_are_checked_before_the_charge,
                                        begin, end),
        cmocka_unit_test_setup_teardown(the_charge_comes_before_the_rows, begin,
                                        end),
        cmocka_unit_test_setup_teardown(the_same_release_is_free, begin, end),
        cmocka_unit_test_setup_teardown(new_data_are_another_release, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_lost_release_stays_charged, begin,
                                        end),
        cmocka_unit_test_setup_teardown(only_leftovers_are_removed, begin, end),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_no_half_release,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            a_place_that_is_not_writable_costs_nothing, begin, end),
        cmocka_unit_test(folders_say_why_and_where),
        cmocka_unit_test_setup_teardown(
            what_other_runs_left_in_the_store_is_removed, begin, end),
        cmocka_unit_test_setup_teardown(times_and_rights_of_files_say_nothing,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            a_change_before_the_charge_costs_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_model_that_is_too_large_is_refused,
                                        begin, end),
        cmocka_unit_test_setup_teardown(the_receipt_covers_the_steps, begin,
                                        end),
        cmocka_unit_test_setup_teardown(one_column_gets_all_of_the_price, begin,
                                        end),
        cmocka_unit_test_setup_teardown(models_are_no_larger_than_they_can_be,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            rows_that_take_too_much_memory_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(
            a_table_that_would_not_fit_in_memory_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(noise_does_not_make_rows, begin, end),
        cmocka_unit_test_setup_teardown(a_table_of_known_size_can_be_released,
                                        begin_known_size, end),
        cmocka_unit_test_setup_teardown(a_view_can_be_released, begin, end),
        cmocka_unit_test_setup_teardown(synthetic_rows_satisfy_the_constraints,
                                        begin, end),
        cmocka_unit_test_setup_teardown(constraints_apply_in_views, begin, end),
        cmocka_unit_test_setup_teardown(a_wide_view_is_bounded_per_person,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_wide_view_pays_for_change_one,
                                        begin_change_one, end),
        cmocka_unit_test_setup_teardown(nulls_count, begin, end),
        cmocka_unit_test_setup_teardown(the_number_of_rows_is_noisy, begin,
                                        end),
        cmocka_unit_test_setup_teardown(schemas_follow_the_policy, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
