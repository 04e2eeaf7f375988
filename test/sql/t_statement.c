/*
 * Texts that sessions receive: where their statements are, what kind each is,
 * and how invalid and unsupported ones are rejected.
 */
#include "sql/statement.h"

#include "sql/read.h"

#include "reading.h"
#include "support/said.h"

static const char *const kinds[] = {
    [STATEMENT_SELECT] = "select",     [STATEMENT_EXPLAIN] = "explain",
    [STATEMENT_CATALOG] = "catalog",   [STATEMENT_SET] = "set",
    [STATEMENT_RESET] = "reset",       [STATEMENT_SHOW] = "show",
    [STATEMENT_BEGIN] = "begin",       [STATEMENT_COMMIT] = "commit",
    [STATEMENT_ROLLBACK] = "rollback", [STATEMENT_SAVEPOINT] = "savepoint",
    [STATEMENT_RELEASE] = "release",   [STATEMENT_ROLLBACK_TO] = "rollback to",
    [STATEMENT_DISCARD] = "discard",   [STATEMENT_PREPARE] = "prepare",
    [STATEMENT_EXECUTE] = "execute",   [STATEMENT_DEALLOCATE] = "deallocate",
    [STATEMENT_DECLARE] = "declare",   [STATEMENT_FETCH] = "fetch",
    [STATEMENT_MOVE] = "move",         [STATEMENT_CLOSE] = "close",
    [STATEMENT_LISTEN] = "listen",     [STATEMENT_UNLISTEN] = "unlisten",
    [STATEMENT_COPY] = "copy",         [STATEMENT_WRITE] = "write",
    [STATEMENT_OTHER] = "other",
};

static void
write_statement(const char *sql, const struct statement *s, struct buf *b)
{
    buf_printf(b, "%s[%.*s]", kinds[s->kind], s->len, sql + s->at);
    if (s->name.len)
        buf_printf(b, " %.*s", (int)s->name.len, s->name.ptr);
    if (s->value.len)
        buf_printf(b, "=%.*s", (int)s->value.len, s->value.ptr);
    if (s->sets)
        buf_printf(b, " sets%s as %.*s $%d $%d", s->value.ptr ? "" : " NULL",
                   (int)s->column.len, s->column.ptr, s->name_param,
                   s->value_param);
    if (s->query_len)
        buf_printf(b, " {%.*s}", s->query_len, sql + s->query_at);
    buf_printf(b, "%s%s%s", s->local ? " local" : "", s->hold ? " hold" : "",
               s->scroll ? " scroll" : "");
    if (s->kind == STATEMENT_FETCH || s->kind == STATEMENT_MOVE)
        buf_printf(b, " %s %lld", s->forward ? "forward" : "not forward",
                   s->count == STATEMENT_ALL ? -1LL : (long long)s->count);
}

/* All statements of a text, separated by " | ". */
static void
cuts(const char *sql, const char *want)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct statement *all = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 0;
    struct buf b;

    buf_init(&b, NULL, TEXT_MAX);
    if (statements_read(a, str_of(sql), &all, &n, &err))
        fail_msg("%s\n  refused at %d: %s", sql, err.at, err.said);
    for (size_t i = 0; i < n; i++) {
        buf_add_text(&b, i > 0 ? " | " : "");
        write_statement(sql, &all[i], &b);
    }
    assert_string_equal(buf_text(&b), want);
    buf_clear(&b);
    arena_free(a);
}

static void
a_text_is_cut_at_its_semicolons(void **state)
{
    (void)state;
    cuts("", "");
    cuts(" ; ;; -- nothing;\n", "");
    cuts("begin; SELECT count(*) FROM t; commit",
         "begin[begin] | select[SELECT count(*) FROM t] | commit[commit]");
    cuts("SELECT count(*) FROM t WHERE a = 'x;y' /* ; */ ;",
         "select[SELECT count(*) FROM t WHERE a = 'x;y']");
    cuts("SELECT count(*) FROM \"a;b\";SHOW x",
         "select[SELECT count(*) FROM \"a;b\"] | show[SHOW x] x");
    cuts("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) count(*) FROM t;"
         "SELECT WITH DIFFERENTIAL_PRIVACY 1",
         "select[SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) count(*) "
         "FROM t] | select[SELECT WITH DIFFERENTIAL_PRIVACY 1]");
}

static void
settings_have_name_and_value(void **state)
{
    (void)state;
    cuts("SET custos.epsilon = 0.1", "set[SET custos.epsilon = 0.1] "
                                     "custos.epsilon=0.1");
    cuts("SET LOCAL x TO on", "set[SET LOCAL x TO on] x=on local");
    cuts("SET search_path TO a, \"B\"",
         "set[SET search_path TO a, \"B\"] search_path=a, B");
    cuts("SET TIME ZONE 'UTC'", "set[SET TIME ZONE 'UTC'] timezone=UTC");
    cuts("SET NAMES 'UTF8'", "set[SET NAMES 'UTF8'] client_encoding=UTF8");
    cuts("SET x TO DEFAULT; RESET x; RESET ALL",
         "reset[SET x TO DEFAULT] x | reset[RESET x] x | reset[RESET ALL]");
    cuts("SHOW TRANSACTION ISOLATION LEVEL; SHOW ALL",
         "show[SHOW TRANSACTION ISOLATION LEVEL] transaction_isolation | "
         "show[SHOW ALL] all");
    cuts("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
         "set[SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY] SESSION "
         "CHARACTERISTICS");
    cuts("SET x = -1", "set[SET x = -1] x=-1");
    cuts("SELECT set_config('custos.epsilon', '0.5', false)",
         "show[SELECT set_config('custos.epsilon', '0.5', false)] "
         "custos.epsilon=0.5 sets as set_config $0 $0");
    cuts("SELECT pg_catalog.set_config('a', '', true) AS b",
         "show[SELECT pg_catalog.set_config('a', '', true) AS b] a sets as b "
         "$0 $0 local");
    cuts("SELECT set_config('a', NULL, false)",
         "show[SELECT set_config('a', NULL, false)] a sets NULL as set_config "
         "$0 $0");
    cuts("SELECT set_config($2, $1::text, false)",
         "show[SELECT set_config($2, $1::text, false)] sets NULL as set_config "
         "$2 $1");
    cuts("SELECT current_setting('custos.epsilon')",
         "show[SELECT current_setting('custos.epsilon')] custos.epsilon");
    cuts("SELECT current_setting('jit'), set_config('jit', 'off', false)",
         "catalog[SELECT current_setting('jit'), set_config('jit', 'off', "
         "false)]");
    cuts("SELECT current_setting('jit')",
         "catalog[SELECT current_setting('jit')]");
    cuts("SELECT set_config('a', 'b', false) FROM t",
         "select[SELECT set_config('a', 'b', false) FROM t]");
    cuts("SELECT set_config('a', 'b', false) LIMIT 1",
         "catalog[SELECT set_config('a', 'b', false) LIMIT 1]");
}

static void
sessions_know_what_is_theirs(void **state)
{
    (void)state;
    cuts("START TRANSACTION READ ONLY; END; ABORT",
         "begin[START TRANSACTION READ ONLY] | commit[END] | rollback[ABORT]");
    cuts("UNLISTEN *", "unlisten[UNLISTEN *]");
    cuts("SAVEPOINT a; RELEASE a; ROLLBACK TO a",
         "savepoint[SAVEPOINT a] a | release[RELEASE a] a | rollback "
         "to[ROLLBACK TO a] a");
    cuts("DECLARE c CURSOR FOR SELECT 1; FETCH 10 FROM c; FETCH ALL IN c; "
         "FETCH BACKWARD 1 FROM c; MOVE c; CLOSE c; CLOSE ALL",
         "declare[DECLARE c CURSOR FOR SELECT 1] c {SELECT 1} | fetch[FETCH 10 "
         "FROM c] c forward 10 | fetch[FETCH ALL IN c] c forward -1 | "
         "fetch[FETCH BACKWARD 1 FROM c] c not forward 1 | move[MOVE c] c "
         "forward 1 | close[CLOSE c] c | close[CLOSE ALL]");
    cuts("DECLARE \"C\" SCROLL CURSOR WITH HOLD FOR WITH x AS (SELECT 1) "
         "SELECT * FROM x",
         "declare[DECLARE \"C\" SCROLL CURSOR WITH HOLD FOR WITH x AS (SELECT "
         "1) SELECT * FROM x] C {WITH x AS (SELECT 1) SELECT * FROM x} hold "
         "scroll");
    cuts("PREPARE p (int) AS SELECT count(*) FROM t WHERE a = $1; EXECUTE "
         "p(1); DEALLOCATE p; DEALLOCATE ALL; DISCARD ALL",
         "prepare[PREPARE p (int) AS SELECT count(*) FROM t WHERE a = $1] p "
         "{SELECT count(*) FROM t WHERE a = $1} | execute[EXECUTE p(1)] p | "
         "deallocate[DEALLOCATE p] p | deallocate[DEALLOCATE ALL] | "
         "discard[DISCARD ALL]=all");
}

static void
the_catalog_is_asked_alone(void **state)
{
    (void)state;
    cuts("SELECT 1", "catalog[SELECT 1]");
    cuts("SELECT version()", "catalog[SELECT version()]");
    cuts("TABLE pg_class", "catalog[TABLE pg_class]");
    cuts("SELECT 1 FROM pg_catalog.pg_class c, information_schema.tables t "
         "WHERE EXISTS (SELECT 1 FROM pg_type)",
         "catalog[SELECT 1 FROM pg_catalog.pg_class c, "
         "information_schema.tables t WHERE EXISTS (SELECT 1 FROM pg_type)]");
    cuts("WITH x AS (SELECT 1 FROM pg_class) SELECT 1 FROM x",
         "catalog[WITH x AS (SELECT 1 FROM pg_class) SELECT 1 FROM x]");
    cuts("SELECT 1 FROM (WITH x AS (SELECT 1) SELECT 1 FROM x) y, x",
         "select[SELECT 1 FROM (WITH x AS (SELECT 1) SELECT 1 FROM x) y, x]");
    cuts("SELECT 1 FROM pg_class, t", "select[SELECT 1 FROM pg_class, t]");
    cuts("SELECT 1 FROM public.pg_class",
         "select[SELECT 1 FROM public.pg_class]");
    cuts("SELECT 1 FROM pg_class WHERE 1 IN (SELECT count(*) FROM t)",
         "select[SELECT 1 FROM pg_class WHERE 1 IN (SELECT count(*) FROM t)]");
    cuts("EXPLAIN SELECT 1 FROM pg_class",
         "explain[EXPLAIN SELECT 1 FROM pg_class]");
}

static void
a_mistake_is_told_at_its_place(void **state)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct statement *all;
    const char *sql = "SELECT 1; SELECT FROM WHERE";
    custos_err err = CUSTOS_ERR_INIT;
    size_t n;

    (void)state;
    assert_int_equal(statements_read(a, str_of(sql), &all, &n, &err),
                     CUSTOS_ESYNTAX);
    assert_string_equal(sql + err.at, "WHERE");
    arena_free(a);
}

static void
refuses(const char *sql, const char *said)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct statement *all = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 0;

    assert_int_equal(statements_read(a, str_of(sql), &all, &n, &err),
                     CUSTOS_OK);
    assert_true(n > 0);
    assert_int_equal(statement_refuse(&all[n - 1], &err), CUSTOS_EUNSUPPORTED);
    assert_int_equal(err.at, all[n - 1].at);
    if (!strstr(whole_said(&err), said))
        fail_msg("%s\n  %s", sql, err.said);
    arena_free(a);
}

static void
the_rest_is_refused_politely(void **state)
{
    (void)state;
    refuses("COPY t TO STDOUT", "use SELECT");
    refuses("SELECT 1; INSERT INTO t VALUES (1)", "read-only");
    refuses("TRUNCATE t", "read-only");
    refuses("CREATE TABLE t (a int)", "CREATE is not part");
    refuses("create function f() returns int language sql as 'select 1'",
            "CREATE is not part");
    refuses("LISTEN x", "notifications");
    refuses("VACUUM", "VACUUM is not part");
    refuses("DO 'x'", "DO is not part");
    refuses("CALL p()", "CALL is not part");
    refuses("DECLARE c CURSOR WITH HOLD FOR SELECT 1", "WITH HOLD");
    refuses("FETCH PRIOR FROM c", "forward only");
}

static void
too_many_are_refused(void **state)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct statement *all;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;
    size_t n;

    (void)state;
    buf_init(&b, NULL, TEXT_MAX);
    for (int i = 0; i <= STATEMENTS_MAX; i++)
        buf_add_text(&b, "SHOW x;");
    assert_int_equal(statements_read(a, (str){b.ptr, b.len}, &all, &n, &err),
                     CUSTOS_EUNSUPPORTED);
    assert_int_equal(
        statements_read(a, (str){b.ptr, b.len - 7}, &all, &n, &err), CUSTOS_OK);
    assert_int_equal(n, STATEMENTS_MAX);
    buf_clear(&b);
    arena_free(a);
}

/*
 * head, then ",a" up to `most` bytes; checks the kind of the statement, or the
 * error.
 */
static void
long_one(const char *head, size_t most, const char *want)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    char *sql = malloc(most + 1);
    size_t n = strlen(head), found = 0;
    struct statement *all = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    assert_non_null(sql);
    memcpy(sql, head, n);
    for (; n + 2 <= most; n += 2)
        memcpy(sql + n, ",a", 2);
    if (statements_read(a, (str){sql, n}, &all, &found, &err)) {
        if (!strstr(whole_said(&err), want))
            fail_msg("%s: %s", head, err.said);
    } else {
        assert_int_equal(found, 1);
        assert_string_equal(kinds[all[0].kind], want);
        assert_string_equal(all[0].word.ptr, head[0] == 'E'   ? "EXPLAIN"
                                             : head[0] == 'W' ? "WITH"
                                                              : "SELECT");
    }
    arena_free(a);
    free(sql);
}

/* Texts like these once took minutes: every name caused a walk of the tree. */
static void
long_texts_are_read(void **state)
{
    static const char *const more = "more than 3000 words and symbols";

    (void)state;
    long_one("WITH a AS (SELECT 1) SELECT 1 FROM a", 300, "catalog");
    long_one("WITH a AS (SELECT 1 FROM pg_class) SELECT 1 FROM pg_class a",
             3000, "catalog");
    long_one("SELECT a", 3000, "catalog");
    long_one("SELECT count(*) FROM p WHERE b IN (a", SQL_TEXT_MAX, "select");
    long_one("EXPLAIN SELECT count(*) FROM p WHERE b IN (a", SQL_TEXT_MAX,
             "explain");
    long_one("WITH a AS (SELECT 1) SELECT 1 FROM a", SQL_TEXT_MAX, "select");
    long_one("SELECT 1 FROM pg_class a", SQL_TEXT_MAX, more);
    long_one("SELECT 1 FROM p, \"pg_class\" a", SQL_TEXT_MAX, more);
    long_one("SELECT 1 FROM Information_Schema.tables a", SQL_TEXT_MAX, more);
    long_one("SELECT a", SQL_TEXT_MAX, more);
    long_one("COMMIT; SELECT 1 FROM p, a", SQL_TEXT_MAX, more);
    long_one("SELECT 1 FROM p; SELECT 1 FROM p, a", SQL_TEXT_MAX, more);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_texts_are_read),
        cmocka_unit_test(a_text_is_cut_at_its_semicolons),
        cmocka_unit_test(settings_have_name_and_value),
        cmocka_unit_test(sessions_know_what_is_theirs),
        cmocka_unit_test(the_catalog_is_asked_alone),
        cmocka_unit_test(a_mistake_is_told_at_its_place),
        cmocka_unit_test(the_rest_is_refused_politely),
        cmocka_unit_test(too_many_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
