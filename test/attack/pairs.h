/*
 * Asks the real curator queries about one person, at a tiny epsilon: once about
 * a person who is in the hospital's data and once about one who is not. A
 * corpus is a text file of queries with $P for the person's number, each ended
 * by an empty line. Lines that begin with # describe the queries after them. A
 * query costs 1e-9, or what a line such as "@ 0.01" before it says: where
 * groups are discovered in the data, a query at a price near 0 takes hours.
 *
 * Both persons' numbers are inside the range of the stored ones, so that zone
 * maps do not tell them apart.
 */
#ifndef TEST_ATTACK_PAIRS_H
#define TEST_ATTACK_PAIRS_H

#include <stdio.h>
#include <sys/resource.h>

#include "base/base.h"
#include "base/str.h"
#include "curator/answer.h"
#include "engine/duckdb/open.h"
#include "ledger/tripwire.h"
#include "support/hospital.h"
#include "support/support.h"

enum { PAIRS_FILE_MAX = 1 << 20, PAIRS_SQL_MAX = 1 << 16 };

/*
 * A query that allocates without end must fail here, before it uses up the
 * machine's memory.
 */
enum { PAIRS_MEMORY_MB = 4096 };

/* Sanitizers reserve more than this at once. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAIRS_ALL_MEMORY 1
#endif
#endif

static inline void
pairs_limit_memory(void)
{
#if !defined(PAIRS_ALL_MEMORY) && !defined(__SANITIZE_ADDRESS__)
    struct rlimit most = {(rlim_t)PAIRS_MEMORY_MB << 20,
                          (rlim_t)PAIRS_MEMORY_MB << 20};

    assert_int_equal(setrlimit(RLIMIT_AS, &most), 0);
#endif
}

enum pairs_arm { PAIRS_PRESENT, PAIRS_ABSENT, PAIRS_ARMS };

static const char *const pairs_person[PAIRS_ARMS] = {"1007", "1008"};

static const char pairs_policy[] =
    "custos: 1\n"
    "budget: {epsilon: 1000000, delta: 1e-6, n: 20000}\n"
    "query: {epsilon: 0.5, max_epsilon: 10, delta: 1e-12}\n"
    "analysts:\n"
    "  ana: {tables: {patients: all, visits: all, bills: all,\n"
    "                 departments: all, letters: all, wards: all,\n"
    "                 codes: all}}\n"
    "tables:\n"
    "  patients:\n"
    "    source: patients.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      name: {type: text, nullable: false}\n"
    "      age: {type: integer, range: [0, 120], nullable: false}\n"
    "      born: {type: date, range: [1900-01-01, 2025-12-31],\n"
    "             nullable: false}\n"
    "      city: {type: text}\n"
    "      sex: {type: text, values: [f, m]}\n"
    "      smoker: {type: boolean, nullable: false}\n"
    "      balance: {type: decimal, scale: 2, range: [-10000, 10000]}\n"
    "      weight: {type: real, range: [0, 400], nullable: false}\n"
    "      income: {type: integer}\n"
    "      score: {type: real}\n"
    "      died: {type: date}\n"
    "      seen: {type: timestamp}\n"
    "  visits:\n"
    "    source: visits.csv\n"
    "    unit: patient_id\n"
    "    rows_per_unit: 8\n"
    "    columns:\n"
    "      patient_id: {type: integer, references: patients.id,\n"
    "                   nullable: false}\n"
    "      day: {type: date, range: [2024-01-01, 2025-12-31],\n"
    "            nullable: false}\n"
    "      department: {type: text, nullable: false,\n"
    "                   values: [cardiology, oncology, surgery]}\n"
    "      nights: {type: integer, range: [0, 30], nullable: false}\n"
    "      cost: {type: decimal, scale: 2, range: [0, 20000],\n"
    "             nullable: false}\n"
    "      temperature: {type: real, range: [34, 42]}\n"
    "  bills:\n"
    "    source: visits.csv\n"
    "    unit: patient_id\n"
    "    columns:\n"
    "      patient_id: {type: integer, references: patients.id,\n"
    "                   nullable: false}\n"
    "      nights: {type: integer}\n"
    "      cost: {type: decimal, scale: 2, range: [0, 20000],\n"
    "             nullable: false}\n"
    "  letters:\n"
    "    source: letters.csv\n"
    "    unit: person\n"
    "    rows_per_unit: 20\n"
    "    columns:\n"
    "      person: {type: integer, nullable: false}\n"
    "      page: {type: integer, range: [0, 100], nullable: false}\n"
    "      body: {type: text}\n"
    "  wards:\n"
    "    public: true\n"
    "    source: wards.csv\n"
    "    columns: {k: {type: integer}, name: {type: text}}\n"
    "  codes:\n"
    "    public: true\n"
    "    source: codes.csv\n"
    "    columns: {code: {type: integer}}\n"
    "  departments:\n"
    "    public: true\n"
    "    source: departments.csv\n"
    "    columns: {name: {type: text, nullable: false},\n"
    "              floor: {type: integer}, beds: {type: integer}}\n";

struct pairs {
    struct test_store files;
    struct curator *curator;
    char *corpus; /* cut into queries by pairs_next */
    uint64_t asked;
};

/* 39 people, without the absent one; some have values at the edges. */
static inline void
pairs_people(struct buf *patients, struct buf *visits)
{
    static const char *const wards[] = {"cardiology", "oncology", "surgery"};

    buf_add_text(patients, "id,name,age,born,city,sex,smoker,balance,weight,"
                           "income,score,died,seen\n");
    buf_add_text(visits, "patient_id,day,department,nights,cost,temperature\n");
    for (int i = 1000; i < 1040; i++) {
        if (i == 1008)
            continue;
        buf_printf(patients,
                   "%d,%s,%d,19%02d-0%d-1%d,%s,%s,%s,%d.%02d,%d.5,%d,%s,%s,%s"
                   "\n",
                   i,
                   i % 5 ? "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" : "Ann",
                   i % 90 + 10, i % 90 + 10, i % 9 + 1, i % 9,
                   i % 3 ? "Oslo" : "1_000_000", i % 2 ? "f" : "m",
                   i % 4 ? "true" : "false", i % 500 - 250, i % 100, i % 90,
                   i % 7 ? i * 1000 : 0, i % 6 ? "0.1" : "1e308",
                   i % 8 ? "2020-01-01" : "", "2021-03-04 05:06:07");
        for (int k = 0; k < i % 4 + 1; k++)
            buf_printf(visits, "%d,2024-0%d-1%d,%s,%d,%d.%02d,3%d.%d\n", i,
                       i % 9 + 1, k, wards[(i + k) % 3], (i + k) % 30,
                       i % 20 * 900, i % 100, 6 + k % 3, i % 10);
    }
}

/*
 * The present person has 20 texts of 64 KB, in characters whose case is slow to
 * change; everybody else has one short text.
 */
static inline void
pairs_letters(struct buf *letters, struct buf *wards)
{
    enum { LONG = 16000, PAGES = 20, WARDS = 900 };

    buf_add_text(letters, "person,page,body\n");
    for (int i = 1000; i < 1040; i++)
        if (i != 1007 && i != 1008)
            buf_printf(letters, "%d,0,short\n", i);
    for (int page = 0; page < PAGES; page++) {
        buf_printf(letters, "1007,%d,", page);
        for (int i = 0; i < LONG; i++)
            buf_add_text(letters, "\xc8\xba\xc3\xa9");
        buf_add_text(letters, "\n");
    }
    buf_add_text(wards, "k,name\n");
    for (int i = 0; i < WARDS; i++)
        buf_printf(wards, "%d,ward%d\n", i, i);
}

/*
 * A store with small tables passes whole numbers to the engine through a
 * function (engine/duckdb/duck_numbers.h). In other stores they are constants, which
 * the optimizer moves and computes with. The size of `codes`, which no query
 * reads, decides which kind of store it is.
 */
enum pairs_size { PAIRS_SMALL, PAIRS_LARGE };

static inline void
pairs_codes(enum pairs_size size, struct buf *codes)
{
    int n = size == PAIRS_LARGE ? ENGINE_SMALL_ROWS + 1 : 1;

    buf_add_text(codes, "code\n");
    for (int i = 0; i < n; i++)
        buf_printf(codes, "%d\n", i);
}

static inline void
pairs_open(struct pairs *p, const char *name, enum pairs_size size)
{
    const char *src = getenv("SRC");
    struct buf patients, visits, departments, letters, wards, codes;
    char path[4096];
    FILE *f;

    pairs_limit_memory();
    *p = (struct pairs){.corpus = calloc(1, PAIRS_FILE_MAX)};
    snprintf(path, sizeof path, "%s/test/attack/%s", src ? src : ".", name);
    f = fopen(path, "r");
    if (!f || !p->corpus)
        fail_msg("%s cannot be read", path);
    assert_true(fread(p->corpus, 1, PAIRS_FILE_MAX - 1, f) > 0);
    fclose(f);
    buf_init(&patients, NULL, 1 << 20);
    buf_init(&visits, NULL, 1 << 20);
    buf_init(&departments, NULL, 1 << 20);
    buf_init(&letters, NULL, 1 << 22);
    buf_init(&wards, NULL, 1 << 20);
    buf_init(&codes, NULL, 1 << 20);
    pairs_codes(size, &codes);
    pairs_people(&patients, &visits);
    pairs_letters(&letters, &wards);
    buf_add_text(&departments, "name,floor,beds\n");
    for (int i = 0; i < 12; i++)
        buf_printf(&departments, "ward%d,%d,%d\n", i, i, 10 * i);
    test_store_write(&p->files, pairs_policy, "patients.csv",
                     buf_text(&patients), "visits.csv", buf_text(&visits),
                     "departments.csv", buf_text(&departments), "letters.csv",
                     buf_text(&letters), "wards.csv", buf_text(&wards),
                     "codes.csv", buf_text(&codes), NULL);
    test_store_init(&p->files);
    p->curator = test_open(&p->files);
    buf_clear(&patients);
    buf_clear(&visits);
    buf_clear(&departments);
    buf_clear(&letters);
    buf_clear(&wards);
    buf_clear(&codes);
}

static inline void
pairs_close(struct pairs *p)
{
    curator_close(p->curator);
    test_store_remove(&p->files);
    free(p->corpus);
}

/* The pairs of a program: its set-up opens them, and this is its tear-down. */
static struct pairs pairs;

static inline int
pairs_end(void **state)
{
    (void)state;
    pairs_close(&pairs);
    return 0;
}

/* ---------------------------------------------------------------- corpus -- */

/* One query of the corpus. */
struct pairs_query {
    char sql[PAIRS_SQL_MAX];
    char price[32]; /* pairs_ask appends digits */
};

/* The next query, its lines joined. False: there is none. */
static inline bool
pairs_next(char **at, struct pairs_query *out)
{
    size_t n = 0;
    char *sql = out->sql;

    snprintf(out->price, sizeof out->price, "0.000000001");
    while (**at) {
        size_t len = strcspn(*at, "\n");
        char *line = *at;

        *at += len + (line[len] == '\n');
        if (len == 0 && n > 0)
            break;
        if (len == 0 || line[0] == '#')
            continue;
        if (line[0] == '@') {
            snprintf(out->price, sizeof out->price, "%.*s", (int)len - 2,
                     line + 2);
            continue;
        }
        assert_true(n + len + 2 < PAIRS_SQL_MAX);
        memcpy(sql + n, line, len);
        n += len;
        sql[n++] = ' ';
    }
    sql[n] = '\0';
    return n > 0;
}

/* The query about one of the two persons. */
static inline void
pairs_fill(const char *sql, enum pairs_arm arm, struct buf *out)
{
    for (const char *p = sql; *p; p++) {
        if (p[0] == '$' && p[1] == 'P') {
            buf_add_text(out, pairs_person[arm]);
            p++;
        } else {
            buf_add(out, p, 1);
        }
    }
}

/* --------------------------------------------------------------- outcome -- */

struct pairs_outcome {
    custos_status status;
    custos_err err;
    uint64_t charges;
    size_t rows, columns;
    char shown[512]; /* the remarks */
};

static inline uint64_t
pairs_charges(struct curator *c)
{
    struct ledger_balance b;
    custos_err err = CUSTOS_ERR_INIT;

    if (ledger_balance(curator_ledger(c), str_of(""), &b, &err))
        fail_msg("%s (%s)", err.said, err.noted);
    return b.charges;
}

/*
 * Keeps the remarks that may be compared. They may quote the query, so the
 * person's number is replaced. If a mechanism chose a bound on rows, none is
 * kept, because the bound is drawn anew each time.
 */
static inline void
pairs_keep_remarks(str remarks, enum pairs_arm arm, char *out, size_t size)
{
    const char *person = pairs_person[arm];
    size_t n = 0, len = strlen(person);

    if (memmem(remarks.ptr, remarks.len, "this bound was chosen", 21))
        remarks.len = 0;
    for (size_t i = 0; i < remarks.len && n + 2 < size; i++) {
        if (i + len <= remarks.len && !memcmp(remarks.ptr + i, person, len)) {
            out[n++] = '$';
            i += len - 1;
        } else {
            out[n++] = remarks.ptr[i];
        }
    }
    out[n] = '\0';
}

/* Lifts the suspension after a failure, so that later queries still run. */
static inline void
pairs_resume(struct pairs *p)
{
    struct receipt ignored;
    custos_err err = CUSTOS_ERR_INIT;

    if (ledger_resume(curator_ledger(p->curator), str_of("a build"), 1,
                      &ignored, &err))
        fail_msg("%s (%s)", err.said, err.noted);
}

/*
 * Asks as the analyst, each time at a new price: a cached answer would reveal
 * nothing.
 */
static inline void
pairs_ask(struct pairs *p, const struct pairs_query *q, enum pairs_arm arm,
          struct pairs_outcome *out)
{
    uint64_t before = pairs_charges(p->curator);
    struct answer *answer = NULL;
    char price[32];
    struct buf b;
    struct ask a = {.who = str_of("ana"), .now = 1};

    *out = (struct pairs_outcome){.err = CUSTOS_ERR_INIT};
    buf_init(&b, NULL, PAIRS_SQL_MAX);
    pairs_fill(q->sql, arm, &b);
    snprintf(price, sizeof price, "%.20s%06lu", q->price,
             (unsigned long)p->asked++);
    a.sql = (str){buf_text(&b), b.len};
    a.epsilon = str_of(price);
    out->status = curator_answer(p->curator, &a, &answer, &out->err);
    out->charges = pairs_charges(p->curator) - before;
    if (out->status && out->charges)
        pairs_resume(p);
    if (answer) {
        out->rows = answer->n_rows;
        out->columns = answer->n_columns;
        pairs_keep_remarks(answer->remarks, arm, out->shown, sizeof out->shown);
    }
    answer_free(answer);
    buf_clear(&b);
}

/*
 * What tells the two apart, or NULL. Error positions can be compared because
 * both persons' numbers have the same length.
 */
static inline const char *
pairs_differ(const struct pairs_outcome *x, const struct pairs_outcome *y)
{
    if (x->status != y->status)
        return "one fails and the other does not";
    if (x->charges != y->charges)
        return "only one is charged";
    if (x->status)
        return x->err.at != y->err.at ? "the errors are at different places"
                                      : NULL;
    if (x->rows != y->rows || x->columns != y->columns)
        return "the answers have different shapes";
    return strcmp(x->shown, y->shown) ? "the remarks differ" : NULL;
}

#endif
