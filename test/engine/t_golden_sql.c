/*
 * The engine's text is pinned: for every query of test/plan/golden.txt that has a
 * plan, and for an import of its tables, the statements that DuckDB is given are
 * those of golden_sql.txt, to the letter.
 *
 *     > SELECT ...
 *     a statement
 *     another
 *
 * A statement that an earlier query was given is not repeated, and a query without
 * a new one is left out. CUSTOS_GOLDEN=FILE writes the current statements, to
 * compare. The linker lets this program see the statements (test/meson.build).
 */
#include <regex.h>

#include "plan/golden.h"

#include "hospital_data.h"

#include "plan/part/bound_selection.h"
#include "plan/part/range_selection.h"
#include "support/stages.h"

/* Fails if the golden file has lost its cases. */
enum { STATEMENTS_LEAST = 180, SEEN_MAX = 4096, TEXT_MAX = 1 << 24 };

static struct {
    struct buf text;
    const char *folder;
    char *seen[SEEN_MAX];
    size_t n;
    const char *query; /* not yet written; NULL: it is */
} pinned;

/* ------------------------------------------------------ what DuckDB is given -- */

custos_status __real_duck_ask(struct duck_connection *c, const char *sql,
                              struct result **out, custos_err *err);
custos_status __wrap_duck_ask(struct duck_connection *c, const char *sql,
                              struct result **out, custos_err *err);
custos_status __real_duck_ask_whole(struct duck_connection *c, const char *sql,
                                    i128 *out, custos_err *err);
custos_status __wrap_duck_ask_whole(struct duck_connection *c, const char *sql,
                                    i128 *out, custos_err *err);
custos_status
__real_duck_do(struct duck_connection *c, const char *sql, custos_err *err);
custos_status
__wrap_duck_do(struct duck_connection *c, const char *sql, custos_err *err);
custos_status
__real_duck_do_slowly(struct duck_connection *c, const char *sql,
                      duck_progress progress, void *ctx, custos_err *err);
custos_status
__wrap_duck_do_slowly(struct duck_connection *c, const char *sql,
                      duck_progress progress, void *ctx, custos_err *err);
custos_status __real_duck_describe(struct duck_connection *c, const char *sql,
                                   struct result **out, custos_err *err);
custos_status __wrap_duck_describe(struct duck_connection *c, const char *sql,
                                   struct result **out, custos_err *err);

static bool
was_seen(const char *sql)
{
    for (size_t i = 0; i < pinned.n; i++)
        if (!strcmp(pinned.seen[i], sql))
            return true;
    assert_true(pinned.n < SEEN_MAX);
    pinned.seen[pinned.n++] = strdup(sql);
    return false;
}

/*
 * Writes a statement as one line. Instead of the folder of this run and the mark of
 * a file, it has their names. Settings depend on the machine and are left out.
 */
static void
pin(const char *sql)
{
    static const char mark[] = "', [0-9]+, [0-9]+, [0-9]+\\)";
    struct buf line;
    regmatch_t at;
    regex_t re;

    if (!pinned.folder || !strncmp(sql, "SET ", 4))
        return;
    assert_int_equal(regcomp(&re, mark, REG_EXTENDED), 0);
    buf_init(&line, NULL, TEXT_MAX);
    while (*sql) {
        if (!strncmp(sql, pinned.folder, strlen(pinned.folder))) {
            buf_add_text(&line, "FOLDER");
            sql += strlen(pinned.folder);
        } else if (*sql == '\'' && !regexec(&re, sql, 1, &at, 0) &&
                   at.rm_so == 0) {
            buf_add_text(&line, "', MARK)");
            sql += at.rm_eo;
        } else {
            buf_add_text(&line, *sql == '\n' ? "\\n" : "");
            buf_add(&line, sql, *sql != '\n');
            sql++;
        }
    }
    regfree(&re);
    if (!was_seen(buf_text(&line))) {
        if (pinned.query)
            buf_printf(&pinned.text, "%s> %s\n", pinned.text.len ? "\n" : "",
                       pinned.query);
        pinned.query = NULL;
        buf_printf(&pinned.text, "%s\n", buf_text(&line));
    }
    buf_clear(&line);
}

custos_status
__wrap_duck_ask(struct duck_connection *c, const char *sql, struct result **out,
                custos_err *err)
{
    pin(sql);
    return __real_duck_ask(c, sql, out, err);
}

custos_status
__wrap_duck_ask_whole(struct duck_connection *c, const char *sql, i128 *out,
                      custos_err *err)
{
    pin(sql);
    return __real_duck_ask_whole(c, sql, out, err);
}

custos_status
__wrap_duck_do(struct duck_connection *c, const char *sql, custos_err *err)
{
    pin(sql);
    return __real_duck_do(c, sql, err);
}

custos_status
__wrap_duck_do_slowly(struct duck_connection *c, const char *sql,
                      duck_progress progress, void *ctx, custos_err *err)
{
    pin(sql);
    return __real_duck_do_slowly(c, sql, progress, ctx, err);
}

custos_status
__wrap_duck_describe(struct duck_connection *c, const char *sql,
                     struct result **out, custos_err *err)
{
    pin(sql);
    return __real_duck_describe(c, sql, out, err);
}

/* ------------------------------------------------------------ the hospital -- */

static void
hospital_open(struct made *m)
{
    static const struct asked plain = {.adjacency = NULL};
    struct buf policy;

    made_folder(m);
    hospital_write(m);
    pinned.folder = m->folder;
    buf_init(&policy, NULL, 1 << 16);
    replace(&policy, hospital, &plain);
    made_ready(m, buf_text(&policy));
    buf_clear(&policy);
}

/* ----------------------------------------------------------------- queries -- */

static custos_status
forget_values(void *ctx, size_t cell, custos_sealed *sealed, size_t cells,
              custos_err *err)
{
    (void)ctx;
    (void)cell;
    (void)sealed;
    (void)cells;
    (void)err;
    return CUSTOS_OK;
}

/* The values of all quantiles; of discovered groups, those of no group. */
static custos_status
run_quantiles(struct made *m, const struct plan *plan)
{
    custos_status st = CUSTOS_OK;
    struct groups none;

    assert_true(groups_init(&none, stage_values(plan)));
    for (size_t i = 0; i < plan->n_parts && !st; i++)
        if (plan->parts[i].kind == PART_QUANTILES)
            st = quantiles_collect(m->engine, stage_values(plan), i,
                                   plan->space.selection ? &none : NULL,
                                   forget_values, NULL, &m->err);
    groups_clear(&none);
    return st;
}

static custos_status
run_private(struct made *m, const struct plan *plan)
{
    custos_sealed *parts[WORK_VALUES_MAX] = {NULL};
    struct engine_groups *groups = NULL;
    custos_status st;

    if (plan->space.selection)
        st = engine_find(m->engine, stage_values(plan), &groups, &m->err);
    else
        st = engine_run(m->engine, stage_values(plan), parts, &m->err);
    engine_groups_free(groups);
    for (size_t i = 0; i < WORK_VALUES_MAX; i++)
        custos_sealed_free(parts[i]);
    return st ? st : run_quantiles(m, plan);
}

static custos_status
run_plan(struct made *m, const struct plan *plan)
{
    const struct bound_selection *r = plan_bound_selection(plan);
    custos_sealed *few[BOUND_SELECTION_MAX] = {NULL};
    struct engine_rows rows;
    custos_status st;

    if (plan->is_public)
        return engine_public(m->engine, plan, m->a, &rows, &m->err);
    st = engine_prepare(m->engine, plan, &m->err);
    if (!st && r) {
        st = engine_bound_counts(m->engine, plan, few, &m->err);
        for (size_t i = 0; i < BOUND_SELECTION_MAX; i++)
            custos_sealed_free(few[i]);
        plan = r->plans[r->n - 1];
    }
    if (!st && plan_range_selection(plan)) {
        custos_sealed *scores = NULL;

        st = engine_range_scores(m->engine, plan, &scores, &m->err);
        custos_sealed_free(scores);
        plan = plan_range_selection(plan)->plans[1];
    }
    if (!st)
        st = run_private(m, plan);
    engine_unprepare(m->engine);
    return st;
}

/* False: the query is rejected. */
static bool
run_query(struct made *m, const char *sql, const struct asked *asked)
{
    struct plan_known known = {.count = engine_count, .ctx = m->engine};
    struct asked full = *asked;
    struct planned t;
    bool planned;

    full.known = &known;
    pinned.query = sql;
    plan_for(&t, sql, &full);
    if (t.plan && run_plan(m, t.plan))
        fail_msg("%s: %s | %s", sql, m->err.said, m->err.noted);
    planned = t.plan != NULL;
    plan_done(&t);
    return planned;
}

/* Forms that no query of golden.txt has. */
static const char *const more[] = {
    "SELECT sum(x + 1), sum(d1 * 0.5) FROM d",
    "SELECT level, sum(cost * 2 + balance) FROM visits WHERE cost > 1.5 AND "
    "balance <= 3 GROUP BY level",
    "SELECT sum(cost * 1.00000001) FROM visits",
    "SELECT sum(CASE WHEN level > 2 THEN cost ELSE -balance END), "
    "sum(coalesce(cost, balance)) FROM visits",
    "SELECT room, count(*), count(DISTINCT patient_id) FROM visits GROUP BY "
    "room",
    "SELECT note, sum(cost), count(DISTINCT patient_id) FROM visits GROUP BY "
    "note",
    "SELECT day, at, note, sum(level), variance(level) FROM visits WHERE level "
    "> 1 GROUP BY day, at, note",
    "SELECT note, level, count(*) FROM visits GROUP BY note, level",
    "SELECT date_trunc('month', day), count(*) FROM visits GROUP BY 1",
    "SELECT extract(year FROM born), count(*) FROM patients GROUP BY 1",
    "SELECT born, count(*) FROM patients WHERE born < date '1990-02-01' GROUP "
    "BY born",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY day), min(level) FROM "
    "visits",
    "SELECT count(DISTINCT level), count(DISTINCT cost + 1) FROM visits",
    "SELECT sum(v), count(DISTINCT id) FROM remote WHERE v > 2",
    "SELECT v, count(DISTINCT id) FROM remote GROUP BY v",
    "SELECT c.name, count(*) FROM remote AS a JOIN cities AS c ON a.v = "
    "c.people GROUP BY c.name",
    "SELECT count(*) FROM doses AS x JOIN doses AS y USING (stay)",
    "SELECT count(*) FROM d JOIN drugs ON d.x < price",
    "SELECT name, sum(people) AS n FROM cities GROUP BY name HAVING "
    "sum(people) > 1 ORDER BY n DESC LIMIT 3 OFFSET 1",
    "SELECT DISTINCT class FROM drugs",
    "SELECT class, sum(mg) FROM doses JOIN (SELECT code, class, max(price) AS "
    "p FROM drugs GROUP BY code, class) AS q ON drug = q.code GROUP BY "
    "class",
    "SELECT sum(n) FROM (SELECT patient, sum(nights) AS n, "
    "max(nights) AS s, avg(nights) AS a FROM stays GROUP BY patient) AS q "
    "WHERE a > 2",
};

static void
write_statements(void)
{
    char *text = golden_read(), with[GOLDEN_WITH_MAX];
    char *sql = calloc(1, GOLDEN_SQL_MAX);
    struct made m;

    assert_non_null(sql);
    pinned.query = "import";
    hospital_open(&m);
    for (char *at = text; at; at = golden_next(at)) {
        struct asked asked = {.adjacency = NULL};

        golden_case(at, sql, with, &asked);
        (void)run_query(&m, sql, &asked);
    }
    for (size_t i = 0; i < COUNT_OF(more); i++)
        if (!run_query(&m, more[i], &(struct asked){.delta = "1e-6"}))
            fail_msg("rejected: %s", more[i]);
    pinned.folder = NULL;
    made_close(&m);
    free(sql);
    free(text);
}

/* The stored file; an empty text if there is none. */
static char *
read_stored(void)
{
    const char *src = getenv("SRC");
    char path[4096], *text = calloc(1, TEXT_MAX);
    FILE *f;

    snprintf(path, sizeof path, "%s/test/engine/golden_sql.txt",
             src ? src : ".");
    f = fopen(path, "r");
    assert_non_null(text);
    if (f) {
        assert_true(fread(text, 1, TEXT_MAX - 1, f) < TEXT_MAX - 1);
        fclose(f);
    }
    return text;
}

static void
statements_are_those_of_the_golden_file(void **state)
{
    const char *path = getenv("CUSTOS_GOLDEN");
    char *stored = read_stored();
    const char *now, *was = stored;

    (void)state;
    buf_init(&pinned.text, NULL, TEXT_MAX);
    write_statements();
    now = buf_text(&pinned.text);
    if (path) {
        FILE *out = fopen(path, "w");

        assert_non_null(out);
        fputs(now, out);
        fclose(out);
    }
    while (*now && *now == *was) {
        now++;
        was++;
    }
    if (*now || *was)
        fail_msg("at byte %zu:\nwanted: %.400s\ngot:    %.400s",
                 (size_t)(was - stored), was, now);
    assert_true(pinned.n >= STATEMENTS_LEAST);
    print_message("# %zu statements\n", pinned.n);
    for (size_t i = 0; i < pinned.n; i++)
        free(pinned.seen[i]);
    buf_clear(&pinned.text);
    free(stored);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_are_those_of_the_golden_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
