/*
 * Import of sources: units, domains, ranks, and rejected sources.
 */
#include "base/sha256.h"
#include "made.h"
#include "printed.h"
#include "support/said.h"

#define HEAD "custos: 1\nbudget: {epsilon: 1}\ntables:\n"

static const char CLINIC[] =
    HEAD "  people:\n"
         "    source: people.csv\n"
         "    unit: id\n"
         "    columns: {id: {type: text}, home: {type: text}}\n"
         "  stays:\n"
         "    source: stays.csv\n"
         "    unit: person\n"
         "    columns:\n"
         "      person: {type: text, references: people.id}\n"
         "      stay: {type: integer}\n"
         "  bills:\n"
         "    source: bills.csv\n"
         "    unit: stay\n"
         "    rows_per_unit: 9\n"
         "    columns:\n"
         "      stay: {type: integer, references: stays.stay}\n"
         "      cost: {type: integer, range: [0, 100]}\n";

/* Bills belong to stays, which belong to people: three tables, one unit. */
static void
units_follow_their_path(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "people.csv", "home,id\nx,ann\ny,bob\nz,\nw,cy\n");
    made_file(&m, "stays.csv",
              "person,stay\nann,1\nann,2\nbob,3\nnobody,4\n,5\ncy,\n");
    made_file(&m, "bills.csv",
              "stay,cost\n1,10\n2,20\n3,30\n4,40\n5,50\n77,60\n,70\n2,80\n");
    made_ready(&m, CLINIC);
    assert_string_equal(made_ask(&m, "SELECT u, x FROM people ORDER BY u"),
                        "1 ann;2 bob;3 cy");
    assert_string_equal(
        made_ask(&m, "SELECT u, c1 FROM t1 ORDER BY u, c1 NULLS LAST"),
        "1 1;1 2;2 3;3 NULL");
    assert_string_equal(made_ask(&m, "SELECT u, c1 FROM t2 ORDER BY u, c1"),
                        "1 10;1 20;1 80;2 30");
    assert_int_equal(m.tables[0].rows, 4);
    assert_int_equal(m.tables[0].without_unit, 1);
    assert_int_equal(m.tables[2].rows, 8);
    assert_int_equal(m.tables[2].kept, 4);
    assert_int_equal(m.tables[2].without_unit, 4);
    assert_int_equal(m.tables[2].units, 2);
    made_close(&m);
}

static void
doubled_parents_are_refused(void **state)
{
    struct made m;
    uint64_t version = 0;

    (void)state;
    made_folder(&m);
    made_file(&m, "people.csv", "home,id\nx,ann\ny,bob\nz,ann\n");
    made_file(&m, "stays.csv", "person,stay\nann,1\n");
    made_file(&m, "bills.csv", "stay,cost\n1,10\n");
    made_policy(&m, CLINIC);
    assert_int_equal(engine_import(&m.store, m.policy, m.folder, LOSS_PPM_ANY,
                                   NULL, NULL, m.a, &m.tables, &version,
                                   &m.err),
                     CUSTOS_EPOLICY);
    assert_non_null(strstr(whole_said(&m.err), "twice"));
    assert_null(strstr(whole_said(&m.err), "ann"));
    made_close(&m);
}

/*
 * Short, long and the longest decimals are converted to the grid in three ways.
 */
static void
decimals_of_any_length(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "d.csv",
              "n,a,b,c\n"
              "1,-99999999999.99,-10000000000.000001,-1000000000.000000001\n"
              "2,99999999999.994,9999999999.9999995,999999999.9999999995\n"
              "3,0.005,0.0000005,0.0000000005\n"
              "4,1e30,123456789012345678901234567890,1e25\n"
              "5,-1e-9,-1e9,-12.5\n");
    made_ready(&m, HEAD
               "  d:\n    source: d.csv\n    unit: row\n    columns:\n"
               "      n: {type: integer}\n"
               "      a: {type: decimal, scale: 2, range: [-99999999999.99, "
               "99999999999.99]}\n"
               "      b: {type: decimal, scale: 6, range: [-1e10, 1e10]}\n"
               "      c: {type: decimal, scale: 9, range: [-1e9, 1e9]}\n");
    assert_string_equal(made_ask(&m, "SELECT g1 FROM t0 ORDER BY c0"),
                        "-9999999999999;9999999999999;1;9999999999999;0");
    assert_string_equal(made_ask(&m, "SELECT g2 FROM t0 ORDER BY c0"),
                        "-10000000000000000;10000000000000000;1;"
                        "10000000000000000;-1000000000000000");
    assert_string_equal(made_ask(&m, "SELECT g3 FROM t0 ORDER BY c0"),
                        "-1000000000000000000;1000000000000000000;1;"
                        "1000000000000000000;-12500000000");
    assert_string_equal(made_ask(&m, "SELECT CAST(c1 AS VARCHAR) FROM t0 ORDER "
                                     "BY c0"),
                        "-99999999999.99;99999999999.99;0.01;99999999999.99;"
                        "0.00");
    made_close(&m);
}

static const char TYPES[] =
    HEAD "  all:\n"
         "    source: all.csv\n"
         "    unit: row\n"
         "    columns:\n"
         "      i: {type: integer, range: [-5, 5]}\n"
         "      d: {type: decimal, scale: 2, range: [0, 10]}\n"
         "      f: {type: real, range: [-1, 1]}\n"
         "      t: {type: text, values: [a, b, \"\"]}\n"
         "      b: {type: boolean}\n"
         "      y: {type: date, range: [2020-01-01, 2020-12-31]}\n"
         "      n: {type: integer, nullable: false}\n"
         "      z: {type: decimal, scale: 1}\n";

/* What each text is imported as; a row with NULL in n is dropped. */
static void
values_come_into_their_domain(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "all.csv",
              "n,i,d,f,t,b,y,z\n"
              "1,3,1.25,0.5,a,true,2020-05-05,7.25\n"
              "2,99,99.99,7,b,f,2031-01-01,-3\n"
              "3,-99,-1,-7,\"\",0,1999-01-01,x\n"
              "4,1.5,1.005,nan,c,maybe,2020-02-30,1e2\n"
              "5,3.0,x,inf,,,,\n"
              "6,99999999999999999999999,1e20,-inf,A,1,infinity,1\n"
              "7,2e0,0.1,1e-9,a,yes,2020-12-31,1\n"
              ",1,1,1,a,true,2020-01-01,1\n"
              "x,1,1,1,a,true,2020-01-01,1\n");
    made_ready(&m, TYPES);
    assert_string_equal(made_ask(&m, "SELECT c6, c0 FROM t0 ORDER BY c6"),
                        "1 3;2 5;3 -5;4 NULL;5 3;6 5;7 2");
    assert_string_equal(made_ask(&m, "SELECT g1 FROM t0 ORDER BY c6"),
                        "125;1000;0;101;NULL;1000;10");
    assert_string_equal(made_ask(&m, "SELECT CAST(c1 AS VARCHAR) FROM t0 ORDER "
                                     "BY c6"),
                        "1.25;10.00;0.00;1.01;NULL;10.00;0.10");
    assert_string_equal(made_ask(&m, "SELECT g2 FROM t0 ORDER BY c6"),
                        "536870912;1073741824;-1073741824;NULL;NULL;NULL;1");
    assert_string_equal(made_ask(&m, "SELECT c3, k3 FROM t0 ORDER BY c6"),
                        "a 1;b 2; 0;NULL NULL;NULL NULL;NULL NULL;a 1");
    assert_string_equal(made_ask(&m, "SELECT c4, k4 FROM t0 ORDER BY c6"),
                        "1 1;0 0;0 0;NULL NULL;NULL NULL;1 1;1 1");
    assert_string_equal(made_ask(&m, "SELECT CAST(c5 AS VARCHAR) FROM t0 ORDER "
                                     "BY c6"),
                        "2020-05-05;2020-12-31;2020-01-01;NULL;NULL;NULL;"
                        "2020-12-31");
    assert_string_equal(made_ask(&m, "SELECT CAST(c7 AS VARCHAR) FROM t0 ORDER "
                                     "BY c6"),
                        "7.3;-3.0;NULL;100.0;NULL;1.0;1.0");
    assert_int_equal(m.tables[0].rows, 9);
    assert_int_equal(m.tables[0].kept, 7);
    made_close(&m);
}

/*
 * A text longer than max_bytes becomes NULL, so nothing computed from it is
 * long.
 */
static void
long_texts_are_null(void **state)
{
    static const char policy[] = HEAD "  notes:\n"
                                      "    source: notes.csv\n"
                                      "    unit: row\n"
                                      "    columns:\n"
                                      "      a: {type: text, max_bytes: 4}\n";
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "notes.csv",
              "a\nabcd\nabcde\n\xc3\xa9\xc3\xa9\nabc\xc3\xa9\n");
    made_ready(&m, policy);
    assert_string_equal(made_ask(&m, "SELECT count(*), count(c0) FROM t0"),
                        "4 2");
    made_close(&m);
}

static const char NOTES[] = HEAD "  notes:\n"
                                 "    source: notes.csv\n"
                                 "    unit: who\n"
                                 "    rows_per_unit: 3\n"
                                 "    columns:\n"
                                 "      who: {type: text}\n"
                                 "      a: {type: text}\n"
                                 "      b: {type: text}\n"
                                 "      n: {type: integer}\n";

/*
 * Ranks are in the order of SHA-256 over the encoding of rank.c, computed here
 * in C.
 */
static void
rank_is_the_hash(void **state)
{
    /* who, a, b, n as in the file; then their encoding, without the salt */
    static const char *const rows[][5] = {
        {"x", "\"\"", "", "1", "1:x;0:n1;"},
        {"x", "", "\"\"", "1", "1:x;n0:1;"},
        {"x", "n", "", "1", "1:x;1:nn1;"},
        {"x", "2", "2", "", "1:x;1:21:2;"},
        {"x", "2", "2", "2", "1:x;1:21:22;"},
    };
    char text[1024] = "who,a,b,n\n", whole[256], want[64] = "", salt[65];
    uint8_t hash[5][SHA256_BYTES];
    size_t order[5] = {0, 1, 2, 3, 4};
    struct made m;

    (void)state;
    memset(salt, '0', 64);
    memcpy(salt, "010203", 6);
    salt[64] = '\0';
    for (size_t i = 0; i < 5; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s,%s,%s,%s\n", rows[i][0], rows[i][1], rows[i][2],
                 rows[i][3]);
        /* The unit column is part of the hashed content too. */
        snprintf(whole, sizeof whole, "%s1:x;1:x%s", salt, rows[i][4] + 4);
        sha256_of(whole, strlen(whole), hash[i]);
    }
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k + 1 < 5; k++)
            if (memcmp(hash[order[k]], hash[order[k + 1]], 32) > 0) {
                size_t t = order[k];

                order[k] = order[k + 1];
                order[k + 1] = t;
            }
    for (size_t i = 0; i < 5; i++)
        snprintf(want + strlen(want), sizeof want - strlen(want), "%s%zu",
                 i ? ";" : "", order[i]);
    made_folder(&m);
    made_file(&m, "notes.csv", text);
    made_ready(&m, NOTES);
    assert_string_equal(
        made_ask(&m, "SELECT CASE WHEN c1 = '' THEN 0 WHEN c1 IS NULL THEN 1 "
                     "WHEN c1 = 'n' THEN 2 WHEN c3 IS NULL THEN 3 ELSE 4 END "
                     "FROM t0 ORDER BY r"),
        want);
    made_close(&m);
}

/*
 * 'ab' and NULL differ from 'a' and 'b', and '' from NULL; otherwise hashes
 * would be equal and ranks tied.
 */
static void
rank_tells_null_from_empty(void **state)
{
    struct made m;
    struct builder t;
    struct buf b;

    (void)state;
    made_folder(&m);
    made_file(&m, "notes.csv",
              "who,a,b,n\nx,,,\nx,\"\",,\nx,,\"\",\nx,ab,,\nx,a,b,\n"
              "x,n,,\nx,,n,\nx,0:,,\nx,1,2,3\nx,12,,3\nx,,,3\n");
    made_ready(&m, NOTES);
    buf_init(&b, NULL, 1 << 16);
    buf_add_text(&b, "SELECT count(DISTINCT ");
    builder_init(&t, NULL);
    print_term(
        &t, view_rank(&t, &m.policy->tables[0], term_name(&t, NULL, "c0")), &b);
    assert_false(t.failed);
    buf_add_text(&b, ") FROM t0");
    assert_string_equal(made_ask(&m, buf_text(&b)), "11");
    buf_clear(&b);
    builder_clear(&t);
    assert_string_equal(made_ask(&m, "SELECT min(r), max(r), count(DISTINCT r) "
                                     "FROM t0"),
                        "1 11 11");
    made_close(&m);
}

/* The rows of all units but one, with their ranks. */
static const char *
others(struct made *m, const char *without)
{
    char sql[256];

    snprintf(sql, sizeof sql,
             "SELECT c0, r, c1, c2, c3 FROM t0 WHERE c0 <> '%s' ORDER BY c0, r",
             without);
    return made_ask(m, sql);
}

static void
ranks_do_not_move_when_a_unit_goes(void **state)
{
    enum { UNITS = 12, ROWS = 300 };
    char *with = calloc(1, ROWS * 40), *less = calloc(1, ROWS * 40), line[64];
    uint64_t seed = 5;
    const char *before, *after;
    struct made m, n;

    (void)state;
    snprintf(with, 64, "who,a,b,n\n");
    snprintf(less, 64, "who,a,b,n\n");
    for (int i = 0; i < ROWS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        snprintf(line, sizeof line, "u%d,%s,x%d,%d\n",
                 (int)(seed >> 33) % UNITS, i % 7 ? "t" : "",
                 (int)(seed >> 40) % 5, (int)(seed >> 50) % 9);
        strcat(with, line);
        if (strncmp(line, "u3,", 3))
            strcat(less, line);
    }
    made_folder(&m);
    made_file(&m, "notes.csv", with);
    made_ready(&m, NOTES);
    made_folder(&n);
    made_file(&n, "notes.csv", less);
    made_ready(&n, NOTES);
    before = others(&m, "u3");
    after = others(&n, "u3");
    assert_true(strlen(before) > 1000);
    assert_string_equal(before, after);
    made_close(&m);
    made_close(&n);
    free(with);
    free(less);
}

/* The same table in four formats gives the same stored table. */
static void
formats_agree(void **state)
{
    static const char policy[] = HEAD "  a:\n"
                                      "    source: %s\n%s"
                                      "    unit: id\n"
                                      "    columns:\n"
                                      "      id: {type: integer}\n"
                                      "      name: {type: text}\n"
                                      "      x: {type: real, range: [0, 10]}\n";
    static const char *const sources[][2] = {
        {"a.csv", ""},
        {"b.csv", ""},
        {"a.parquet", ""},
        {"a.duckdb", "    source_table: a\n"},
    };
    const char *first = NULL;
    char text[1024], sql[1024];
    struct duck *db;
    struct duck_connection *c;
    struct made m;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        made_folder(&m);
        made_file(&m, "a.csv", "id,name,x\n1,\"a,b\",1.5\n2,c,99\n3,,nan\n");
        made_file(&m, "b.csv",
                  "\xEF\xBB\xBFx;\"name\";id\r\n1.5;\"a,b\";1\r\n"
                  "99;c;2\r\nnan;;3\r\n");
        assert_int_equal(duck_open(NULL, DUCK_WRITE, &db, &m.err), CUSTOS_OK);
        assert_int_equal(duck_connect(db, &c, &m.err), CUSTOS_OK);
        snprintf(sql, sizeof sql,
                 "CREATE TABLE a AS SELECT * FROM (VALUES (1, 'a,b', "
                 "CAST('1.5' AS DOUBLE)), (2, 'c', 99), (3, NULL, "
                 "CAST('nan' AS DOUBLE))) AS v(id, name, x); COPY a TO "
                 "'%s/a.parquet' (FORMAT parquet); ATTACH '%s/a.duckdb' AS o; "
                 "CREATE TABLE o.a AS SELECT * FROM a; DETACH o",
                 m.folder, m.folder);
        assert_int_equal(duck_do(c, sql, &m.err), CUSTOS_OK);
        duck_disconnect(c);
        duck_close(db);
        snprintf(text, sizeof text, policy, sources[i][0], sources[i][1]);
        made_ready(&m, text);
        if (!first)
            first = strdup(made_ask(&m, "SELECT u, r, c0, c1, g2 FROM t0"));
        assert_string_equal(made_ask(&m, "SELECT u, r, c0, c1, g2 FROM t0"),
                            first);
        made_close(&m);
    }
    assert_non_null(strstr(first, "1 1 1 a,b 100663296;"));
    free((void *)(uintptr_t)first);
}

/* Two tables of one DuckDB file, both imported and both attached. */
static void
one_file_has_many_tables(void **state)
{
    static const char policy[] = HEAD
        "  a: {source: f.duckdb, unit: id, columns: {id: {type: integer}}}\n"
        "  b: {source: f.duckdb, unit: id, columns: {id: {type: integer}}}\n"
        "  c: {source: f.duckdb, source_table: a, unit: id, attach: true,\n"
        "      columns: {id: {type: integer}}}\n"
        "  d: {source: f.duckdb, source_table: b, unit: id, attach: true,\n"
        "      columns: {id: {type: integer}}}\n";
    struct duck_connection *c;
    struct duck *db;
    struct made m;
    char sql[512];

    (void)state;
    made_folder(&m);
    assert_int_equal(duck_open(NULL, DUCK_WRITE, &db, &m.err), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &c, &m.err), CUSTOS_OK);
    snprintf(sql, sizeof sql,
             "ATTACH '%s/f.duckdb' AS o; CREATE TABLE o.a AS SELECT 1 AS id; "
             "CREATE TABLE o.b AS SELECT 2 AS id; DETACH o",
             m.folder);
    assert_int_equal(duck_do(c, sql, &m.err), CUSTOS_OK);
    duck_disconnect(c);
    duck_close(db);
    made_ready(&m, policy);
    assert_string_equal(made_ask(&m, "SELECT c0 FROM t0"), "1");
    assert_string_equal(made_ask(&m, "SELECT c0 FROM t1"), "2");
    made_close(&m);
}

/* The rows of table 0 as queries read them. */
static const char *
ask_relation(struct made *m)
{
    struct builder t;
    struct buf b;
    const char *text;

    builder_init(&t, m->engine);
    buf_init(&b, NULL, 1 << 16);
    buf_add_text(&b, "SELECT column_0, column_1, column_2, column_3, column_4, "
                     "column_5, column_6, column_7 FROM ");
    duck_print_input(relation_table(&t, &m->policy->tables[0], NULL),
                     duck_of(m->engine)->data->read, &b);
    assert_false(t.failed);
    buf_add_text(&b, " AS t ORDER BY column_0");
    text = made_ask(m, buf_text(&b));
    buf_clear(&b);
    builder_clear(&t);
    return text;
}

/*
 * Columns of a source may have the names that statements use for their own
 * columns; here each has the name of another one.
 */
static void
names_of_users_meet_no_alias(void **state)
{
    static const char policy[] =
        HEAD "  t:\n    source: t.csv\n    unit: v7\n    rows_per_unit: 9\n"
             "    attach: %s\n    columns:\n"
             "      v7: {type: integer}\n"
             "      c0: {type: integer, range: [0, 15]}\n"
             "      s3: {type: text, values: [x, y]}\n"
             "      d2: {type: integer, range: [0, 99]}\n"
             "      unit: {type: integer, range: [0, 99]}\n"
             "      rank: {type: integer, range: [0, 99]}\n"
             "      column_1: {type: date}\n"
             "      select: {type: integer}\n";
    static const char *const attached[] = {"false", "true"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct made m;
        char text[1024];

        snprintf(text, sizeof text, policy, attached[i]);
        made_folder(&m);
        made_file(&m, "t.csv",
                  "v7,c0,s3,d2,unit,rank,column_1,select\n"
                  "1,11,x,13,14,15,2016-01-01,17\n"
                  "2,21,z,230,24,25,0026-01-01,28\n");
        made_ready(&m, text);
        assert_string_equal(ask_relation(&m), "1 11 x 13 14 15 16801 17;"
                                              "2 15 NULL 99 24 25 -710031 28");
        made_close(&m);
    }
}

/*
 * The engine reserves none of the words that statements use as names. (`select`
 * is in the list to show that the query finds reserved words.)
 */
static void
aliases_are_no_reserved_words(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "p.csv", "id\n1\n");
    made_ready(&m, HEAD "  p:\n    source: p.csv\n    unit: id\n"
                        "    columns: {id: {type: integer}}\n");
    assert_string_equal(
        made_ask(&m,
                 "SELECT string_agg(keyword_name) FROM duckdb_keywords() WHERE "
                 "keyword_category = 'reserved' AND keyword_name IN ('select', "
                 "'unit', 'rank', 'seed', 'ordinal', 'one', 'times', 'row_no', "
                 "'first_row_no', 'group_no', 'row_order', 'row_hash', "
                 "'rows_needed', 'unit_value', 'unit_rows', 'child', 'parent', "
                 "'people', 'bad', 'changes', 't')"),
        "select");
    made_close(&m);
}

static void
bad_sources_are_named(void **state)
{
    static const char policy[] =
        HEAD "  a:\n    source: a.csv\n    unit: id\n"
             "    columns: {id: {type: integer}, missing: {type: text}}\n";
    uint64_t version;
    struct made m;

    (void)state;
    made_folder(&m);
    made_policy(&m, policy);
    assert_int_equal(engine_import(&m.store, m.policy, m.folder, LOSS_PPM_ANY,
                                   NULL, NULL, m.a, &m.tables, &version,
                                   &m.err),
                     CUSTOS_ENAME);
    assert_non_null(
        strstr(whole_said(&m.err), "a.csv does not exist or is not "));
    made_file(&m, "a.csv", "id,other\n1,2\n");
    assert_int_equal(engine_import(&m.store, m.policy, m.folder, LOSS_PPM_ANY,
                                   NULL, NULL, m.a, &m.tables, &version,
                                   &m.err),
                     CUSTOS_EPOLICY);
    assert_non_null(strstr(whole_said(&m.err), "'missing'"));
    assert_non_null(strstr(whole_said(&m.err), "line 7"));
    made_file(&m, "a.csv", "");
    assert_int_equal(engine_import(&m.store, m.policy, m.folder, LOSS_PPM_ANY,
                                   NULL, NULL, m.a, &m.tables, &version,
                                   &m.err),
                     CUSTOS_EPOLICY);
    made_file(&m, "a.csv", "id,missing\n1,\"unclosed secret\n");
    assert_int_equal(engine_import(&m.store, m.policy, m.folder, LOSS_PPM_ANY,
                                   NULL, NULL, m.a, &m.tables, &version,
                                   &m.err),
                     CUSTOS_EPOLICY);
    assert_null(strstr(whole_said(&m.err), "secret"));
    assert_null(strstr(m.err.noted, "secret"));
    made_close(&m);
}

/*
 * The error about invalid CSV has the file, the line number and the cause,
 * never the line itself.
 */
static void
a_bad_line_is_named(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"id,x\n1,2\n3,secret,5\n",
         "/a.csv, line 3: more values than the 2 that the first line names"},
        {"id,x\n1,2\n3,4\n\n5,6\nsecret\n",
         "line 6: fewer values than the 2 that the first line names"},
        {"id,x\n1,\"secret\n2,3\n", "line 2: a quote"},
        {"id,x\n1,2\n3,secret\xff\xfe\n", "line 3: it is not UTF-8"},
    };
    static const char policy[] =
        HEAD "  a:\n    source: a*.csv\n    unit: id\n"
             "    columns: {id: {type: integer}, x: {type: text}}\n";
    uint64_t version;
    struct made m;

    (void)state;
    made_folder(&m);
    made_policy(&m, policy);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        made_file(&m, "a.csv", bad[i].text);
        assert_int_equal(engine_import(&m.store, m.policy, m.folder,
                                       LOSS_PPM_ANY, NULL, NULL, m.a, &m.tables,
                                       &version, &m.err),
                         CUSTOS_EPOLICY);
        if (!strstr(whole_said(&m.err), bad[i].says))
            fail_msg("%s", m.err.said);
        assert_null(strstr(whole_said(&m.err), "secret"));
        assert_null(strstr(m.err.noted, "secret"));
    }
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_follow_their_path),
        cmocka_unit_test(doubled_parents_are_refused),
        cmocka_unit_test(values_come_into_their_domain),
        cmocka_unit_test(long_texts_are_null),
        cmocka_unit_test(decimals_of_any_length),
        cmocka_unit_test(rank_is_the_hash),
        cmocka_unit_test(rank_tells_null_from_empty),
        cmocka_unit_test(ranks_do_not_move_when_a_unit_goes),
        cmocka_unit_test(formats_agree),
        cmocka_unit_test(one_file_has_many_tables),
        cmocka_unit_test(names_of_users_meet_no_alias),
        cmocka_unit_test(aliases_are_no_reserved_words),
        cmocka_unit_test(bad_sources_are_named),
        cmocka_unit_test(a_bad_line_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
