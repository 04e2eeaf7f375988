/*
 * Parses texts of SQL. The loop parses short ones itself, within a millisecond or
 * two; longer ones go to a worker thread and back, so that nobody's text keeps
 * other sessions waiting.
 */
#include <ctype.h>

#include "base/error.h"
#include "pg/session_inside.h"

enum {
    READ_BYTES = 1 << 26,
    SHORT_BYTES = 4096,
    SHORT_TOKENS = 200, /* about 6 us each */
};

/* May the loop parse this text itself? Counts words and signs, of which there
   are at least as many as tokens. What the loop parses is limited per text,
   session and analyst. */
static bool
is_short(struct session *s, str text)
{
    size_t tokens = 0;
    bool in_word = false;

    if (text.len > SHORT_BYTES)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool word = isalnum(c) || c == '_' || c >= 0x80;

        tokens += word ? !in_word : !isspace(c);
        in_word = word;
    }
    if (tokens > SHORT_TOKENS || !share_may_read(s->share, s->turn_us, tokens))
        return false;
    s->cost += tokens;
    return true;
}

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* Lets a worker thread parse the text; reading_told then continues. */
static void
read_by_worker(struct session *s, str text)
{
    struct task *t = session_want(s, TASK_READ, THEN_READ);

    if (!t)
        return;
    t->q.ask.sql = task_copy(t, text);
    if (!t->q.ask.sql.ptr) {
        s->running = NULL;
        session_refuse(s, "53200", "out of memory");
    }
}

/* -------------------------------------------------------- simple queries -- */

void
reading_batch(struct session *s, str text)
{
    struct batch *b = &s->batch;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    if (!is_short(s, text)) {
        read_by_worker(s, text);
        return;
    }
    b->text = (str){arena_copy(b->a, text), text.len};
    st = b->text.ptr ? statements_read(b->a, b->text, &b->of, &b->n, &err)
                     : no_memory(&err);
    if (st)
        session_fail(s, &err, text);
    else
        simple_read(s);
}

/* The batch takes over the task's arena, which holds the statements. */
static void
batch_take(struct session *s, struct task *t)
{
    struct batch *b = &s->batch;

    arena_free(b->a);
    b->a = t->a;
    t->a = NULL;
    b->text = t->q.ask.sql;
    b->of = t->statements;
    b->n = t->n_statements;
    simple_read(s);
}

/* --------------------------------------------------- prepared statements -- */

/* Copies the only statement of the text into p. */
static custos_status
prepared_take(struct prepared *p, const struct statement *of, size_t n,
              custos_err *err)
{
    if (n > 1)
        return custos_fail(err, CUSTOS_ESYNTAX,
                           "cannot insert multiple commands into a prepared "
                           "statement");
    p->empty = !n;
    if (!n)
        return CUSTOS_OK;
    p->statement = of[0];
    if (!str_keep(p->a, &p->statement.word) ||
        !str_keep(p->a, &p->statement.name) ||
        !str_keep(p->a, &p->statement.column) ||
        (p->statement.value.ptr && !str_keep(p->a, &p->statement.value)))
        return no_memory(err);
    return CUSTOS_OK;
}

/* Error positions in a cursor's query are reported as positions in its DECLARE. */
static void
prepared_fail(struct session *s, custos_err *err)
{
    if (s->declaring && err->at >= 0)
        err->at += s->outer_at;
    session_fail(s, err, s->declaring ? s->outer : s->parsing->text);
}

static void
prepared_go_on(struct session *s)
{
    if (s->declaring)
        cursor_read(s);
    else
        extended_read(s);
}

void
reading_prepared(struct session *s)
{
    struct prepared *p = s->parsing;
    custos_err err = CUSTOS_ERR_INIT;
    struct statement *of = NULL;
    custos_status st;
    size_t n = 0;
    arena *a;

    if (!is_short(s, p->text)) {
        read_by_worker(s, p->text);
        return;
    }
    a = arena_new(NULL, READ_BYTES);
    st = a ? statements_read(a, p->text, &of, &n, &err) : no_memory(&err);
    if (!st)
        st = prepared_take(p, of, n, &err);
    arena_free(a);
    if (st)
        prepared_fail(s, &err);
    else
        prepared_go_on(s);
}

void
reading_told(struct session *s, struct task *t)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (asking_failed(s, t, s->declaring ? s->outer : t->q.ask.sql,
                      s->declaring ? s->outer_at : 0))
        return;
    if (!s->parsing)
        batch_take(s, t);
    else if (prepared_take(s->parsing, t->statements, t->n_statements, &err))
        prepared_fail(s, &err);
    else
        prepared_go_on(s);
}
