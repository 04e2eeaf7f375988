/*
 * Drafts: golden text; an unanswered TODO is rejected with its line; and once
 * all are answered, the policy says what the schema said, whatever the names
 * are.
 */
#include "policy/draft.h"

#include "policy/emit.h"
#include "policy/good.h"
#include "support/said.h"

enum { OUT_MAX = 1 << 20 };

static const struct draft_column patients[] = {
    {{"id", 2}, TYPE_INT, 0},
    {{"Full Name", 9}, TYPE_TEXT, 0},
    {{"born", 4}, TYPE_DATE, 0},
    {{"scan", 4}, TYPE_NULL, 0},
};
static const struct draft_column visits[] = {
    {{"patient_id", 10}, TYPE_INT, 0}, {{"visitID", 7}, TYPE_INT, 0},
    {{"cost", 4}, TYPE_DECIMAL, 2},    {{"weight", 6}, TYPE_REAL, 0},
    {{"urgent", 6}, TYPE_BOOL, 0},     {{"scan", 4}, TYPE_NULL, 0},
    {{"at", 2}, TYPE_TIMESTAMP, 0},    {{"n", 1}, TYPE_INT, 0},
};

#define STR(text)                                                              \
    {                                                                          \
        text, sizeof(text) - 1                                                 \
    }

static const struct draft_table tables[] = {
    {STR("data/patients.csv"), SOURCE_CSV, STR(""), patients, 4},
    {STR("my store.db"), SOURCE_DUCKDB, STR("2024 Visits"), visits, 8},
};

static const char expected[] =
    "tables:\n"
    "  patients:\n"
    "    source: data/patients.csv\n"
    "    # ? Whom does a row belong to: a column, or row for the row itself.\n"
    "    #   Where it protects nobody: public: true instead of these two "
    "lines.\n"
    "    unit: TODO # ? perhaps id\n"
    "    rows_per_unit: TODO # ? how many rows of one unit count at most; 1 "
    "where a unit has one row\n"
    "    # ? The most rows this table may ever have. The number becomes "
    "public, "
    "and\n"
    "    #   reply times depend on it: choose it without looking at the data. "
    "Without\n"
    "    #   it every custos init charges for a noisy count.\n"
    "    # max_rows: 1000000\n"
    "    # ? Ranges and values are public: take them from what is known of "
    "the\n"
    "    #   subject, never from the data. nullable: false where a value is "
    "always there.\n"
    "    # ? A CSV file has no types: name one of boolean, integer, decimal "
    "(with\n"
    "    #   scale: 2), real, text, date and timestamp.\n"
    "    columns:\n"
    "      id: {type: integer} # ? references: TABLE.COLUMN\n"
    "      \"Full Name\": {type: text} # ? values: [...], all that may be "
    "grouped by\n"
    "      born: {type: date} # ? range: [first, last], to group by it\n"
    "      scan: {type: TODO} # ? and its range or values\n"
    "\n"
    "  t_2024_visits:\n"
    "    source: \"my store.db\"\n"
    "    format: duckdb\n"
    "    source_table: \"2024 Visits\"\n"
    "    # ? Whom does a row belong to: a column, or row for the row itself.\n"
    "    #   Where it protects nobody: public: true instead of these two "
    "lines.\n"
    "    unit: TODO # ? perhaps patient_id or \"visitID\"\n"
    "    rows_per_unit: TODO # ? how many rows of one unit count at most; 1 "
    "where a unit has one row\n"
    "    # ? The most rows this table may ever have. The number becomes "
    "public, "
    "and\n"
    "    #   reply times depend on it: choose it without looking at the data. "
    "Without\n"
    "    #   it every custos init charges for a noisy count.\n"
    "    # max_rows: 1000000\n"
    "    # ? Ranges and values are public: take them from what is known of "
    "the\n"
    "    #   subject, never from the data. nullable: false where a value is "
    "always there.\n"
    "    columns:\n"
    "      patient_id: {type: integer} # ? references: patients.id\n"
    "      \"visitID\": {type: integer} # ? references: TABLE.COLUMN\n"
    "      cost: {type: decimal, scale: 2} # ? range: [lower, upper], to sum "
    "it\n"
    "      weight: {type: real} # ? range: [lower, upper], to sum it\n"
    "      urgent: {type: boolean}\n"
    "      # left out, of a type that is not read: scan\n"
    "      at: {type: timestamp} # ? range: [first, last], to group by it\n"
    "      n: {type: integer} # ? range: [lower, upper], to sum it\n"
    "\n";

static void
draft_has_the_schema_and_questions(void **state)
{
    struct buf out;
    const char *at;

    (void)state;
    buf_init(&out, NULL, OUT_MAX);
    policy_draft(tables, COUNT_OF(tables), &out);
    assert_false(out.failed);
    at = strstr(buf_text(&out), "tables:\n");
    assert_non_null(at);
    assert_int_equal(strncmp(at, expected, strlen(expected)), 0);
    buf_clear(&out);
}

/*
 * Replaces each TODO in turn; before that the draft is rejected with the line
 * of the TODO.
 */
static struct policy *
answer_all(arena *a, struct buf *draft, const char *const *answers, size_t n)
{
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    for (size_t i = 0; i <= n; i++) {
        const char *text = buf_text(draft), *at = strstr(text, ": TODO");
        struct buf next;
        char said[64];
        int line = 1;

        if (i == n) {
            assert_null(at);
            break;
        }
        assert_non_null(at);
        for (const char *c = text; c < at; c++)
            line += *c == '\n';
        assert_int_equal(policy_read(a, str_of(text), "p.yaml", &p, &err),
                         CUSTOS_EPOLICY);
        snprintf(said, sizeof said, "p.yaml, line %d: this TODO is still",
                 line);
        assert_memory_equal(whole_said(&err), said, strlen(said));
        buf_init(&next, NULL, OUT_MAX);
        buf_add(&next, text, (size_t)(at - text));
        buf_printf(&next, ": %s%s", answers[i], at + 6);
        buf_clear(draft);
        *draft = next;
    }
    if (policy_read(a, str_of(buf_text(draft)), "p.yaml", &p, &err))
        fail_msg("%s", err.said);
    return p;
}

static void
answered_draft_is_a_policy(void **state)
{
    static const char *const answers[] = {"1", "1e-9", "1000",       "id",
                                          "1", "real", "patient_id", "5"};
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p;
    struct buf out;

    (void)state;
    buf_init(&out, NULL, OUT_MAX);
    policy_draft(tables, COUNT_OF(tables), &out);
    p = answer_all(a, &out, answers, COUNT_OF(answers));
    assert_int_equal(p->n_tables, 2);
    assert_int_equal(p->tables[0].n_columns, 4);
    assert_int_equal(p->tables[1].n_columns, 7);
    assert_int_equal(p->tables[1].source_kind, SOURCE_DUCKDB);
    assert_true(str_equal(p->tables[1].source_table, str_of("2024 Visits")));
    assert_true(str_equal(p->tables[1].source, str_of("my store.db")));
    assert_int_equal(p->tables[1].columns[2].scale, 2);
    assert_int_equal(p->tables[1].columns[5].type, TYPE_TIMESTAMP);
    buf_clear(&out);
    arena_free(a);
}

/* Every name reads back unchanged; a table's name becomes an SQL word. */
static void
names_come_back(void **state)
{
    static const char *const names[] = {
        "plain",
        "Quoted",
        "two words",
        "quo\"te",
        "back\\slash",
        "null",
        "true",
        "~",
        "TODO",
        "a: b",
        "a #b",
        "- x",
        "{x}",
        "[x]",
        "&x",
        "*x",
        "!x",
        "'x'",
        "%x",
        "@x",
        "`x`",
        "1",
        "1.5",
        "ünï",
        " lead",
        "trail ",
        "a,b",
        "?",
        ":",
        "|",
        "=",
        "<<",
        "\xc2\xa0x",
        "\xe2\x80\xa8",
        "a\xe2\x80\xa9z",
        "\xe2\x80\xaa",
        ("\xef\xbb\xbf"
         "a"),
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        static const char *const answers[] = {"1", "0", "10", "row", "1"};
        struct draft_column c = {str_of(names[i]), TYPE_INT, 0};
        struct draft_table t = {str_of(names[i]), SOURCE_DUCKDB,
                                str_of(names[i]), &c, 1};
        arena *a = arena_new(NULL, MEMORY);
        const struct policy *p;
        struct buf out;

        buf_init(&out, NULL, OUT_MAX);
        policy_draft(&t, 1, &out);
        p = answer_all(a, &out, answers, COUNT_OF(answers));
        assert_true(str_equal(p->tables[0].columns[0].name, c.name));
        assert_true(str_equal(p->tables[0].source, c.name));
        assert_true(str_equal(p->tables[0].source_table, c.name));
        assert_true(is_sql_word(p->tables[0].name));
        buf_clear(&out);
        arena_free(a);
    }
}

/*
 * A path may contain any character, control characters too.
 */
static void
controls_come_back(void **state)
{
    static const char *const answers[] = {"1", "0", "10", "row", "1"};
    static const char odd[] = "a\tb\x7f\xc2\x85\xc2\x9f\n.csv";
    struct draft_column c = {str_of("wide_id"), TYPE_INT, 0};
    struct draft_table t = {str_of(odd), SOURCE_CSV, str_of(""), &c, 1};
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p;
    struct buf out;

    (void)state;
    buf_init(&out, NULL, OUT_MAX);
    policy_draft(&t, 1, &out);
    p = answer_all(a, &out, answers, COUNT_OF(answers));
    assert_true(str_equal(p->tables[0].source, str_of(odd)));
    buf_clear(&out);
    arena_free(a);
}

static void
equal_names_get_numbers(void **state)
{
    const struct draft_table twins[] = {
        {STR("a/x.csv"), SOURCE_CSV, STR(""), patients, 1},
        {STR("b/X.parquet"), SOURCE_PARQUET, STR(""), patients, 1},
        {STR("x.tar.csv"), SOURCE_CSV, STR(""), patients, 1},
    };
    struct buf out;

    (void)state;
    buf_init(&out, NULL, OUT_MAX);
    policy_draft(twins, COUNT_OF(twins), &out);
    assert_non_null(strstr(buf_text(&out), "\n  x:\n"));
    assert_non_null(strstr(buf_text(&out), "\n  x_2:\n"));
    assert_non_null(strstr(buf_text(&out), "\n  x_3:\n"));
    buf_clear(&out);
}

/* A buffer that is too small is reported. */
static void
memory_fails(void **state)
{
    struct buf out;

    (void)state;
    for (size_t room = 1; room < 2500; room += 97) {
        buf_init(&out, NULL, room);
        policy_draft(tables, COUNT_OF(tables), &out);
        assert_true(out.failed);
        buf_clear(&out);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draft_has_the_schema_and_questions),
        cmocka_unit_test(answered_draft_is_a_policy),
        cmocka_unit_test(names_come_back),
        cmocka_unit_test(controls_come_back),
        cmocka_unit_test(equal_names_get_numbers),
        cmocka_unit_test(memory_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
