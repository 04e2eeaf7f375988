/*
 * Data for the test of stability: stores of one policy, some of which are
 * neighbours. Neighbours differ in one unit, in all tables at once: it is
 * missing (add-remove) or replaced by another (change-one). Values are at the
 * ends of their ranges and beyond. Units have no rows, one, or very many,
 * sometimes all equal. Keys may be NULL or refer to nothing.
 */
#ifndef TEST_CURATOR_STABILITY_DATA_H
#define TEST_CURATOR_STABILITY_DATA_H

#include <stdio.h>

#include "engine/made.h"

enum {
    UNITS = 12,
    SIDES = 4, /* stores of one policy */
    ROWS_MOST = 40,
    ROWS = 12, /* in the table whose rows are units (also in the policy) */
    TEXT_MOST = 1 << 18,
};

/*
 * The columns of visits, which several tables have, each with other bounds.
 */
#define VISITS                                                                 \
    "    columns:\n"                                                           \
    "      patient: {type: integer, references: patients.id}\n"                \
    "      nights: {type: integer, range: [0, 10], nullable: false}\n"         \
    "      cost: {type: decimal, scale: 2, range: [-50, 5000]}\n"              \
    "      level: {type: integer, range: [1, 5]}\n"                            \
    "      seen: {type: timestamp,\n"                                          \
    "             range: [2020-01-01 00:00:00, 2020-12-31 23:59:59]}\n"        \
    "      spent: {type: decimal, scale: 2, find_range: true}\n"
#define BOUNDS                                                                 \
    "    rows_per_unit: %u\n    groups_per_unit: %u\n"                         \
    "    rows_per_unit_and_group: %u\n"

/* Arguments: adjacency, delta, more of `query:`, three numbers for each table with
   BOUNDS, and after the third of these more of visits_rows. */
static const char policy[] =
    "custos: 2\n"
    "adjacency: %s\n"
    "budget: {epsilon: 1000000, delta: %s, n: 100}\n"
    "query: {epsilon: 5, max_epsilon: 10, min_epsilon: 0, min_rho: 0, "
    "max_groups: 2000%s}\n"
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
    "      income: {type: integer, find_range: true}\n"
    "      debt: {type: real, find_range: true}\n"
    "  visits:\n    source: visits.csv\n    unit: patient\n" BOUNDS VISITS
    "  visits_fast:\n    source: visits.csv\n    unit: patient\n" BOUNDS
    "    bound: before-where\n" VISITS
    "  visits_far:\n    source: visits.csv\n    unit: patient\n" BOUNDS
    "    attach: true\n" VISITS
    "  visits_rows:\n    source: rows.csv\n    unit: row\n%s" VISITS
    "  orders:\n    source: orders.csv\n    unit: patient\n" BOUNDS
    "    columns:\n"
    "      id: {type: integer}\n"
    "      patient: {type: integer, references: patients.id}\n"
    "      by: {type: integer, references: patients.id}\n"
    "      pieces: {type: integer, range: [-9, 9]}\n"
    "      total: {type: decimal, scale: 2, range: [-5, 100]}\n"
    "      day: {type: date, range: [2020-01-01, 2020-12-31]}\n"
    "      memo: {type: text}\n"
    "  lines:\n    source: lines.csv\n    unit: ord\n" BOUNDS "    columns:\n"
    "      id: {type: integer}\n"
    "      ord: {type: integer, references: orders.id}\n"
    "      drug: {type: integer, references: drugs.id}\n"
    "      qty: {type: integer, range: [-2, 20]}\n"
    "      price: {type: decimal, scale: 2, range: [0, 9.99]}\n"
    "      disc: {type: real, range: [0, 1]}\n"
    "  returns:\n    source: returns.csv\n    unit: line\n" BOUNDS
    "    columns:\n"
    "      line: {type: integer, references: lines.id}\n"
    "      amount: {type: integer, range: [-9, 9]}\n"
    "      why: {type: text}\n"
    "  drugs:\n    public: true\n    source: drugs.csv\n"
    "    columns: {id: {type: integer}, kind: {type: integer, range: [0, 3]},\n"
    "              cost: {type: decimal, scale: 2, range: [0, 50]},\n"
    "              name: {type: text}}\n"
    "  tags:\n    public: true\n    source: tags.csv\n"
    "    columns: {drug: {type: integer}, tag: {type: integer, range: [0, "
    "3]},\n"
    "              w: {type: integer, range: [-3, 9]}}\n"
    "  floors:\n    public: true\n    source: floors.csv\n"
    "    columns: {name: {type: text}, floor: {type: integer},\n"
    "              area: {type: real}}\n"
    "views:\n"
    "  busy:\n"
    "    sql: SELECT o.pieces AS x, l.price AS y, l.qty AS k, o.memo AS n,\n"
    "         o.patient AS who FROM orders o JOIN lines l ON l.ord = o.id\n"
    "         WHERE l.qty > 0\n";

enum { BOUNDED = 6 };

/* ------------------------------------------------------------------ rows -- */

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

#define ONE_OF(state, list) (list)[draw(state, COUNT_OF(list))]

static void
put_patient(struct buf *b, unsigned id, uint64_t seed)
{
    static const char *const ages[] = {"0", "100", "50", "-7", "999", "17"};
    static const char *const cities[] = {"Oslo", "Rome", "Paris", ""};
    static const char *const weights[] = {"-10", "200", "1e9", "nan",
                                          "inf", "",    "70.5"};
    static const char *const truths[] = {"true", "false", ""};
    static const char *const dates[] = {"1920-01-01", "2019-12-31", "",
                                        "1970-01-01", "9999-12-31"};
    static const char *const notes[] = {"secret", "12", "", "%_"};
    static const char *const incomes[] = {"9223372036854775807",
                                          "-9223372036854775808", "0", ""};
    static const char *const debts[] = {"1e308", "-1e308", "0", "nan"};

    buf_printf(b, "%u,%s,%s,%s", id, ONE_OF(&seed, ages), ONE_OF(&seed, cities),
               ONE_OF(&seed, weights));
    buf_printf(b, ",%s,%s,%s", ONE_OF(&seed, truths), ONE_OF(&seed, dates),
               ONE_OF(&seed, notes));
    buf_printf(b, ",%s,%s\n", ONE_OF(&seed, incomes), ONE_OF(&seed, debts));
}

/*
 * Writes a key; sometimes an empty one or one that refers to nothing. Always
 * empty for id 0.
 */
static void
put_key_to(struct buf *b, uint64_t *seed, unsigned id)
{
    uint64_t n = draw(seed, 12);

    if (id && n)
        buf_printf(b, "%u", n == 1 ? 999999 : id);
    buf_add_text(b, ",");
}

static void
put_visit(struct buf *b, unsigned patient, uint64_t seed)
{
    static const char *const nights[] = {"0", "10", "10", "99", "-1", "3"};
    static const char *const costs[] = {"5000", "-50",  "99999", "",
                                        "0",    "-1e9", "0.01"};
    static const char *const levels[] = {"1", "2", "3", "4", "5", ""};
    static const char *const seen[] = {
        "2020-01-01 00:00:00",        "2020-12-31 23:59:59",
        "2020-07-01 12:30:00",        "1999-01-01 00:00:00",
        "2020-02-29 23:59:59.999999", ""};
    static const char *const spent[] = {"0.5", "1",     "1.01", "-2", "480",
                                        "",    "-0.01", "1e14", "7"};

    if (patient)
        buf_printf(b, "%u", patient);
    buf_printf(b, ",%s,%s", ONE_OF(&seed, nights), ONE_OF(&seed, costs));
    buf_printf(b, ",%s,%s", ONE_OF(&seed, levels), ONE_OF(&seed, seen));
    buf_printf(b, ",%s\n", ONE_OF(&seed, spent));
}

static void
put_order(struct buf *b, unsigned id, unsigned patient, uint64_t *seed)
{
    static const char *const pieces[] = {"-9", "9", "9", "-50", "", "4", "0"};
    static const char *const totals[] = {"100", "-5", "1e6", "", "0.01"};
    static const char *const days[] = {"2020-01-01", "2020-12-31", "",
                                       "2020-06-30", "1000-01-01"};
    static const char *const memos[] = {"a", "b", "A", "", "rush"};

    buf_printf(b, "%u,", id);
    put_key_to(b, seed, patient);
    put_key_to(b, seed, 1 + (unsigned)draw(seed, UNITS));
    buf_printf(b, "%s,%s", ONE_OF(seed, pieces), ONE_OF(seed, totals));
    buf_printf(b, ",%s,%s\n", ONE_OF(seed, days), ONE_OF(seed, memos));
}

static void
put_line(struct buf *b, unsigned id, unsigned order, uint64_t *seed)
{
    static const char *const quantities[] = {"-2", "20", "20", "99", "", "1"};
    static const char *const prices[] = {"9.99", "0", "1e6", "", "-3"};
    static const char *const discounts[] = {"0",   "1",    "0.05", "nan",
                                            "inf", "-inf", ""};

    buf_printf(b, "%u,", id);
    put_key_to(b, seed, order);
    put_key_to(b, seed, 1 + (unsigned)draw(seed, 8));
    buf_printf(b, "%s,%s", ONE_OF(seed, quantities), ONE_OF(seed, prices));
    buf_printf(b, ",%s\n", ONE_OF(seed, discounts));
}

static void
put_return(struct buf *b, unsigned line, uint64_t *seed)
{
    static const char *const amounts[] = {"-9", "9", "9", "1000", "", "1"};
    static const char *const reasons[] = {"late", "broken", ""};

    put_key_to(b, seed, line);
    buf_printf(b, "%s,%s\n", ONE_OF(seed, amounts), ONE_OF(seed, reasons));
}

/* ------------------------------------------------------------------ sides -- */

enum { F_PATIENTS, F_VISITS, F_ROWS, F_ORDERS, F_LINES, F_RETURNS, FILES };

static const char *const file_name[FILES] = {"patients.csv", "visits.csv",
                                             "rows.csv",     "orders.csv",
                                             "lines.csv",    "returns.csv"};

/* One data set: unit i has this id, and all its data comes from this seed. */
struct side {
    unsigned id[UNITS]; /* 0: nobody */
    uint64_t seed[UNITS], rows[ROWS];
    size_t n_rows;
    bool left_over; /* missing units still have rows in all tables but the
                       first; these refer to nothing */
};

static uint64_t
how_many(uint64_t *seed)
{
    return draw(seed, 4) ? draw(seed, 6) : draw(seed, ROWS_MOST);
}

/* The orders of a patient, their lines, and the returns of these. */
static void
put_orders(struct buf file[FILES], unsigned place, unsigned patient,
           uint64_t seed)
{
    uint64_t orders = draw(&seed, 3) ? draw(&seed, 4) : 9, back;
    unsigned line = place * 1000, same = (unsigned)draw(&seed, 4);
    uint64_t again = seed;

    for (unsigned o = place * 20; orders > 0; orders--, o++) {
        uint64_t lines = draw(&seed, 3) ? draw(&seed, 3) : 7;

        put_order(&file[F_ORDERS], o, patient, &seed);
        for (; lines > 0; lines--, line++) {
            if (!same)
                seed = again;
            put_line(&file[F_LINES], line, o, &seed);
            for (back = draw(&seed, 3); back > 0; back--)
                put_return(&file[F_RETURNS], line, &seed);
        }
    }
}

static void
put_unit(struct buf file[FILES], const struct side *s, size_t i)
{
    uint64_t seed = s->seed[i], alike = draw(&seed, 3), n = how_many(&seed);
    unsigned id = s->id[i] ? s->id[i] : (unsigned)i + 1;

    if (s->id[i])
        put_patient(&file[F_PATIENTS], id, s->seed[i]);
    else if (!s->left_over)
        return;
    for (uint64_t k = 0; k < n; k++)
        put_visit(&file[F_VISITS], id,
                  s->seed[i] * 31 + (alike ? k : 0)); /* or all equal */
    put_orders(file, (unsigned)i + 1, id, s->seed[i]);
}

static void
side_write(const struct side *s, const struct made *m)
{
    static const char visits[] = "patient,nights,cost,level,seen,spent\n";
    static const char *const heads[FILES] = {
        "id,age,city,weight,smoker,born,note,income,debt\n",
        visits,
        visits,
        "id,patient,by,pieces,total,day,memo\n",
        "id,ord,drug,qty,price,disc\n",
        "line,amount,why\n"};
    struct buf file[FILES];

    for (int f = 0; f < FILES; f++) {
        buf_init(&file[f], NULL, TEXT_MOST);
        buf_add_text(&file[f], heads[f]);
    }
    put_visit(&file[F_VISITS], 0, 1);         /* NULL patient */
    put_visit(&file[F_VISITS], UNITS * 9, 2); /* unknown patient */
    for (size_t i = 0; i < UNITS; i++)
        put_unit(file, s, i);
    for (size_t i = 0; i < s->n_rows; i++)
        put_visit(&file[F_ROWS], 1 + (unsigned)(s->rows[i] % 9), s->rows[i]);
    for (int f = 0; f < FILES; f++) {
        assert_false(file[f].failed);
        made_file(m, file_name[f], buf_text(&file[f]));
        buf_clear(&file[f]);
    }
    made_file(m, "floors.csv", "name,floor,area\nward,1,100.5\n");
    made_file(m, "drugs.csv",
              "id,kind,cost,name\n1,0,50,a\n2,1,0,b\n3,2,9.5,\n4,3,1,a\n"
              "5,0,,c\n6,1,70,d\n");
    made_file(m, "tags.csv",
              "drug,tag,w\n1,0,9\n1,0,9\n1,1,-3\n2,2,5\n2,3,9\n3,0,\n3,1,1\n"
              "3,2,9\n3,3,9\n9,1,9\n,2,2\n");
}

static void
side_first(struct side *s, uint64_t *state)
{
    *s = (struct side){.n_rows = ROWS};
    for (size_t i = 0; i < UNITS; i++) {
        s->id[i] = (unsigned)i + 1;
        s->seed[i] = draw(state, UINT32_MAX);
    }
    for (size_t i = 0; i < ROWS; i++)
        s->rows[i] = draw(state, UINT32_MAX);
}

/* --------------------------------------------------------------- datasets -- */

/*
 * Stores of one policy, and which of them are neighbours. Under add-remove,
 * sides 1 and 2 lack one unit each and side 3 lacks both. Under change-one,
 * each side has a different unit in the same place.
 */
struct dataset {
    struct made made[SIDES]; /* all use the policy of the first */
    bool change;
    const int (*pairs)[2];
    size_t n_pairs;
};

static void
policy_write(const struct dataset *w, char *text, size_t size, uint64_t *state)
{
    static const unsigned bounds[][3] = {{1, 1, 1}, {3, 2, 2}, {4, 1, 4},
                                         {5, 5, 1}, {2, 2, 2}, {9, 3, 9}};
    unsigned n[BOUNDED][3];
    bool delta;

    for (int i = 0; i < BOUNDED; i++)
        memcpy(n[i], ONE_OF(state, bounds), sizeof n[i]);
    delta = draw(state, 4) != 0;
    snprintf(text, size, policy, w->change ? "change-one" : "add-remove",
             delta ? "1e-3" : "0", delta ? ", max_rho: 1" : "", n[0][0],
             n[0][1], n[0][2], n[1][0], n[1][1], n[1][2], n[2][0], n[2][1],
             n[2][2], w->change ? "    exact_rows: 12\n" : "", n[3][0], n[3][1],
             n[3][2], n[4][0], n[4][1], n[4][2], n[5][0], n[5][1], n[5][2]);
}

/*
 * Removes about a third of the bounds on rows, so that bound selection chooses
 * them.
 */
static void
policy_open(char *text, uint64_t *state)
{
    static const char line[] = "    rows_per_unit: ";

    for (char *at = strstr(text, line); at; at = strstr(at, line)) {
        char *next = strchr(at, '\n') + 1;

        if (draw(state, 3) == 0)
            memmove(at, next, strlen(next) + 1);
        else
            at = next;
    }
}

static void
side_without(struct side *s, size_t unit, size_t row)
{
    s->id[unit] = 0;
    s->rows[row] = s->rows[--s->n_rows]; /* the order does not matter */
}

static void
sides_make(struct side sides[SIDES], bool change, uint64_t *state)
{
    size_t unit = draw(state, UNITS / 2), other = UNITS - 1 - unit;
    size_t row = draw(state, ROWS / 4);

    side_first(&sides[0], state);
    for (unsigned i = 1; i < SIDES; i++) {
        struct side *s = &sides[i];

        *s = sides[0];
        if (change) {
            s->seed[unit] = draw(state, UINT32_MAX);
            s->rows[row] = draw(state, UINT32_MAX);
            if (draw(state, 2))
                s->id[unit] = UNITS + i;
            continue;
        }
        s->left_over = draw(state, 2);
        if (i & 1)
            side_without(s, unit, row);
        if (i & 2)
            side_without(s, other, row + ROWS / 4);
    }
}

/*
 * On sides 1 and 3 tables of up to ENGINE_SMALL_ROWS rows count as small, on
 * sides 0 and 2 none does.
 */
static void
dataset_make(struct dataset *w, bool change, uint64_t *state)
{
    static const int square[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    static const int all[][2] = {{0, 1}, {0, 2}, {0, 3},
                                 {1, 2}, {1, 3}, {2, 3}};
    static char text[1 << 14];
    struct side sides[SIDES];

    w->change = change;
    w->pairs = change ? all : square;
    w->n_pairs = change ? COUNT_OF(all) : COUNT_OF(square);
    policy_write(w, text, sizeof text, state);
    policy_open(text, state);
    sides_make(sides, change, state);
    for (int i = 0; i < SIDES; i++) {
        struct made *m = &w->made[i];

        made_folder(m);
        side_write(&sides[i], m);
        made_policy(m, text);
        m->policy = w->made[0].policy; /* one plan serves all of them */
        if (made_import(m))
            fail_msg("%s | %s", m->err.said, m->err.noted);
        m->small_rows = i & 1 ? ENGINE_SMALL_ROWS : 0;
        made_open(m);
    }
}

static void
dataset_end(struct dataset *w)
{
    for (int i = SIDES - 1; i >= 0; i--)
        made_close(&w->made[i]);
}

#endif
