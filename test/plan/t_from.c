/*
 * How FROM is planned: names and their slots, what is known about columns, and
 * how many rows a unit can have. (engine/t_join and curator/t_stability test
 * that the engine agrees.)
 */
#include "plan/hospital.h"
#include "plan/from/relation.h"

static const struct relation *
from_of(struct planned *t, const char *from, const char *who)
{
    struct asked asked = {.who = who, .delta = "1e-4"};
    static char sql[1000];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", from);
    plan_good(t, sql, &asked);
    assert_non_null(t->plan->from);
    return t->plan->from;
}

/* All names in the order of *, as in "p.id s.stay-"; - marks hidden ones. */
static void
write_names(const struct relation *r, struct buf *out)
{
    for (size_t i = 0; i < r->n_names; i++) {
        const struct relation_name *n = &r->names[i];

        buf_printf(out, "%s%.*s.%.*s%s", i ? " " : "", (int)n->table.len,
                   n->table.ptr, (int)n->name.len, n->name.ptr,
                   n->hidden ? "-" : "");
    }
}

static void
names_are(const char *from, const char *who, const char *wanted)
{
    struct planned t;
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    write_names(from_of(&t, from, who), &b);
    assert_string_equal(buf_text(&b), wanted);
    buf_clear(&b);
    plan_done(&t);
}

static void
names_are_those_of_the_query(void **state)
{
    (void)state;
    names_are("stays", NULL, "stays.stay stays.patient stays.nights");
    names_are("stays AS s (a, b)", NULL, "s.a s.b s.nights");
    names_are("stays s JOIN doses d USING (stay)", NULL,
              "s.stay s.patient s.nights d.stay- d.drug d.mg");
    names_are("(SELECT nights * 2 AS n, stay FROM stays) AS x", NULL,
              "x.n x.stay");
    names_are("(SELECT s.*, 1 AS one FROM stays s) AS x (a)", NULL,
              "x.a x.patient x.nights x.one");
    names_are("(SELECT patient, sum(nights) AS n FROM stays GROUP BY patient) "
              "AS x",
              NULL, "x.patient x.n");
    names_are("(SELECT patient FROM stays UNION ALL SELECT patient_id FROM "
              "visits) AS x",
              NULL, "x.patient");
    names_are("long_stays l", NULL, "l.patient l.nights");
}

static void
only_what_is_granted_has_a_name(void **state)
{
    struct planned t;
    const struct relation *r;

    (void)state;
    names_are("patients", "ana", "patients.age patients.city");
    names_are("patients p CROSS JOIN cities c", "ana", "p.age p.city c.name");
    names_are("(SELECT * FROM patients) AS x", "ana", "x.age x.city");
    names_are("long_stays", "ben", "long_stays.patient long_stays.nights");
    r = from_of(&t, "patients", "ana");
    assert_int_equal(r->as->n_columns, 10); /* not only those granted */
    assert_int_equal(r->names[1].slot, 2);
    plan_done(&t);
}

/*
 * Inner joins commute: names keep the order of the text, and bounds do not
 * depend on it.
 */
static void
lists_keep_the_order_of_names(void **state)
{
    static const char *const orders[] = {
        "doses d, stays s, patients p WHERE ",
        "patients p, doses d, stays s WHERE ",
        "stays s, patients p, doses d WHERE ",
        "doses d, patients p, stays s WHERE ",
    };
    struct planned t;

    (void)state;
    names_are("doses d, people q, homes h, stays s WHERE q.person = h.member "
              "AND d.stay = s.stay AND q.household = s.patient",
              NULL,
              "d.stay d.drug d.mg q.person q.household h.member h.rooms s.stay "
              "s.patient s.nights");
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        char text[200];
        const struct relation *r;

        snprintf(text, sizeof text, "%sd.stay = s.stay AND s.patient = p.id",
                 orders[i]);
        r = from_of(&t, text, NULL);
        assert_int_equal(r->names[0].table.ptr[0], orders[i][0]);
        assert_int_equal(r->as->rows_per_unit, 12);
        for (size_t k = 0; k < r->n_names; k++)
            assert_true(str_equal(r->as->columns[r->names[k].slot].name,
                                  r->names[k].name));
        plan_done(&t);
    }
}

/* ------------------------------------------------------------- columns -- */

/* The index of the column with this name. */
static size_t
slot_of(const struct relation *r, const char *table, const char *name)
{
    for (size_t i = 0; i < r->n_names; i++)
        if (str_equal(r->names[i].table, str_of(table)) &&
            str_equal(r->names[i].name, str_of(name)))
            return r->names[i].slot;
    fail_msg("no column %s.%s", table, name);
    return 0;
}

enum { UNIQUE = 1, UNIT = 2, KEY = 4, NULLABLE = 8, STORED = 16 };

static unsigned
facts_of(const struct planned *t, const struct relation *r, size_t slot)
{
    const struct relation_column *c = &r->columns[slot];

    return (c->unique ? UNIQUE : 0u) |
           (relation_is_unit(r, slot, t->policy) ? UNIT : 0u) |
           (c->names && c->names != t->policy ? KEY : 0u) |
           (r->as->columns[slot].nullable ? NULLABLE : 0u) |
           (c->stored ? STORED : 0u);
}

#define PER_STAY                                                               \
    "(SELECT stay, patient, count(*) AS n FROM stays GROUP BY 1, 2)"
#define PER_UNIT "(SELECT patient, max(nights) AS n FROM stays GROUP BY 1)"

static void
what_is_known_of_columns(void **state)
{
    static const struct {
        const char *from, *table, *name;
        unsigned facts;
    } cases[] = {
        {"patients", "patients", "id", UNIQUE | UNIT | STORED},
        {"patients", "patients", "age", STORED},
        {"stays", "stays", "stay", UNIQUE | KEY | STORED},
        {"stays", "stays", "patient", UNIT | NULLABLE | STORED},
        {"doses", "doses", "stay", KEY | NULLABLE | STORED},
        {"doses", "doses", "drug", NULLABLE | STORED},
        {"remote", "remote", "id", UNIT | NULLABLE | STORED},
        /* a row of stays has one patient, who may have several stays */
        {"stays s JOIN patients p ON s.patient = p.id", "s", "stay",
         UNIQUE | KEY | STORED},
        {"stays s JOIN patients p ON s.patient = p.id", "p", "id",
         UNIT | STORED},
        /* pairs of one unit: nothing is unique any more */
        {"stays a JOIN stays b ON a.patient = b.patient", "a", "stay",
         KEY | STORED},
        {"stays a JOIN stays b ON a.stay = b.stay", "a", "stay",
         UNIQUE | KEY | STORED},
        {"doses d JOIN cities c ON true", "d", "stay", KEY | NULLABLE | STORED},
        /* the side that LEFT JOIN may leave empty */
        {"patients p LEFT JOIN stays s ON s.patient = p.id", "p", "id",
         UNIT | STORED},
        {"patients p LEFT JOIN stays s ON s.patient = p.id", "s", "stay",
         UNIQUE | KEY | NULLABLE | STORED},
        {"patients p LEFT JOIN stays s ON s.patient = p.id", "s", "patient",
         NULLABLE | STORED},
        {"stays s LEFT JOIN patients p ON s.patient = p.id", "p", "id",
         NULLABLE | STORED},
        {"stays s LEFT JOIN patients p ON s.patient = p.id", "p", "age",
         NULLABLE | STORED},
        /* subqueries */
        {"(SELECT stay, stay + 1 AS more FROM stays) AS x", "x", "stay",
         UNIQUE | KEY | STORED},
        {"(SELECT stay, stay + 1 AS more FROM stays) AS x", "x", "more", 0},
        {"(SELECT stay FROM stays UNION ALL SELECT stay FROM stays) AS x", "x",
         "stay", KEY | STORED},
        {"(SELECT patient FROM stays UNION ALL SELECT patient_id FROM visits) "
         "AS x",
         "x", "patient", UNIT | NULLABLE | STORED},
        {"(SELECT patient FROM stays UNION ALL SELECT nights FROM stays) AS x",
         "x", "patient", NULLABLE},
        {PER_UNIT " AS x", "x", "patient", UNIQUE | UNIT | NULLABLE},
        {PER_UNIT " AS x", "x", "n", NULLABLE},
        {PER_STAY " AS x", "x", "patient", UNIT | NULLABLE},
        {PER_STAY " AS x", "x", "stay", KEY},
        {PER_STAY " AS x", "x", "n", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;
        const struct relation *r = from_of(&t, cases[i].from, NULL);
        unsigned is =
            facts_of(&t, r, slot_of(r, cases[i].table, cases[i].name));

        if (is != cases[i].facts)
            fail_msg("%s: %s.%s is %u, not %u", cases[i].from, cases[i].table,
                     cases[i].name, is, cases[i].facts);
        plan_done(&t);
    }
}

/* Columns that refer to the same key have the same `names`. */
static void
keys_are_named_by_where_they_lead(void **state)
{
    struct planned t;
    const struct relation *r =
        from_of(&t, "doses d JOIN stays s ON d.stay = s.stay", NULL);
    const void *key = r->columns[slot_of(r, "d", "stay")].names;

    (void)state;
    assert_non_null(key);
    assert_ptr_equal(key, r->columns[slot_of(r, "s", "stay")].names);
    assert_ptr_not_equal(key, r->columns[slot_of(r, "s", "patient")].names);
    plan_done(&t);
}

/* ------------------------------------------------------------ stability -- */

/* Rows of a unit: patients 1, visits 20 in 5 groups, stays 4, doses 12. */
static void
rows_of_a_unit(void **state)
{
    static const struct {
        const char *from;
        enum meeting meeting; /* for joins */
        uint64_t rows, groups;
    } cases[] = {
        {"visits", MEET_PUBLIC, 20, 5},
        {"doses d JOIN stays s ON d.stay = s.stay", MEET_LEFT, 12, 12},
        {"stays s JOIN doses d ON d.stay = s.stay", MEET_RIGHT, 12, 12},
        {"stays s LEFT JOIN doses d ON d.stay = s.stay", MEET_EITHER, 16, 16},
        {"doses d LEFT JOIN stays s ON d.stay = s.stay", MEET_LEFT, 12, 12},
        {"visits v JOIN stays s ON v.patient_id = s.patient", MEET_UNIT, 80,
         20},
        {"visits v LEFT JOIN stays s ON v.patient_id = s.patient", MEET_UNIT,
         80, 20},
        {"visits a JOIN visits b USING (patient_id)", MEET_UNIT, 400, 25},
        {"doses d JOIN drugs g ON d.drug = g.code", MEET_LEFT, 12, 12},
        {"drugs g JOIN doses d ON d.drug = g.code", MEET_RIGHT, 12, 12},
        {"doses d JOIN drugs g ON d.drug < g.code", MEET_MANY, 12, 12},
        {"visits v CROSS JOIN cities c", MEET_MANY, 20, 5},
        {"d CROSS JOIN cities c", MEET_MANY, 1, 1},
        {"(SELECT patient_id FROM visits UNION ALL SELECT patient FROM stays) "
         "AS x",
         MEET_PUBLIC, 24, 9},
        {PER_UNIT " AS x", MEET_PUBLIC, 1, 1},
        {PER_STAY " AS x", MEET_PUBLIC, 4, 4},
        {PER_UNIT " AS x JOIN visits v ON v.patient_id = x.patient", MEET_RIGHT,
         20, 5},
        {PER_STAY " AS x JOIN visits v ON v.patient_id = x.patient", MEET_UNIT,
         80, 20},
        {"remote r CROSS JOIN cities c", MEET_MANY, 4, 4},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;
        const struct relation *r = from_of(&t, cases[i].from, NULL);

        if (r->as->rows_per_unit != cases[i].rows ||
            r->as->groups_per_unit != cases[i].groups ||
            (r->kind == RELATION_JOIN && r->meeting != cases[i].meeting))
            fail_msg("%s: %llu rows in %llu groups, meeting %d", cases[i].from,
                     (unsigned long long)r->as->rows_per_unit,
                     (unsigned long long)r->as->groups_per_unit, r->meeting);
        plan_done(&t);
    }
}

/* Properties of a table that everything derived from it keeps. */
static void
marks_are_handed_on(void **state)
{
    struct planned t;
    const struct relation *r;

    (void)state;
    r = from_of(
        &t, "(SELECT id, v + 1 AS w FROM remote CROSS JOIN cities) AS x", NULL);
    assert_true(r->as->facts.may_change && !r->as->facts.sorted &&
                r->renumbered && !r->as->is_public);
    plan_done(&t);
    r = from_of(&t, "d CROSS JOIN cities", NULL);
    assert_true(r->as->unit_is_row && r->renumbered);
    plan_done(&t);
    r = from_of(&t, "stays s JOIN doses o USING (stay)", NULL);
    assert_true(!r->as->attached && !r->renumbered && !r->as->unit_is_row);
    plan_done(&t);
    r = from_of(&t, "cities a CROSS JOIN cities b", NULL);
    assert_true(r->as->is_public && t.plan->is_public);
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_the_query),
        cmocka_unit_test(only_what_is_granted_has_a_name),
        cmocka_unit_test(lists_keep_the_order_of_names),
        cmocka_unit_test(what_is_known_of_columns),
        cmocka_unit_test(keys_are_named_by_where_they_lead),
        cmocka_unit_test(rows_of_a_unit),
        cmocka_unit_test(marks_are_handed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
