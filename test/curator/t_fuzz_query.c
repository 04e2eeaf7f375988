/*
 * Random queries against the curator: 1,600, or 10^5 with CUSTOS_LONG.
 *
 * Each query goes to two stores with the same policy and different data.
 * Nothing may crash. The replies may differ only in the values of answers;
 * errors are equal to the letter. Each new answer from private data has one
 * charge, and nothing else has one. No reply contains words of the engine. No
 * charged query fails in the engine, because every function is total; more than
 * a third of the queries try to break that (query_gadget.h).
 */
#include <ctype.h>
#include <stdio.h>

#include "curator/answer.h"
#include "curator/query_maker.h"
#include "support/hospital.h"
#include "support/support.h"

enum { STORES = 2, SHOWN = 30 };

/* One table, under several names that are bounded in different ways. */
#define BOUNDS "    rows_per_unit: 3\n    groups_per_unit: 2\n"
#define VISITS(name, unit, more)                                               \
    "  " name ":\n"                                                            \
    "    source: visits.csv\n"                                                 \
    "    unit: " unit "\n" more "    columns:\n"                               \
    "      patient: {type: integer, references: patients.id}\n"                \
    "      nights: {type: integer, range: [0, 10], nullable: false}\n"         \
    "      cost: {type: decimal, scale: 2, range: [-50, 5000]}\n"              \
    "      level: {type: integer, range: [1, 5]}\n"                            \
    "      seen: {type: timestamp,\n"                                          \
    "             range: [2020-01-01 00:00:00, 2020-12-31 23:59:59]}\n"

static const char policy[] =
    "custos: 1\n"
    "budget: {epsilon: 1000000, delta: 1e-3, n: 100}\n"
    "query: {epsilon: 0.1, max_epsilon: 10, min_epsilon: 0, min_rho: 0, delta: "
    "1e-12,\n"
    "        max_groups: 2000}\n"
    "analysts:\n"
    "  ana: {tables: {patients: [age, city, note], floors: all}}\n"
    "tables:\n"
    "  patients:\n"
    "    source: patients.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 100], nullable: false}\n"
    "      city: {type: text, values: [Oslo, Rome]}\n"
    "      weight: {type: real, range: [-10, 200]}\n"
    "      smoker: {type: boolean}\n"
    "      born: {type: date, range: [1920-01-01, 2019-12-31]}\n"
    "      note: {type: text}\n"
    "      income: {type: integer}\n"
    "      debt: {type: real}\n"
    "      died: {type: date}\n"
    "      called: {type: timestamp}\n"
    "  floors:\n"
    "    public: true\n"
    "    source: floors.csv\n"
    "    columns: {name: {type: text}, floor: {type: integer},\n"
    "              area: {type: real}}\n" /* and visits: */
    VISITS("visits", "patient", BOUNDS)
        VISITS("visits_fast", "patient", BOUNDS "    bound: before-where\n")
            VISITS("visits_far", "patient", BOUNDS "    attach: true\n")
                VISITS("visits_rows", "row", "");

/* Values at which functions that are not total would fail. */
#define PATIENTS "id,age,city,weight,smoker,born,note,income,debt,died,called\n"
static const char *const patients[STORES] = {
    PATIENTS "1,30,Rome,70.5,true,1990-02-28,secret,9223372036854775807,1e308,"
             "5881580-07-10,294247-01-10 04:00:54\n"
             "2,0,Rome,0,false,2000-02-29,12,-9223372036854775808,-1e308,"
             "5877642-06-25 (BC),290309-12-22 (BC) 00:00:00\n"
             "3,100,Oslo,200,,1920-01-01,,0,0,294247-01-11,0001-01-01\n"
             "4,999,Oslo,,true,2019-12-31,2020-13-45,,,infinity,infinity\n"
             "5,20,Paris,inf,false,,%_\\,1,1e-320,-infinity,-infinity\n"
             "6,25,,nan,true,1970-01-01,\xc3\xa9\xf0\x9f\x92\x89,-1,nan,,\n"
             "7,-5,Oslo,-11,false,1969-12-31,1e999,7,inf,0001-01-01,"
             "1969-12-31 23:59:59.999999\n"
             "9,7,Rome,0.1,true,1999-12-31,1_000_000,2,0.1,0044-03-15 (BC),\n"
             "10,1,Rome,0.3,true,1999-12-31, 100 ,2,0.3,,9999-12-31\n"
             "11,2,Rome,0.7,true,1999-12-31,20000-01-01,2,9007199254740993,,\n"
             "12,3,Rome,0.2,true,1999-12-31,"
             "99999999999999999999999999999999999999,4611686018427387904,"
             "4611686018427387904,20000-01-01,20000-01-01\n"
             "13,4,Rome,2.5,true,1999-12-31,99.5,9007199254740993,0.5,,\n",
    PATIENTS "8,50,Oslo,60,true,1980-06-15,plain,5,5,2020-01-01,2020-01-01\n",
};

static const char *const visits[STORES] = {
    "patient,nights,cost,level,seen\n"
    "1,1,12.34,1,2020-02-29 23:59:59.999999\n"
    "1,2,0,2,2020-01-01 00:00:00\n"
    "1,3,99999,3,2020-12-31 23:59:59\n"
    "1,4,-50,4,1999-01-01 00:00:00\n"
    "2,0,,,\n"
    "3,10,0.01,5,2020-07-01 12:30:00\n"
    ",9,1,1,2020-01-01 00:00:00\n",
    "patient,nights,cost,level,seen\n"
    "8,1,1,1,2020-05-05 05:05:05\n",
};

static const char *const floors = "name,floor,area\n"
                                  "ward,1,100.5\n"
                                  "surgery,-2,1e300\n"
                                  "roof,9223372036854775807,nan\n"
                                  ",0,0\n";

static struct test_store files[STORES];
static struct curator *curators[STORES];
static uint64_t charges[STORES]; /* number after the last question */

static int
begin(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_rng_new_seeded(5);
    for (size_t i = 0; i < STORES; i++) {
        test_store_write(&files[i], policy, "patients.csv", patients[i],
                         "visits.csv", visits[i], "floors.csv", floors, NULL);
        test_store_init(&files[i]);
        if (curator_open(files[i].store, &curators[i], &err))
            fail_msg("%s (%s)", err.said, err.noted);
    }
    return 0;
}

static int
end(void **state)
{
    (void)state;
    for (size_t i = 0; i < STORES; i++) {
        curator_close(curators[i]);
        test_store_remove(&files[i]);
    }
    return 0;
}

/* ----------------------------------------------------------------- reply -- */

struct reply {
    custos_status status;
    custos_err err;
    struct answer *answer;
    uint64_t charged;
};

struct count {
    int answered, stored, explained, public, refused, broken;
};

static uint64_t
charges_now(struct curator *c)
{
    struct ledger_balance b;
    custos_err err = CUSTOS_ERR_INIT;

    if (ledger_balance(curator_ledger(c), str_of(""), &b, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    return b.charges;
}

static void
ask(size_t store, const struct ask *a, struct reply *out)
{
    uint64_t now;

    *out = (struct reply){.err = CUSTOS_ERR_INIT};
    out->status = curator_answer(curators[store], a, &out->answer, &out->err);
    now = charges_now(curators[store]);
    out->charged = now - charges[store];
    charges[store] = now;
}

/* Whether text contains word, ignoring case. */
static bool
has_word(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= len; i++)
        if (!strncasecmp(text + i, word, n))
            return true;
    return false;
}

/*
 * A word in text that only an engine would use and the question did not, or
 * NULL.
 */
static const char *
engine_word(const char *text, size_t len, str sql)
{
    static const char *const words[] = {"duckdb",
                                        "binder",
                                        "catalog",
                                        "parser",
                                        "error:",
                                        "exception",
                                        "LINE ",
                                        "sqlite",
                                        "libpg",
                                        "protobuf",
                                        "conversion",
                                        "internal",
                                        "out of range error",
                                        "candidate",
                                        "errno",
                                        "t0",
                                        "/tmp/",
                                        "secret",
                                        "constraint"};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (has_word(text, len, words[i]) &&
            !has_word(sql.ptr, sql.len, words[i]))
            return words[i];
    return NULL;
}

/* ------------------------------------------------------------------ rules -- */

/* What is wrong with an error reply, or NULL. */
static const char *
refusal_fault(const struct reply *r, str sql)
{
    const char *said = r->err.said;

    if (r->answer)
        return "an answer beside a refusal";
    if (r->charged)
        return "charged and refused";
    if (r->status == CUSTOS_EENGINE) /* e.g. variance of 1e300 */
        return has_word(sql.ptr, sql.len, "floors") ? NULL
                                                    : "the engine failed";
    if (r->status != r->err.code || !said[0])
        return "no sentence";
    if (engine_word(said, strlen(said), sql))
        return "a word of the engine";
    if (r->err.at < -1 || r->err.at > (int)sql.len)
        return "a place outside the text";
    switch (r->status) {
    case CUSTOS_ESYNTAX:
    case CUSTOS_EUNSUPPORTED:
    case CUSTOS_ENAME:
    case CUSTOS_EDENIED:
    case CUSTOS_EINVAL:
    case CUSTOS_EPARSE:
    case CUSTOS_ERANGE:
    case CUSTOS_EOVERFLOW: return NULL;
    default: return "a refusal of another kind";
    }
}

static const char *
answer_fault(const struct reply *r, str sql)
{
    const struct answer *a = r->answer;
    bool is_free = a->stored || a->explained || a->is_public;

    if (r->charged != (is_free ? 0 : 1))
        return is_free ? "charged for nothing" : "not charged";
    if (!a->explained && !a->is_public && a->receipt.seq == 0)
        return "no receipt";
    if (engine_word(a->remarks.ptr, a->remarks.len, sql))
        return "a word of the engine in a remark";
    for (size_t i = 0; a->explained && i < a->n_rows; i++)
        if (engine_word(a->cells[i].value.text.ptr, a->cells[i].value.text.len,
                        sql))
            return "a word of the engine in a plan";
    return NULL;
}

/* The replies of both stores may differ in values only. */
static const char *
pair_fault(const struct reply *x, const struct reply *y)
{
    if (x->status != y->status)
        return "the data decides what is refused";
    if (x->status)
        return strcmp(x->err.said, y->err.said) || x->err.at != y->err.at
                   ? "the data shows in a refusal"
                   : NULL;
    if (x->answer->n_columns != y->answer->n_columns ||
        !str_equal(x->answer->epsilon, y->answer->epsilon) ||
        !str_equal(x->answer->remarks, y->answer->remarks))
        return "the data shows beside the answer";
    return NULL;
}

static void
add(struct count *n, const struct reply *r)
{
    if (r->status)
        n->refused++;
    else if (r->answer->explained)
        n->explained++;
    else if (r->answer->is_public)
        n->public ++;
    else if (r->answer->stored)
        n->stored++;
    else
        n->answered++;
}

static void
show(const struct ask *a, const struct reply *r, const char *fault)
{
    fprintf(stderr, "# %s (%d, %s; %s), as '%.*s' at '%.*s':\n# ", fault,
            (int)r->status, r->err.said, r->err.noted, (int)a->who.len,
            a->who.ptr, (int)a->epsilon.len, a->epsilon.ptr);
    for (size_t i = 0; i < a->sql.len && i < 600; i++) {
        unsigned char ch = (unsigned char)a->sql.ptr[i];

        fprintf(stderr, isprint(ch) ? "%c" : "\\x%02x", ch);
    }
    fprintf(stderr, "\n");
}

/* Asks both stores one question. */
static void
try_one(const struct ask *a, struct count *n)
{
    struct reply replies[STORES];
    const char *fault = NULL;
    size_t at = 0;

    for (size_t i = 0; i < STORES; i++) {
        ask(i, a, &replies[i]);
        if (!fault) {
            fault = replies[i].status ? refusal_fault(&replies[i], a->sql)
                                      : answer_fault(&replies[i], a->sql);
            at = i;
        }
    }
    if (!fault)
        fault = pair_fault(&replies[0], &replies[1]);
    if (fault && n->broken++ < SHOWN)
        show(a, &replies[at], fault);
    add(n, &replies[0]);
    for (size_t i = 0; i < STORES; i++)
        answer_free(replies[i].answer);
}

static void
random_queries(void **state)
{
    static const char *const prices[] = {
        "",   "0.1", "0.1",    "0.1",   "1", "1/3", "nan", "inf",
        "-1", "0",   "1e-300", "1e300", "x", "0x1", "9",   "0.1 "};
    static const char *const people[] = {"", "", "", "ana", "nobody"};
    const char *seed = getenv("CUSTOS_SEED"), *size = getenv("CUSTOS_QUERIES");
    int queries = size                    ? (int)strtol(size, NULL, 10)
                  : getenv("CUSTOS_LONG") ? 100000
                                          : test_size(100, 1600);
    struct maker m = {.state = seed ? strtoull(seed, NULL, 10) : 1};
    struct count n = {0};

    (void)state;
    for (int i = 0; i < queries; i++) {
        struct ask a = {.now = 1};

        maker_query(&m);
        a.sql = (str){buf_text(&m.b), m.b.len};
        a.who = str_of(people[below(&m, chance(&m, 95) ? 3 : 5)]);
        if (!m.priced || chance(&m, 5))
            a.epsilon = str_of(prices[below(&m, chance(&m, 95) ? 6 : 16)]);
        if (a.epsilon.len == 0 && chance(&m, 20))
            a.within = str_of(chance(&m, 80) ? "10" : "-1");
        try_one(&a, &n);
        if (chance(&m, 3)) /* a repeated question is free */
            try_one(&a, &n);
        if (i % 10000 == 9999)
            print_message("%d queries, %d broken\n", i + 1, n.broken);
    }
    buf_clear(&m.b);
    print_message("%d answered, %d stored, %d explained, %d public, %d "
                  "refused, %d broken\n",
                  n.answered, n.stored, n.explained, n.public, n.refused,
                  n.broken);
    assert_int_equal(n.broken, 0);
    assert_true(n.answered > queries / 8 && n.refused > queries / 8);
    if (queries >= 2000)
        assert_true(n.stored > 0 && n.explained > 0 && n.public > 0);
}

/* The chains of both ledgers verify. */
static void
ledgers_verify(void **state)
{
    (void)state;
    for (size_t i = 0; i < STORES; i++) {
        struct receipt head;
        custos_err err = CUSTOS_ERR_INIT;

        if (ledger_verify(curator_ledger(curators[i]), NULL, &head, &err))
            fail_msg("%s (%s)", err.said, err.noted);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_queries),
        cmocka_unit_test(ledgers_verify),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
