/*
 * The catalog as clients query it: catalog.txt has the queries that psql, JDBC,
 * SQLAlchemy, asyncpg, psycopg, pgbench, DBeaver and Metabase send, each with
 * the rows that it must return. CUSTOS_GOLDEN=file writes them again.
 */
#include "curator/catalog.h"

#include <stdio.h>
#include <stdlib.h>

#include "curator/opened.h"
#include "support/support.h"

static const char *const policy =
    "custos: 1\n"
    "budget: {epsilon: 10}\n"
    "tables:\n"
    "  hidden:\n"
    "    source: floors.csv\n"
    "    public: true\n"
    "    columns: {name: {type: text}, floor: {type: integer}}\n"
    "  patients:\n"
    "    source: patients.csv\n"
    "    unit: id\n"
    "    comment: people\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      secret: {type: text}\n"
    "      age: {type: integer, range: [0, 100], nullable: false}\n"
    "      city: {type: text, values: [Oslo, Rome], comment: where}\n"
    "      weight: {type: real, range: [0, 200]}\n"
    "      cost: {type: decimal, scale: 2, range: [0, 100]}\n"
    "      born: {type: date}\n"
    "      seen: {type: timestamp}\n"
    "      ok: {type: boolean}\n"
    "  visits:\n"
    "    source: visits.csv\n"
    "    unit: patient\n"
    "    rows_per_unit: 2\n"
    "    columns:\n"
    "      patient: {type: integer, references: patients.id}\n"
    "      nights: {type: integer, range: [0, 10], nullable: false}\n"
    "  floors:\n"
    "    public: true\n"
    "    source: floors.csv\n"
    "    columns: {name: {type: text}, floor: {type: integer}}\n"
    "views:\n"
    "  dear: {sql: \"SELECT patient, nights FROM visits WHERE nights > 2\"}\n"
    "  other: {sql: \"SELECT name FROM hidden\"}\n"
    "analysts:\n"
    "  ana:\n"
    "    tables:\n"
    "      patients: [id, age, city, weight, cost, born, seen, ok]\n"
    "      visits: [patient, nights]\n"
    "      floors: [name, floor]\n"
    "      dear: all\n"
    "  bob:\n"
    "    tables: {patients: [age]}\n";

static int
begin(void **state)
{
    (void)state;
    test_store_write(&files, policy, "patients.csv",
                     "id,secret,age,city,weight,cost,born,seen,ok\n"
                     "1,s,30,Rome,70.5,1,2000-01-01,2026-01-01 00:00:00,true\n",
                     "visits.csv", "patient,nights\n1,1\n", "floors.csv",
                     "name,floor\nward,1\n", NULL);
    open_store();
    return 0;
}

static void
write_rows(const struct catalog_rows *r, struct buf *b)
{
    for (size_t i = 0; i < r->n_columns; i++)
        buf_printf(b, "%s%.*s:%u", i ? "|" : "", (int)r->columns[i].name.len,
                   r->columns[i].name.ptr, r->columns[i].oid);
    buf_add_text(b, "\n");
    for (size_t k = 0; k < r->n_rows; k++) {
        for (size_t i = 0; i < r->n_columns; i++) {
            const struct catalog_value *v = &r->cells[k * r->n_columns + i];

            buf_add_text(b, i ? "|" : "");
            if (v->is_null)
                buf_add_text(b, "~");
            else
                buf_add(b, v->text.ptr, v->text.len);
        }
        buf_add_text(b, "\n");
    }
}

static void
ask_into(const struct catalog_ask *ask, struct buf *b)
{
    arena *a = arena_new(NULL, 1 << 28);
    struct catalog_rows rows;
    custos_err err = CUSTOS_ERR_INIT;

    if (curator_catalog(c, ask, a, &rows, &err))
        buf_printf(b, "refused: %s\n", err.said);
    else
        write_rows(&rows, b);
    arena_free(a);
}

static void
answer_into(const char *who, str sql, const struct catalog_value *values,
            size_t n, struct buf *b)
{
    ask_into(
        &(struct catalog_ask){
            .who = str_of(who), .sql = sql, .params = values, .n_params = n},
        b);
}

static void
gives(const char *who, const char *sql, const char *want)
{
    struct buf b;

    buf_init(&b, NULL, 1 << 24);
    answer_into(who, str_of(sql), NULL, 0, &b);
    if (strcmp(buf_text(&b), want) != 0)
        fail_msg("%s\n%s\nnot\n%s", sql, buf_text(&b), want);
    buf_clear(&b);
}

/* The query is rejected with a message that contains `want`. */
static void
refuses(const char *sql, const char *want)
{
    struct buf b;

    buf_init(&b, NULL, 1 << 24);
    answer_into("ana", str_of(sql), NULL, 0, &b);
    if (strncmp(buf_text(&b), "refused: ", 9) != 0 ||
        !strstr(buf_text(&b), want))
        fail_msg("%s\n%s\nnot\n%s", sql, buf_text(&b), want);
    buf_clear(&b);
}

/* Tables that are not granted do not exist, and leave no gap in the OIDs. */
static void
an_analyst_sees_what_is_granted(void **state)
{
    (void)state;
    gives("ana",
          "SELECT oid, relname FROM pg_class WHERE relnamespace = "
          "'public'::regnamespace AND relkind IN ('r', 'v') ORDER BY oid",
          "oid:26|relname:25\n16384|patients\n16385|visits\n16386|floors\n"
          "16387|dear\n");
    gives("bob",
          "SELECT oid, relname FROM pg_class WHERE relnamespace = "
          "'public'::regnamespace ORDER BY oid",
          "oid:26|relname:25\n16384|patients\n");
    gives("bob",
          "SELECT attname, attnum FROM pg_attribute WHERE attrelid = "
          "'patients'::regclass",
          "attname:25|attnum:21\nage|1\n");
    gives("bob", "SELECT count(*) FROM pg_constraint", "count:20\n0\n");
    gives("bob", "SELECT 1 AS x ORDER BY x", "x:23\n1\n");
    gives("bob",
          "SELECT table_name, column_name FROM information_schema.columns "
          "WHERE table_schema = 'public'",
          "table_name:25|column_name:25\npatients|age\n");
    gives("bob", "SELECT rolname FROM pg_roles ORDER BY 1",
          "rolname:25\nbob\nowner\n");
    gives("bob",
          "SELECT count(*) FROM pg_description WHERE description LIKE "
          "'%secret%' OR description LIKE '%hidden%'",
          "count:20\n0\n");
    gives("", "SELECT count(*) FROM pg_tables", "count:20\n4\n");
    gives("", "SELECT pg_get_viewdef('other')",
          "pg_get_viewdef:25\nSELECT name FROM hidden\n");
    gives("ana", "SELECT pg_get_viewdef('dear'), definition FROM pg_views",
          "pg_get_viewdef:25|definition:25\n~|~\n");
}

static void
what_is_not_listed_is_refused(void **state)
{
    static const char *const calls[] = {
        "read_csv('/etc/passwd')",
        "read_text('/etc/passwd')",
        "glob('/*')",
        "getenv('HOME')",
        "getvariable('database')",
        "query('SELECT 1')",
        "query_table('pgc.my_tables')",
        "duckdb_settings()",
        "duckdb_tables()",
        "pragma_version()",
        "pg_read_file('x')",
        "pg_sleep(1)",
        "dblink('x', 'y')",
        "lo_import('x')",
        "setval('x', 1)",
        "repeat('x', 1000000000)",
        "sql_auto_complete('x')",
        "main.version()",
        "pgc.version()",
        "row_hash('x')",
    };
    char sql[200];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        snprintf(sql, sizeof sql, "SELECT %s", calls[i]);
        refuses(sql, "not supported in catalog queries");
        snprintf(sql, sizeof sql, "SELECT * FROM %s", calls[i]);
        refuses(sql, "not supported in catalog queries");
    }
    refuses("SELECT * FROM pg_catalog.pg_authid", "there is no table");
    refuses("SELECT * FROM pg_shadow", "there is no table");
    refuses("SELECT * FROM pg_stats", "there is no table");
    refuses("SELECT * FROM pg_catalog.my_tables", "there is no table");
    refuses("SELECT * FROM pg_catalog._pg_database", "there is no table");
    refuses("SELECT * FROM pgc.pg_class", "there is no table");
    refuses("SELECT * FROM patients", "there is no table");
    refuses("SELECT * FROM public.patients", "there is no table");
    refuses("SELECT * FROM duckdb_tables", "there is no table");
    refuses("SELECT * FROM \"/etc/passwd\"", "there is no table");
    refuses("SELECT * FROM '/etc/passwd'", "syntax");
    refuses("COPY pg_class TO '/tmp/x'", "a single SELECT");
    refuses("ATTACH 'x'", "syntax");
    refuses("PRAGMA version", "syntax");
    refuses("CREATE TABLE pg_x AS SELECT 1", "a single SELECT");
    refuses("SELECT 1; SELECT 2", "a single SELECT");
    refuses("SELECT 1 INTO x", "");
    refuses("WITH x AS (DELETE FROM pg_class RETURNING 1) SELECT 1", "");
    refuses("SELECT 'a' OPERATOR(x.=) 'b'", "pg_catalog");
    refuses("SELECT 1 ## 2", "operator");
    refuses("SELECT 'x'::xml", "type xml");
    refuses("SELECT '1'::public.int4", "type");
    refuses("SELECT * FROM pg_class FOR UPDATE", "");
    refuses("SELECT current_timestamp", "dates and times");
    refuses("SELECT age", "there is no column age without FROM");
    refuses("SELECT 1 WHERE p.age > 5", "there is no column age without FROM");
    refuses("SELECT 1, set_config('custos.epsilon', '9', false)",
            "must be the only output");
    refuses("SELECT current_setting('Custos.within') || 'x'",
            "must be the only output");
}

/*
 * Outside its scope, a name of WITH is unknown. Otherwise it could refer to one
 * of the database's own views that the catalog does not have.
 */
static void
names_of_with_have_a_scope(void **state)
{
    static const char gone[] = "there is no table sqlite_master";

    (void)state;
    refuses("SELECT * FROM (WITH sqlite_master AS (SELECT 1) SELECT * FROM "
            "sqlite_master) a, sqlite_master b",
            gone);
    refuses("SELECT 1 FROM sqlite_master WHERE 1 = (WITH sqlite_master AS "
            "(SELECT 1) SELECT 1)",
            gone);
    refuses("(WITH sqlite_master AS (SELECT 1 x) SELECT x FROM sqlite_master) "
            "UNION SELECT 1 FROM sqlite_master",
            gone);
    refuses("WITH sqlite_master AS (SELECT * FROM sqlite_master) SELECT 1",
            gone);
    refuses("WITH a AS (SELECT * FROM sqlite_master), sqlite_master AS (SELECT "
            "1) SELECT * FROM a",
            gone);
    refuses("WITH RECURSIVE a AS (SELECT * FROM sqlite_master), sqlite_master "
            "AS (SELECT 1) SELECT * FROM a",
            gone);
    refuses("WITH RECURSIVE sqlite_master AS (SELECT * FROM sqlite_master) "
            "SELECT 1",
            gone);
    refuses("WITH RECURSIVE sqlite_master AS (SELECT 1 FROM sqlite_master "
            "UNION SELECT 2) SELECT 1",
            gone);
    refuses("WITH sqlite_master AS (SELECT 1 x) SELECT * FROM (WITH "
            "sqlite_master AS (SELECT * FROM sqlite_master) SELECT 1) a",
            gone);
    gives("ana",
          "WITH a AS (SELECT 1 x), b AS (SELECT x + 1 y FROM a) SELECT y, "
          "(SELECT max(x) FROM a) m FROM b",
          "y:23|m:23\n2|1\n");
    gives("ana",
          "WITH RECURSIVE n AS (SELECT 1 x UNION ALL SELECT x + 1 FROM n "
          "WHERE x < 3) SELECT x FROM n ORDER BY x",
          "x:23\n1\n2\n3\n");
    gives("ana",
          "WITH a AS (SELECT 1 x) SELECT x FROM (WITH a AS (SELECT 2 x) "
          "SELECT x FROM a) b UNION SELECT x FROM a ORDER BY x",
          "x:23\n1\n2\n");
}

/*
 * Every failure in the sandbox has the same message, and its settings cannot be
 * changed.
 */
static void
the_database_is_sealed(void **state)
{
    (void)state;
    refuses("SELECT nothing FROM pg_class", "the query could not be completed");
    refuses("SELECT relname::int FROM pg_class",
            "the query could not be completed");
    refuses("SELECT array_agg(g) FROM generate_series(1, 1000000000) g",
            "the query could not be completed");
    gives("ana", "SELECT set_config('memory_limit', '1TB', false)",
          "set_config:25\n1TB\n");
}

/* Outputs have PostgreSQL's names, however their expressions were rewritten. */
static void
outputs_have_their_names(void **state)
{
    (void)state;
    gives("ana",
          "SELECT exists(SELECT 1), (SELECT 2 AS two), current_user, user, "
          "array(SELECT 1), 7 / 2, pg_catalog.format_type(20, NULL), "
          "1::oid::regclass, 'patients'::regclass::oid, "
          "coalesce(NULL, 'x'), 'a' ~ 'A', 'a' ~* 'A', 'a_b' LIKE 'a\\_b'",
          "exists:16|two:23|current_user:25|user:25|array:1007|?column?:23|"
          "format_type:25|regclass:25|oid:26|coalesce:25|?column?:16|"
          "?column?:16|?column?:16\n"
          "t|2|ana|ana|{1}|3|bigint|1|16384|x|f|t|t\n");
}

/* ------------------------------------------------------------- recorded -- */

static int
compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts all lines but the first: most queries do not ask for an order. */
static void
sort_rows(struct buf *b, struct buf *out)
{
    char *lines[2000], *p = b->ptr;
    size_t n = 0;

    for (char *end; p && (end = strchr(p, '\n')) && n < COUNT_OF(lines);
         p = end + 1) {
        *end = 0;
        lines[n++] = p;
    }
    if (n > 2)
        qsort(lines + 1, n - 1, sizeof *lines, compare_lines);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s\n", lines[i]);
}

enum { PARAMS_MAX = 8 };

/*
 * "20:2200|1043:public": types and values of $1, $2 ... as drivers send them.
 * Returns the position after the line.
 */
static const char *
take_params(const char *p, struct catalog_value *values, uint32_t *types,
            size_t *n)
{
    for (*n = 0; *p != '\n' && *n < PARAMS_MAX; (*n)++) {
        size_t len;
        char *end;

        types[*n] = (uint32_t)strtoul(p, &end, 10);
        assert_int_equal(*end, ':');
        len = strcspn(end + 1, "|\n");
        values[*n] = (struct catalog_value){.text = {end + 1, len}};
        p = end + 1 + len + (end[1 + len] == '|');
    }
    return p + 1;
}

/* One block: label, parameters if there are any, text, "=>", rows. */
static void
replay(char *block, FILE *golden)
{
    static const char given[] = "-- $ ";
    const char *rows = strstr(block, "=>\n"), *sql = strchr(block, '\n');
    struct catalog_value values[PARAMS_MAX];
    uint32_t types[PARAMS_MAX];
    struct catalog_ask ask = {
        .who = str_of("ana"), .params = values, .param_types = types};
    struct buf b, sorted;

    assert_non_null(rows);
    assert_true(sql && sql++ < rows);
    if (!strncmp(sql, given, sizeof given - 1))
        sql = take_params(sql + sizeof given - 1, values, types, &ask.n_params);
    ask.n_param_types = ask.n_params;
    ask.sql = (str){sql, (size_t)(rows - sql)};
    buf_init(&b, NULL, 1 << 24);
    buf_init(&sorted, NULL, 1 << 24);
    ask_into(&ask, &b);
    sort_rows(&b, &sorted);
    if (golden)
        fprintf(golden, "====\n%.*s=>\n%s", (int)(rows - block), block,
                buf_text(&sorted));
    else if (strcmp(buf_text(&sorted), rows + 3) != 0)
        fail_msg("%.*s\n%s\nnot\n%s", (int)(rows - block), block,
                 buf_text(&sorted), rows + 3);
    buf_clear(&b);
    buf_clear(&sorted);
}

static void
clients_find_what_they_look_for(void **state)
{
    static char text[1 << 20];
    const char *src = getenv("SRC"), *to = getenv("CUSTOS_GOLDEN");
    FILE *golden = to ? fopen(to, "w") : NULL, *f;
    char path[4096], *block = text, *next;

    (void)state;
    snprintf(path, sizeof path, "%s/test/curator/catalog.txt", src ? src : ".");
    f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    assert_memory_equal(text, "====\n", 5);
    for (block = text + 5; block; block = next) {
        next = strstr(block, "\n====\n");
        if (next) {
            next[1] = 0;
            next += 6;
        }
        replay(block, golden);
    }
    if (golden)
        fclose(golden);
}

/* A parameter gets its type from its context; its value acts as a literal. */
static void
parameters_are_typed_and_given(void **state)
{
    static const char *const lookup =
        "SELECT t.oid FROM pg_type t WHERE t.oid = any($1::oid[]) ORDER BY 1";
    struct catalog_value oids = {.text = str_of("{25,20}")},
                         name = {.text = str_of("x' OR 'a' = 'a")};
    arena *a = arena_new(NULL, 1 << 26);
    struct catalog_ask ask = {
        .who = str_of("ana"),
        .sql = str_of("SELECT relname, $2 AS x FROM pg_class WHERE oid = $1 "
                      "AND relname = $3::name")};
    struct catalog_rows rows;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    (void)state;
    assert_int_equal(curator_catalog_describe(c, &ask, a, &rows, &err),
                     CUSTOS_OK);
    assert_int_equal(rows.n_params, 3);
    assert_int_equal(rows.params[0], 26);
    assert_int_equal(rows.params[1], 25);
    assert_int_equal(rows.params[2], 19);
    assert_int_equal(rows.n_columns, 2);
    assert_int_equal(rows.n_rows, 0);
    assert_int_equal(curator_catalog(c, &ask, a, &rows, &err), CUSTOS_EINVAL);
    ask.sql = str_of(lookup);
    assert_int_equal(curator_catalog_describe(c, &ask, a, &rows, &err),
                     CUSTOS_OK);
    assert_int_equal(rows.params[0], 1028);
    arena_free(a);
    buf_init(&b, NULL, 1 << 20);
    answer_into("ana", str_of(lookup), &oids, 1, &b);
    answer_into("ana",
                str_of("SELECT count(*) FROM pg_class WHERE relname = "
                       "$1"),
                &name, 1, &b);
    assert_string_equal(buf_text(&b), "oid:26\n20\n25\ncount:20\n0\n");
    buf_clear(&b);
}

/*
 * A text computed from texts has at most 4096 bytes or is NULL. However deep
 * calls are nested, no intermediate result is longer.
 */
static void
computed_texts_are_bounded(void **state)
{
    static const struct {
        const char *grow, *start;
    } ways[] = {
        {"n || n", "'ab'"},
        {"concat(n, n)", "'ab'"},
        {"concat_ws('-', n, n)", "'ab'"},
        {"replace(n, 'a', 'aaaa')", "'ab'"},
        {"regexp_replace(n, 'a', 'aaaa', 'g')", "'ab'"},
        {"quote_literal(n)", "'it''s'"},
        {"quote_ident(n)", "'\"A'"},
        {"format('%s%s', n, n)", "'ab'"},
        {"translate(n || n, 'a', 'b')", "'ab'"},
        {"array_to_string(ARRAY[n, n], ',')", "'ab'"},
    };
    struct buf b;

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        buf_init(&b, NULL, 1 << 16);
        buf_add_text(&b, "SELECT coalesce(octet_length(n), 0) <= "
                         "4096 AS brief FROM (");
        for (int k = 0; k < 40; k++)
            buf_printf(&b, "SELECT %s AS n FROM (", ways[i].grow);
        buf_printf(&b, "SELECT %s::text AS n", ways[i].start);
        for (int k = 0; k < 41; k++)
            buf_printf(&b, ") x%d", k);
        gives("ana", buf_text(&b), "brief:16\nt\n");
        buf_clear(&b);
    }
    gives("ana", "SELECT 'a' || 1 AS n, replace('aXa', 'X', '--') AS r",
          "n:25|r:25\na1|a--a\n");
    gives("ana",
          "SELECT length(string_agg('x', '')) AS n FROM "
          "generate_series(1, 4096) g",
          "n:20\n4096\n");
    gives("ana",
          "SELECT length(string_agg('x', '')) AS n FROM "
          "generate_series(1, 4097) g",
          "n:20\n~\n");
}

/* `head`, `times` times, around 1, with `tail` after each: "head(head(1))". */
static const char *
nested(struct buf *b, const char *head, const char *tail, int times)
{
    buf_init(b, NULL, 1 << 16);
    buf_add_text(b, "SELECT ");
    for (int i = 0; i < times; i++)
        buf_add_text(b, head);
    buf_add_text(b, "1");
    for (int i = 0; i < times; i++)
        buf_add_text(b, tail);
    buf_add_text(b, " AS n");
    return buf_text(b);
}

/*
 * The database copies the argument of a macro, of NULLIF and of CASE to each
 * place where it is used: 30 levels would be 2^30 expressions and more. Such
 * queries are refused; calls that use each argument once may be nested.
 */
static void
nested_calls_are_bounded(void **state)
{
    static const struct {
        const char *head, *tail;
    } grow[] = {
        {"format('%s', ", ")"},
        {"format_type(1700, ", ")"},
        {"", "::text::regclass"},
        {"", "::text::regtype"},
        {"NULLIF(", ", 2)"},
        {"CASE ", " WHEN 5 THEN 6 WHEN 7 THEN 8 ELSE 9 END"},
        {"array_upper(ARRAY[", "], 1)"},
    };
    struct buf b;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(grow); i++) {
        refuses(nested(&b, grow[i].head, grow[i].tail, 30), "too long");
        buf_clear(&b);
    }
    gives("ana", nested(&b, "format('%s', ", ")", 3), "n:25\n1\n");
    buf_clear(&b);
    gives("ana", nested(&b, "quote_literal('' || ", ")", 1), "n:25\n'1'\n");
    buf_clear(&b);
    gives("ana", nested(&b, "concat(", ")", 30), "n:25\n1\n");
    buf_clear(&b);
}

/* Queries of WITH are copied wherever they are named, and * has all columns of FROM:
   both can double at each level. */
static void
nested_queries_are_bounded(void **state)
{
    enum { LEVELS = 40, STARS = 11 };
    struct buf b;

    (void)state;
    buf_init(&b, NULL, 1 << 16);
    buf_add_text(&b, "SELECT count(*) FROM ");
    for (int i = 0; i < STARS; i++)
        buf_add_text(&b, "(SELECT *, * FROM ");
    buf_add_text(&b, "pg_class");
    for (int i = 0; i < STARS; i++)
        buf_printf(&b, ") x%d", i);
    refuses(buf_text(&b), "too long");
    buf_clear(&b);
    for (int stars = 0; stars < 2; stars++) {
        buf_add_text(&b, "WITH a0 AS (SELECT 1 AS n)");
        for (int i = 0; i < LEVELS; i++)
            buf_printf(&b, ", a%d AS (SELECT %s FROM a%d x JOIN a%d y ON true)",
                       i + 1, stars ? "*" : "x.n", i, i);
        buf_printf(&b, " SELECT count(*) FROM a%d", LEVELS);
        refuses(buf_text(&b), "too long");
        buf_clear(&b);
    }
    gives("ana",
          "WITH a AS (SELECT * FROM pg_namespace), b AS (SELECT * FROM a x, a "
          "y) SELECT count(*) > 0 AS n FROM b, (SELECT *, * FROM b) c",
          "n:16\nt\n");
    buf_add_text(&b, "SELECT count(*) AS n FROM (SELECT 0");
    for (int i = 1; i < LEVELS; i++)
        buf_printf(&b, " UNION ALL SELECT %d", i);
    buf_add_text(&b, ") x");
    gives("ana", buf_text(&b), "n:20\n40\n");
    buf_clear(&b);
}

/* The macros' own names do not hide those of a query. */
static void
macros_do_not_capture_names(void **state)
{
    (void)state;
    gives("ana",
          "SELECT k.oid::regclass AS n FROM pg_class k WHERE k.relname = "
          "'pg_type'",
          "n:25\npg_type\n");
    gives("ana",
          "SELECT format_type(k.oid, NULL) AS n FROM pg_type k WHERE "
          "k.typname = 'int4'",
          "n:25\ninteger\n");
    gives("ana",
          "SELECT pg_get_userbyid(k.oid) AS n FROM pg_roles k WHERE k.rolname "
          "= 'owner'",
          "n:25\nowner\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_analyst_sees_what_is_granted),
        cmocka_unit_test(what_is_not_listed_is_refused),
        cmocka_unit_test(names_of_with_have_a_scope),
        cmocka_unit_test(the_database_is_sealed),
        cmocka_unit_test(parameters_are_typed_and_given),
        cmocka_unit_test(outputs_have_their_names),
        cmocka_unit_test(clients_find_what_they_look_for),
        cmocka_unit_test(computed_texts_are_bounded),
        cmocka_unit_test(nested_calls_are_bounded),
        cmocka_unit_test(nested_queries_are_bounded),
        cmocka_unit_test(macros_do_not_capture_names),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
