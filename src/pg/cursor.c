/*
 * SQL cursors: DECLARE, FETCH, MOVE. A cursor is a portal whose statement is
 * described at DECLARE. It gives out one released answer, forward only and
 * once.
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

static enum done
no_memory(struct session *s)
{
    session_refuse(s, "53200", "out of memory");
    return FAILED;
}

/* ------------------------------------------------------------- DECLARE -- */

enum done
cursor_declare(struct session *s, const struct statement *st, str text)
{
    struct prepared *p;

    if (s->state == PG_IDLE) {
        session_refuse(s, "25P01",
                       "DECLARE CURSOR can only be used in transaction blocks");
        return FAILED;
    }
    if (held_portal(&s->held, st->name)) {
        session_refuse(s, "42P03", "cursor \"%.*s\" already exists",
                       shown_len(st->name), st->name.ptr);
        return FAILED;
    }
    p = s->parsing = prepared_new();
    s->declaring = strndup(st->name.ptr, st->name.len);
    if (!p || !s->declaring)
        return no_memory(s);
    /* the query after FOR, as a statement of its own */
    p->text.len = (size_t)st->query_len;
    p->text.ptr = arena_copy(p->a, (str){text.ptr + st->query_at, p->text.len});
    if (!p->text.ptr)
        return no_memory(s);
    s->outer = text;
    s->outer_at = st->query_at;
    reading_prepared(s);
    return s->at == AT_WORK ? PENDING : FAILED;
}

void
cursor_read(struct session *s)
{
    const struct prepared *p = s->parsing;
    const struct asking a = {
        .statement = &p->statement,
        .sql = {p->text.ptr + p->statement.at, (size_t)p->statement.len},
    };

    if (p->empty || !statement_asks(p->statement.kind))
        session_refuse(s, "0A000", "a cursor must be for a SELECT");
    else
        (void)asking_begin(s, &a, THEN_PARSE);
}

void
cursor_declared(struct session *s)
{
    struct prepared *of = s->parsing;
    struct portal *p;
    custos_err err = CUSTOS_ERR_INIT;

    if (of->n_params) {
        session_refuse(s, "0A000",
                       "a cursor cannot have parameters" HINT
                       "write the values into the query");
        return;
    }
    p = portal_new(of);
    if (!p) {
        (void)no_memory(s);
        return;
    }
    if (held_bind(&s->held, str_of(s->declaring), p, &err)) {
        session_fail(s, &err, str_of(""));
        return;
    }
    prepared_drop(of);
    s->parsing = NULL;
    free(s->declaring);
    s->declaring = NULL;
    pg_out_complete(&s->out, "DECLARE CURSOR");
}

/* --------------------------------------------------------------- FETCH -- */

/* After its last row a cursor gives nothing more and asks no new question. */
static enum done
fetch_nothing(struct session *s, const struct portal *p)
{
    if (s->fetch_how == GIVE_FETCH && s->batch.a)
        pg_out_row_description(&s->out, p->of->columns, p->of->n_columns);
    pg_out_complete(&s->out, s->fetch_how == GIVE_FETCH ? "FETCH 0" : "MOVE 0");
    return DONE;
}

enum done
cursor_fetch(struct session *s, const struct statement *st, int64_t now_us)
{
    struct portal *p = held_portal(&s->held, st->name);
    struct asking a = {0};
    struct rows *rows;

    if (!p || !statement_asks(p->of->statement.kind)) {
        session_refuse(s, "34000", "cursor \"%.*s\" does not exist",
                       shown_len(st->name), st->name.ptr);
        return FAILED;
    }
    s->fetch_how = st->kind == STATEMENT_MOVE ? GIVE_MOVE : GIVE_FETCH;
    s->fetch_most = (uint64_t)st->count;
    if (p->done || !st->count)
        return fetch_nothing(s, p);
    if (!p->rows) {
        const struct prepared *of = p->of;

        a.text = of->statement.kind == STATEMENT_SELECT ? of->text : str_of("");
        a.statement = &of->statement;
        a.sql =
            (str){of->text.ptr + of->statement.at, (size_t)of->statement.len};
        a.portal = p;
        rows = asking_cached(s, &a, now_us);
        s->portal = p;
        if (!rows)
            return asking_begin(s, &a, THEN_FETCH) ? PENDING : FAILED;
        held_answer(&s->held, p, rows);
    }
    session_give_some(s, p, s->fetch_how, s->fetch_most);
    return PENDING;
}

void
cursor_told(struct session *s, struct task *t, int64_t now_us)
{
    struct portal *p = s->portal;

    if (asking_failed(s, t, str_of(""), 0))
        return;
    held_answer(&s->held, p, asking_end(s, t, now_us));
    session_give_some(s, p, s->fetch_how, s->fetch_most);
}
