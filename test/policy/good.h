/*
 * A good policy, line by line, and checks that change one piece of it, so that
 * nothing else can cause the error.
 */
#ifndef TEST_POLICY_GOOD_H
#define TEST_POLICY_GOOD_H

#include <stdio.h>

#include "base/base.h"
#include "policy/policy.h"
#include "support/said.h"
#include "support/support.h"

enum { MEMORY = 1 << 24 };

static const char good[] =
    /*  1 */
    "custos: 2\n"
    /*  2 */ "adjacency: change-one\n"
    /*  3 */ "budget: {epsilon: 1, delta: 1e-7, n: 1e6}\n"
    /*  4 */ "query:\n"
    /*  5 */ "  epsilon: 0.1\n"
    /*  6 */ "  max_epsilon: 0.5\n"
    /*  7 */ "  delta: 1e-12\n"
    /*  8 */ "  max_groups: 1000\n"
    /*  9 */ "  share_answers: true\n"
    /* 10 */ "tables:\n"
    /* 11 */ "  patients:\n"
    /* 12 */ "    source: patients.csv\n"
    /* 13 */ "    unit: id\n"
    /* 14 */ "    comment: who they are\n"
    /* 15 */ "    columns:\n"
    /* 16 */ "      id: {type: integer}\n"
    /* 17 */ "      age: {type: integer, range: [0, 120]}\n"
    /* 18 */ "      city: {type: text, values: [Rome, 'Oslo'],\n"
    /* 19 */ "             nullable: false, comment: where}\n"
    /* 20 */ "  visits:\n"
    /* 21 */ "    source: data/visits.db\n"
    /* 22 */ "    format: duckdb\n"
    /* 23 */ "    source_table: all visits\n"
    /* 24 */ "    unit: patient_id\n"
    /* 25 */ "    rows_per_unit: 20\n"
    /* 26 */ "    groups_per_unit: 5\n"
    /* 27 */ "    bound: before-where\n"
    /* 28 */ "    max_rows: 1e9\n"
    /* 29 */ "    columns:\n"
    /* 30 */ "      patient_id: {type: integer, references: patients.id}\n"
    /* 31 */ "      cost: {type: decimal, scale: 2, range: [-0.5, 5e3]}\n"
    /* 32 */ "      day: {type: date, range: [2020-01-01, 2020-12-31]}\n"
    /* 33 */ "      \"When\": {type: timestamp}\n"
    /* 34 */ "      grams: {type: real, range: [0.25, 100]}\n"
    /* 35 */ "      level: {type: integer, range: [1, 5], values: [3, 1, 5]}\n"
    /* 36 */ "      late: {type: boolean}\n"
    /* 37 */ "  cities:\n"
    /* 38 */ "    public: true\n"
    /* 39 */ "    source: cities.parquet\n"
    /* 40 */ "    attach: true\n"
    /* 41 */ "    columns: {name: {type: text}}\n"
    /* 42 */ "analysts:\n"
    /* 43 */ "  ana:\n"
    /* 44 */ "    budget: {epsilon: 1/2, delta: 1e-8}\n"
    /* 45 */ "    window: {epsilon: 0.1, days: 7}\n"
    /* 46 */ "    tables: {visits: [cost, day], cities: all}\n"
    /* 47 */ "  bo: {tables: [patients]}\n"
    /* 48 */ "  cy: {tables: []}\n"
    /* 49 */ "  di: {}\n";

struct mistake {
    const char *piece, *by; /* in the good policy */
    const char *said;       /* after "policy.yaml, " */
};

/* policy_read_all fails too, and its list contains this mistake (if given). */
static inline void
check_list(arena *a, const char *text, const char *said)
{
    struct policy_remark *list = NULL;
    struct policy *p = NULL;
    bool among = !said;
    size_t n = 0;

    assert_int_equal(
        policy_read_all(a, str_of(text), "p.yaml", &p, &list, &n, NULL),
        CUSTOS_EPOLICY);
    assert_null(p);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        char line[512];

        snprintf(line, sizeof line, "line %d: %s", list[i].line, list[i].said);
        among = among || !strncmp(line, said, strlen(said));
        assert_true(i == 0 || list[i - 1].line < list[i].line);
    }
    if (!among)
        fail_msg("%s is not in the list", said);
}

static inline void
check_mistake(const struct mistake *m)
{
    static char text[sizeof good + 4096];
    const char *at = strstr(good, m->piece);
    arena *a = arena_new(NULL, MEMORY);
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    char said[256];

    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, m->by,
             at + strlen(m->piece));
    if (policy_read(a, str_of(text), "dir/policy.yaml", &p, &err) !=
        CUSTOS_EPOLICY)
        fail_msg("'%s' is taken", m->by);
    assert_null(p);
    assert_int_equal(err.code, CUSTOS_EPOLICY);
    snprintf(said, sizeof said, "policy.yaml, %s", m->said);
    assert_string_equal(whole_said(&err), said);
    check_list(a, text, m->said);
    arena_free(a);
}

/*
 * Copies `from` with one piece replaced; false if it does not contain the
 * piece.
 */
static inline bool
replace(const char *from, const struct mistake *m, char *to, size_t room)
{
    const char *at = strstr(from, m->piece);

    if (at)
        snprintf(to, room, "%.*s%s%s", (int)(at - from), from, m->by,
                 at + strlen(m->piece));
    return at != NULL;
}

/* A policy with two mistakes is rejected: neither hides the other. */
static inline void
check_two(const struct mistake *one, const struct mistake *other)
{
    static char first[sizeof good + 1024], both[sizeof good + 2048];
    arena *a;
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (!replace(good, one, first, sizeof first) ||
        !replace(first, other, both, sizeof both))
        return;
    a = arena_new(NULL, MEMORY);
    if (policy_read(a, str_of(both), "p.yaml", &p, &err) != CUSTOS_EPOLICY)
        fail_msg("'%s' and '%s' are taken", one->by, other->by);
    check_list(a, both, NULL);
    arena_free(a);
}

static inline void
check_all(const struct mistake *mistakes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_mistake(&mistakes[i]);
        for (size_t k = 0; k < n; k += (size_t)test_size(7, 1))
            check_two(&mistakes[i], &mistakes[k]);
    }
}

#define CHECK_ALL(mistakes) check_all(mistakes, COUNT_OF(mistakes))

#endif
