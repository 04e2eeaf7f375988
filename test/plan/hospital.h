/*
 * A hospital's policy, and plans made under it.
 */
#ifndef TEST_PLAN_HOSPITAL_H
#define TEST_PLAN_HOSPITAL_H

#include <stdio.h>

#include "base/base.h"
#include "plan/plan.h"
#include "support/support.h"

enum { MEMORY = 1 << 26 };

/* Tests replace ADJACENCY, DELTA and LEAST (which also stands for max_rho). */
static const char hospital[] =
    "custos: 2\n"
    "adjacency: ADJACENCY\n"
    "budget: {epsilon: 100, delta: DELTA, n: 1000}\n"
    "query: {epsilon: 0.1, max_epsilon: 10, max_groups: 1000LEAST}\n"
    "tables:\n"
    "  patients:\n"
    "    source: patients.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 120], nullable: false}\n"
    "      city: {type: text, values: [Rome, Oslo, Graz]}\n"
    "      ward: {type: text, values: [north, south], nullable: false}\n"
    "      smoker: {type: boolean, nullable: false}\n"
    "      weight: {type: real, range: [0, 400]}\n"
    "      born: {type: date, range: [1990-01-01, 1999-12-31]}\n"
    "      seen: {type: date}\n"
    "      diagnosis: {type: text}\n"
    "      income: {type: integer}\n"
    "  visits:\n"
    "    source: visits.csv\n"
    "    unit: patient_id\n"
    "    rows_per_unit: 20\n"
    "    groups_per_unit: 5\n"
    "    columns:\n"
    "      patient_id: {type: integer, references: patients.id}\n"
    "      cost: {type: decimal, scale: 2, range: [0, 5000]}\n"
    "      balance: {type: decimal, scale: 2, range: [-100, 100],\n"
    "                nullable: false}\n"
    "      day: {type: date, range: [2020-01-01, 2020-12-31]}\n"
    "      at: {type: timestamp}\n"
    "      level: {type: integer, range: [1, 5], nullable: false}\n"
    "      grams: {type: real, range: [0, 1]}\n"
    "      room: {type: integer, range: [1, 600], nullable: false}\n"
    "      note: {type: text}\n"
    "  fast:\n"
    "    source: visits.csv\n"
    "    unit: patient_id\n"
    "    rows_per_unit: 50\n"
    "    bound: before-where\n"
    "    columns:\n"
    "      patient_id: {type: integer, references: patients.id}\n"
    "      level: {type: integer, range: [1, 200], nullable: false}\n"
    "  homes:\n"
    "    source: homes.csv\n"
    "    unit: member\n"
    "    rows_per_unit: 3\n"
    "    columns:\n"
    "      member: {type: integer, references: people.person}\n"
    "      rooms: {type: integer, range: [1, 9]}\n"
    "  people:\n"
    "    source: people.csv\n"
    "    unit: household\n"
    "    columns:\n"
    "      person: {type: integer}\n"
    "      household: {type: integer}\n"
    "  d:\n"
    "    source: d.csv\n"
    "    unit: row\n"
    "    columns:\n"
    "      d1: {type: integer, range: [0, 1], nullable: false}\n"
    "      d2: {type: integer, range: [0, 1], nullable: false}\n"
    "      d3: {type: integer, range: [0, 1], nullable: false}\n"
    "      x: {type: integer, range: [0, 7], nullable: false}\n"
    "  remote:\n"
    "    source: remote.parquet\n"
    "    attach: true\n"
    "    unit: id\n"
    "    rows_per_unit: 4\n"
    "    columns:\n"
    "      id: {type: integer}\n"
    "      v: {type: integer, range: [0, 9]}\n"
    "  cities:\n"
    "    public: true\n"
    "    source: cities.csv\n"
    "    columns:\n"
    "      name: {type: text}\n"
    "      people: {type: integer}\n"
    "  places:\n"
    "    public: true\n"
    "    source: places.csv\n"
    "    attach: true\n"
    "    columns:\n"
    "      name: {type: text}\n"
    "  stays:\n"
    "    source: stays.csv\n"
    "    unit: patient\n"
    "    rows_per_unit: 4\n"
    "    columns:\n"
    "      stay: {type: integer, nullable: false}\n"
    "      patient: {type: integer, references: patients.id}\n"
    "      nights: {type: integer, range: [0, 30], nullable: false}\n"
    "  doses:\n"
    "    source: doses.csv\n"
    "    unit: stay\n"
    "    rows_per_unit: 12\n"
    "    columns:\n"
    "      stay: {type: integer, references: stays.stay}\n"
    "      drug: {type: text, references: drugs.code}\n"
    "      mg: {type: integer, range: [0, 500], nullable: false}\n"
    "  drugs:\n"
    "    public: true\n"
    "    source: drugs.csv\n"
    "    columns:\n"
    "      code: {type: text, nullable: false}\n"
    "      class: {type: text}\n"
    "      price: {type: decimal, scale: 2, range: [0, 90]}\n"
    "  rounds:\n"
    "    source: visits.csv\n"
    "    unit: patient_id\n"
    "    rows_per_unit: 20\n"
    "    groups_per_unit: 5\n"
    "    rows_per_unit_and_group: 4\n"
    "    columns:\n"
    "      patient_id: {type: integer, references: patients.id}\n"
    "      cost: {type: decimal, scale: 2, range: [0, 5000]}\n"
    "      level: {type: integer, range: [1, 5], nullable: false}\n"
    "  survey:\n"
    "    source: d.csv\n"
    "    unit: row\n"
    "    exact_rows: 3\n"
    "    columns:\n"
    "      x: {type: integer, range: [5, 7], nullable: false}\n"
    "      d1: {type: integer, range: [0, 1], nullable: false}\n"
    "      d2: {type: integer, range: [0, 1]}\n"
    "      d3: {type: boolean, nullable: false}\n"
    "  claims:\n"
    "    source: claims.csv\n"
    "    unit: patient\n"
    "    rows_per_unit: 3\n"
    "    columns:\n"
    "      patient: {type: integer, references: patients.id}\n"
    "      amount: {type: decimal, scale: 2, find_range: true}\n"
    "      points: {type: integer, range: [0, 1000], find_range: true}\n"
    "      score: {type: real, find_range: true}\n"
    "      outlay: {type: integer, find_range: true}\n"
    "      open: {type: boolean}\n"
    "views:\n"
    "  long_stays:\n"
    "    sql: SELECT patient, nights FROM stays WHERE nights > 7\n"
    "analysts:\n"
    "  ana:\n"
    "    tables: {patients: [age, city], cities: [name]}\n"
    "  ben:\n"
    "    tables: {visits: [cost, level], stays: [nights], long_stays: all}\n";

/* The options of a query. */
struct asked {
    const char *adjacency; /* NULL: add-remove */
    const char *delta;     /* of the budget; NULL: pure */
    const char *least;     /* "min_epsilon: 0, ..."; NULL: the default */
    const char *max_rho;   /* NULL: no prices in rho */
    const char *who;
    const char *epsilon;
    const char *rho;
    const char *within;
    bool jointly;
    const struct plan_known *known; /* NULL: nothing */
};

#define NO_LEAST "min_epsilon: 0, min_rho: 0"

/* A plan with everything it depends on. */
struct planned {
    arena *a;
    struct policy *policy;
    struct query *query;
    struct plan *plan; /* NULL: rejected */
    custos_status status;
    custos_err err;
};

static void
replace(struct buf *out, const char *text, const struct asked *asked)
{
    while (*text) {
        if (!strncmp(text, "ADJACENCY", 9)) {
            buf_add_text(out,
                         asked->adjacency ? asked->adjacency : "add-remove");
            text += 9;
        } else if (!strncmp(text, "DELTA", 5)) {
            buf_add_text(out, asked->delta ? asked->delta : "0");
            text += 5;
        } else if (!strncmp(text, "LEAST", 5)) {
            buf_add_text(out, asked->least ? ", " : "");
            buf_add_text(out, asked->least ? asked->least : "");
            buf_add_text(out, asked->max_rho ? ", max_rho: " : "");
            buf_add_text(out, asked->max_rho ? asked->max_rho : "");
            text += 5;
        } else {
            buf_add(out, text++, 1);
        }
    }
}

static struct policy *
hospital_read(arena *a, const struct asked *asked)
{
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;
    str text;

    buf_init(&b, NULL, 1 << 16);
    replace(&b, hospital, asked);
    text = (str){arena_copy(a, (str){buf_text(&b), b.len}), b.len};
    if (policy_read(a, text, "hospital", &p, &err))
        fail_msg("%s", err.said);
    buf_clear(&b);
    return p;
}

static void
plan_for(struct planned *t, const char *sql, const struct asked *asked)
{
    static const struct asked nothing = {.adjacency = NULL};
    const struct asked *q = asked ? asked : &nothing;
    struct plan_options o = {.epsilon = str_of(q->epsilon),
                             .rho = str_of(q->rho),
                             .within = str_of(q->within),
                             .jointly = q->jointly,
                             .known = q->known};

    memset(t, 0, sizeof *t);
    t->a = arena_new(NULL, MEMORY);
    assert_non_null(t->a);
    t->policy = hospital_read(t->a, q);
    o.who = q->who ? policy_analyst_find(t->policy, str_of(q->who)) : NULL;
    t->err = (custos_err)CUSTOS_ERR_INIT;
    t->status = sql_read(t->a, str_of(sql), &t->query, &t->err);
    if (!t->status)
        t->status = plan_make(t->a, t->query, t->policy, &o, &t->plan, &t->err);
}

static void
plan_done(struct planned *t)
{
    plan_free(t->plan);
    arena_free(t->a);
}

/* Like plan_for, but there must be a plan. */
static inline void
plan_good(struct planned *t, const char *sql, const struct asked *asked)
{
    plan_for(t, sql, asked);
    if (t->status)
        fail_msg("%s\n%d: %s", sql, t->err.at, t->err.said);
}

/* Whether the number equals the one in this text exactly. */
static inline bool
rat_is(const rat *r, const char *text)
{
    custos_err err = CUSTOS_ERR_INIT;
    bool same;
    rat want;

    rat_init(&want);
    if (rat_read(text, "number", &want, &err))
        fail_msg("%s", text);
    same = rat_cmp(r, &want) == 0;
    rat_clear(&want);
    return same;
}

/* Whether the plan uses this theorem. */
static inline bool
has_theorem(const struct plan *p, const char *id)
{
    for (size_t i = 0; i < p->n_theorems; i++)
        if (!strcmp(p->theorems[i], id))
            return true;
    return false;
}

#endif
