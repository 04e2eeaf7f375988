/*
 * The extended query protocol: Parse, Bind, Describe, Execute, Close. Describe
 * answers from the plan, which is made at Parse and reads no data. A portal
 * gives out one released answer over one or more Executes; an Execute after its
 * last row asks a new question.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pg/session_inside.h"

static int
shown_len(str name)
{
    return (int)(name.len < 64 ? name.len : 64);
}

/* ---------------------------------------------------------------- Parse -- */

/* Stores s->parsing under its name and sends ParseComplete. Takes ownership of
   s->parsing. */
static void
parse_end(struct session *s)
{
    struct prepared *p = s->parsing;
    custos_err err = CUSTOS_ERR_INIT;

    s->parsing = NULL;
    if (held_prepare(&s->held, str_of(s->parsing_name), p, &err))
        session_fail(s, &err, str_of(""));
    else
        pg_out_word(&s->out, PG_PARSE_COMPLETE);
    free(s->parsing_name);
    s->parsing_name = NULL;
}

/* Copies columns into p; false: out of memory. */
static bool
keep_columns(struct prepared *p, const struct pg_column *columns, size_t n)
{
    struct pg_column *own = arena_take(p->a, n + 1, sizeof *own);

    for (size_t i = 0; i < n && own; i++) {
        own[i] = columns[i];
        if (!str_keep(p->a, &own[i].name))
            return false;
    }
    p->columns = own;
    p->n_columns = own ? n : 0;
    return own != NULL;
}

/* Copies a cursor's columns into a prepared FETCH from it. If p referred to the
   cursor's statement instead, statements could form chains. False: out of
   memory. */
static bool
fetch_columns(struct session *s, struct prepared *p)
{
    const struct portal *at = held_portal(&s->held, p->statement.name);

    return !at || keep_columns(p, at->of->columns, at->of->n_columns);
}

/* SHOW has one column. Its parameters are texts, whatever types were
   declared. */
static bool
show_columns(struct prepared *p)
{
    const struct pg_type text = pg_type_by_oid(PG_STRING);
    const struct statement *st = &p->statement;
    int most =
        st->name_param > st->value_param ? st->name_param : st->value_param;

    p->columns =
        columns_of(p->a, st->column.len ? &st->column : &st->name, &text, 1);
    p->n_columns = 1;
    p->params = arena_take(p->a, (size_t)most + 1, sizeof *p->params);
    p->n_params = (size_t)most;
    for (int i = 0; p->params && i < most; i++)
        p->params[i] = PG_STRING;
    return p->columns && p->params;
}

/* Begins the task that gets types and columns from the plan. */
static void
parse_ask(struct session *s)
{
    const struct prepared *p = s->parsing;
    const struct asking a = {
        .statement = &p->statement,
        .sql = {p->text.ptr + p->statement.at, (size_t)p->statement.len},
    };
    struct task *t;

    if (!asking_begin(s, &a, THEN_PARSE))
        return;
    t = s->task;
    t->types = arena_take(t->a, p->n_types + 1, sizeof *t->types);
    if (!t->types)
        return; /* then the planner infers the types */
    t->n_types = p->n_types;
    if (p->n_types)
        memcpy(t->types, p->types, p->n_types * sizeof *p->types);
}

/* Copies text and types, since the message does not outlive this call. */
static struct prepared *
prepared_of(const struct pg_parse *m)
{
    struct prepared *p = prepared_new();

    if (!p)
        return NULL;
    p->text = (str){arena_copy(p->a, m->sql), m->sql.len};
    p->types = arena_take(p->a, m->types.n + 1, sizeof *p->types);
    if (!p->text.ptr || !p->types) {
        prepared_drop(p);
        return NULL;
    }
    p->n_types = m->types.n;
    for (size_t i = 0; i < m->types.n; i++)
        p->types[i] = pg_type_at(&m->types, i);
    return p;
}

static void
do_parse(struct session *s, const struct pg_parse *m)
{
    if (m->name.len && held_prepared(&s->held, m->name)) {
        session_refuse(s, "42P05", "prepared statement \"%.*s\" already exists",
                       shown_len(m->name), m->name.ptr);
        return;
    }
    if (m->sql.len > s->host->query_bytes) {
        session_refuse(s, "54000", "the query is longer than %zu bytes",
                       s->host->query_bytes);
        return;
    }
    s->parsing = prepared_of(m);
    s->parsing_name = strndup(m->name.ptr, m->name.len);
    if (!s->parsing || !s->parsing_name)
        session_refuse(s, "53200", "out of memory");
    else
        reading_prepared(s);
}

void
extended_read(struct session *s)
{
    struct prepared *p = s->parsing;

    if (!p->empty && !statement_allowed(s, &p->statement))
        return;
    if (!p->empty && statement_asks(p->statement.kind))
        parse_ask(s);
    else if (!p->empty &&
             ((p->statement.kind == STATEMENT_SHOW && !show_columns(p)) ||
              (p->statement.kind == STATEMENT_FETCH && !fetch_columns(s, p))))
        session_refuse(s, "53200", "out of memory");
    else
        parse_end(s);
}

void
extended_parsed(struct session *s, struct task *t)
{
    struct prepared *p = s->parsing;

    if (asking_failed(s, t, p->text, p->statement.at))
        return;
    p->params = arena_take(p->a, t->n_params + 1, sizeof *p->params);
    if (!p->params || !keep_columns(p, t->columns, t->n_columns)) {
        session_refuse(s, "53200", "out of memory");
        return;
    }
    p->n_params = t->n_params;
    if (t->n_params)
        memcpy(p->params, t->params, t->n_params * sizeof *p->params);
    if (s->declaring)
        cursor_declared(s);
    else
        parse_end(s);
}

/* ----------------------------------------------------------------- Bind -- */

static bool
bind_fits(struct session *s, const struct pg_bind *m, const struct prepared *p)
{
    if (m->values.n != p->n_params)
        session_refuse(s, "08P01",
                       "bind message supplies %zu parameters, but prepared "
                       "statement \"%.*s\" requires %zu",
                       m->values.n, shown_len(m->statement), m->statement.ptr,
                       p->n_params);
    else if (m->formats.n > 1 && m->formats.n != m->values.n)
        session_refuse(s, "08P01",
                       "bind message has %zu parameter formats "
                       "but %zu parameters",
                       m->formats.n, m->values.n);
    else if (m->results.n > 1 && m->results.n != p->n_columns)
        session_refuse(s, "08P01",
                       "bind message has %zu result formats but "
                       "query has %zu columns",
                       m->results.n, p->n_columns);
    else
        return true;
    return false;
}

static void
do_bind(struct session *s, const struct pg_bind *m)
{
    struct prepared *of = held_prepared(&s->held, m->statement);
    custos_err err = CUSTOS_ERR_INIT;
    struct portal *p;

    if (!of) {
        session_refuse(s, "26000", "prepared statement \"%.*s\" does not exist",
                       shown_len(m->statement), m->statement.ptr);
        return;
    }
    if (m->portal.len && held_portal(&s->held, m->portal)) {
        session_refuse(s, "42P03", "cursor \"%.*s\" already exists",
                       shown_len(m->portal), m->portal.ptr);
        return;
    }
    if (!bind_fits(s, m, of) ||
        (!of->empty && !statement_allowed(s, &of->statement)))
        return;
    p = portal_new(of);
    if (!p) {
        session_refuse(s, "53200", "out of memory");
        return;
    }
    if (portal_bind_values(p, m, &err)) {
        portal_free(p);
        session_fail(s, &err, str_of(""));
    } else if (held_bind(&s->held, m->portal, p, &err)) {
        session_fail(s, &err, str_of(""));
    } else {
        pg_out_word(&s->out, PG_BIND_COMPLETE);
    }
}

/* ------------------------------------------------------------- Describe -- */

static void
describe_rows(struct session *s, const struct prepared *p,
              const struct formats *formats)
{
    struct pg_column *columns;

    if (!p->n_columns) {
        pg_out_word(&s->out, PG_NO_DATA);
        return;
    }
    columns = calloc(p->n_columns, sizeof *columns);
    if (!columns) {
        session_refuse(s, "53200", "out of memory");
        return;
    }
    for (size_t i = 0; i < p->n_columns; i++) {
        columns[i] = p->columns[i];
        columns[i].format = format_at(formats, i);
    }
    pg_out_row_description(&s->out, columns, p->n_columns);
    free(columns);
}

static void
do_describe(struct session *s, const struct pg_named *m)
{
    const struct formats none = {0};
    struct prepared *p;
    struct portal *at;

    if (m->object == PG_PORTAL) {
        at = held_portal(&s->held, m->name);
        if (at)
            describe_rows(s, at->of, &at->formats);
        else
            session_refuse(s, "34000", "portal \"%.*s\" does not exist",
                           shown_len(m->name), m->name.ptr);
        return;
    }
    p = held_prepared(&s->held, m->name);
    if (!p) {
        session_refuse(s, "26000", "prepared statement \"%.*s\" does not exist",
                       shown_len(m->name), m->name.ptr);
        return;
    }
    pg_out_parameter_description(&s->out, p->params, p->n_params);
    describe_rows(s, p, &none);
}

/* -------------------------------------------------------------- Execute -- */

/* Does the answer have the columns that were announced? */
static bool
is_as_announced(const struct prepared *p, const struct rows *rows)
{
    if (rows->n_columns != p->n_columns)
        return false;
    for (size_t i = 0; i < p->n_columns; i++)
        if (rows->columns[i].type.oid != p->columns[i].type.oid)
            return false;
    return true;
}

static void
give_answer(struct session *s, struct portal *p, struct rows *rows)
{
    if (!is_as_announced(p->of, rows)) {
        session_refuse(s, "0A000",
                       "cached plan must not change result type" HINT
                       "prepare the statement again");
        return;
    }
    held_answer(&s->held, p, rows);
    session_give_some(s, p, GIVE_PORTAL,
                      s->rows_asked ? s->rows_asked : UINT64_MAX);
}

static void
execute_ask(struct session *s, struct portal *p, int64_t now_us)
{
    const struct prepared *of = p->of;
    const struct asking a = {
        .text = of->statement.kind == STATEMENT_SELECT ? of->text : str_of(""),
        .statement = &of->statement,
        .sql = {of->text.ptr + of->statement.at, (size_t)of->statement.len},
        .portal = p,
    };
    struct rows *rows = asking_cached(s, &a, now_us);

    s->portal = p;
    if (rows)
        give_answer(s, p, rows);
    else
        (void)asking_begin(s, &a, THEN_EXECUTE);
}

static void
execute_show(struct session *s, struct portal *p)
{
    struct rows *rows;

    s->portal = p;
    if (show_is_budget(&p->of->statement)) {
        (void)session_want(s, TASK_BUDGET, THEN_EXECUTE);
        return;
    }
    rows = show_rows(s, &p->of->statement, p->of->text, p->params);
    if (rows)
        give_answer(s, p, rows);
    rows_drop(rows);
}

static void
do_execute(struct session *s, const struct pg_execute *m, int64_t now_us)
{
    struct portal *p = held_portal(&s->held, m->portal);

    if (!p) {
        session_refuse(s, "34000", "portal \"%.*s\" does not exist",
                       shown_len(m->portal), m->portal.ptr);
        return;
    }
    s->rows_asked = m->rows;
    if (p->of->empty) {
        pg_out_word(&s->out, PG_EMPTY_QUERY);
        return;
    }
    if (!statement_allowed(s, &p->of->statement))
        return;
    if (p->rows)
        session_give_some(s, p, GIVE_PORTAL, m->rows ? m->rows : UINT64_MAX);
    else if (statement_asks(p->of->statement.kind))
        execute_ask(s, p, now_us);
    else if (p->of->statement.kind == STATEMENT_SHOW)
        execute_show(s, p);
    else
        (void)statement_do(s, &p->of->statement, p->of->text, now_us);
}

void
extended_told(struct session *s, struct task *t, int64_t now_us)
{
    struct portal *p = s->portal;

    if (!asking_failed(s, t, p->of->text, p->of->statement.at))
        give_answer(s, p, asking_end(s, t, now_us));
}

/* -------------------------------------------------------------- message -- */

static void
close_object(struct session *s, const struct pg_named *m)
{
    if (m->object == PG_PORTAL)
        held_close_portal(&s->held, m->name);
    else
        held_close_prepared(&s->held, m->name);
    pg_out_word(&s->out, PG_CLOSE_COMPLETE);
}

void
extended_message(struct session *s, const struct pg_message *m, int64_t now_us)
{
    switch (m->kind) {
    case PG_PARSE: do_parse(s, &m->parse); break;
    case PG_BIND: do_bind(s, &m->bind); break;
    case PG_DESCRIBE: do_describe(s, &m->named); break;
    case PG_EXECUTE: do_execute(s, &m->execute, now_us); break;
    default: close_object(s, &m->named);
    }
}
