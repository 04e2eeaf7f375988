/*
 * Does a session's tasks, in a worker thread. question.c does questions; all
 * other tasks are free and read no data.
 */
#include "base/error.h"
#include "curator/describe.h"
#include "pg/task.h"
#include "serve/clock.h"
#include "wire/pg_text.h"

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* A name without a password gets a mock verifier, so that clients cannot tell
   which names exist. The salt of a mock is computed for every name, so that the
   time reveals less. */
static custos_status
find_verifier(struct task *t, struct curator *c, custos_err *err)
{
    char text[CREDENTIAL_VERIFIER_MAX];
    uint8_t salt[CREDENTIAL_SALT_BYTES];
    custos_status st;

    credential_mock_salt(c, t->user, salt);
    st = credential_verifier(c, t->user, &t->q.who, text, err);
    if (!st)
        st = scram_verifier_read(str_of(text), &t->verifier, err);
    wipe(text, sizeof text);
    if (st != CUSTOS_EDENIED)
        return st;
    scram_verifier_mock(salt, &t->verifier);
    return CUSTOS_OK;
}

/* Passes on the types that the client declared for its parameters, including
   lists. */
static custos_status
declare_params(struct task *t, custos_err *err)
{
    enum data_type *types = arena_take(t->a, t->n_types + 1, sizeof *types);
    bool *lists = arena_take(t->a, t->n_types + 1, sizeof *lists);

    if (!types || !lists)
        return no_memory(err);
    for (size_t i = 0; i < t->n_types; i++) {
        uint32_t element = pg_array_element(t->types[i]);

        lists[i] = element != 0;
        if (t->types[i] &&
            !pg_data_type(element ? element : t->types[i], &types[i]))
            return custos_fail(err, CUSTOS_EUNSUPPORTED,
                               "parameter $%zu is of a type that is not "
                               "supported" HINT "send it as text",
                               i + 1);
    }
    t->q.ask.param_types = types;
    t->q.ask.param_lists = lists;
    t->q.ask.n_param_types = t->n_types;
    return CUSTOS_OK;
}

static custos_status
describe_query(struct task *t, struct curator *c, custos_err *err)
{
    struct description d = {0};
    struct pg_type *made;
    custos_status st = declare_params(t, err);
    size_t n = 0;
    str *names;

    if (!st)
        st = curator_describe(c, &t->q.ask, t->a, &d, err);
    if (st)
        return st;
    names = arena_take(t->a, d.n_columns + 1, sizeof *names);
    made = arena_take(t->a, d.n_columns + 1, sizeof *made);
    t->params = arena_take(t->a, d.n_params + 1, sizeof *t->params);
    if (!names || !made || !t->params)
        return no_memory(err);
    for (size_t i = 0; i < d.n_columns; i++) {
        const struct description_column *of = &d.columns[i];

        if (of->array.at > 0)
            continue;
        names[n] = of->array.n ? of->array.name : of->name;
        made[n++] = pg_type_in(of->type, &of->array);
    }
    t->n_params = d.n_params;
    for (size_t i = 0; i < d.n_params; i++) {
        uint32_t found = pg_type_of(d.params[i], PG_64_BITS).oid;

        t->params[i] = i < t->n_types && t->types[i] ? t->types[i]
                       : d.lists[i]                  ? pg_array_of(found)
                                                     : found;
    }
    t->n_columns = n;
    t->columns = columns_of(t->a, names, made, n);
    return t->columns ? CUSTOS_OK : no_memory(err);
}

static custos_status
describe_catalog(struct task *t, struct curator *c, custos_err *err)
{
    struct catalog_rows found = {0};
    struct pg_type *types;
    custos_status st;
    str *names;

    t->catalog.param_types = t->types;
    t->catalog.n_param_types = t->n_types;
    st = curator_catalog_describe(c, &t->catalog, t->a, &found, err);
    if (st)
        return st;
    names = arena_take(t->a, found.n_columns + 1, sizeof *names);
    types = arena_take(t->a, found.n_columns + 1, sizeof *types);
    if (!names || !types)
        return no_memory(err);
    for (size_t i = 0; i < found.n_columns; i++) {
        names[i] = found.columns[i].name;
        types[i] = pg_type_by_oid(found.columns[i].oid);
    }
    t->params = found.params;
    t->n_params = found.n_params;
    t->n_columns = found.n_columns;
    t->columns = columns_of(t->a, names, types, found.n_columns);
    return t->columns ? CUSTOS_OK : no_memory(err);
}

static custos_status
ask_catalog(struct task *t, struct curator *c, custos_err *err)
{
    struct catalog_rows found = {0};
    custos_status st = curator_catalog(c, &t->catalog, t->a, &found, err);

    return st ? st
              : rows_of_catalog(&found, &t->formats, t->reply_max, &t->rows,
                                err);
}

static custos_status
ask_budget(struct task *t, struct curator *c, custos_err *err)
{
    struct ledger *l = curator_ledger(c);
    struct ledger_balance own, window;
    struct ledger_remaining remaining;
    custos_status st = ledger_balance(l, t->q.ask.who, &own, err);
    struct buf b;

    if (!st && t->q.ask.who.len)
        st = ledger_window(l, t->q.ask.who, t->q.ask.now, &window, err);
    else
        window.limited = false;
    if (st)
        return st;
    /* The least of all limits comes first: it is what can be spent. */
    st = ledger_remaining(l, t->q.ask.who, t->q.ask.now, NULL, &remaining, err);
    if (st)
        return st;
    buf_init(&b, NULL, 4096);
    buf_printf(&b, "epsilon %s left", remaining.epsilon);
    if (window.limited)
        buf_printf(&b, "; the window has %s left, the budget %s",
                   window.left_epsilon, own.left_epsilon);
    if (own.limited)
        buf_printf(&b, " of %s", own.facts.epsilon);
    st = b.failed ? no_memory(err)
                  : rows_of_text(str_of("custos.budget"), (str){b.ptr, b.len},
                                 &t->rows, err);
    buf_clear(&b);
    return st;
}

/* Does tasks other than questions: they are free and show nothing of the
   data. */
static custos_status
work_free(struct task *t, struct curator *c, custos_err *err)
{
    custos_status st;

    if (t->kind == TASK_VERIFIER)
        return find_verifier(t, c, err);
    if (t->kind == TASK_READ)
        return statements_read(t->a, t->q.ask.sql, &t->statements,
                               &t->n_statements, err);
    st = credential_holds(c, &t->q.who, err);
    t->q.lost = st == CUSTOS_EDENIED;
    if (!st)
        st = curator_refresh(c, err);
    if (st)
        return st;
    switch (t->kind) {
    case TASK_DESCRIBE: return describe_query(t, c, err);
    case TASK_CATALOG: return ask_catalog(t, c, err);
    case TASK_CATALOG_DESCRIBE: return describe_catalog(t, c, err);
    default: return ask_budget(t, c, err);
    }
}

/* Other tasks of the analyst may have used up the analyst's share of the server's
   memory (shares.h) while this one waited. */
static bool
has_room(struct task *t)
{
    t->q.err = (custos_err)CUSTOS_ERR_INIT;
    if (!share_is_full(t->share, SHARE_MESSAGES))
        return true;
    t->q.status = share_fail_unread(t->share, &t->q.err);
    t->q.job.stepped = false;
    return false;
}

static void
work_question(struct task *t, struct curator *c)
{
    question_work(&t->q.job, c);
    if (t->q.status)
        return;
    if (!t->q.answer->explained && !t->q.answer->is_public)
        cost_write(&t->q, t->cost);
    if (t->q.answer->explained && t->q.answer->forecast.stored)
        t->note = "this answer is stored: asking again costs nothing";
    t->q.status = rows_of_answer(t->q.answer, &t->formats, t->reply_max,
                                 &t->rows, &t->q.err);
    if (!t->q.status && t->q.answer->is_public && t->rows->bars.len > 0)
        t->note = "answered from released values: free";
}

void
task_work(struct job *j, struct curator *c)
{
    struct task *t = (struct task *)j;

    t->q.ask.who = t->catalog.who = str_of(t->q.who.name);
    if (!has_room(t))
        return;
    if (t->kind == TASK_ANSWER) {
        work_question(t, c);
    } else {
        t->q.ask.now = wall_us();
        t->q.status = work_free(t, c, &t->q.err);
        j->stepped = false;
    }
    share_change(t->share, SHARE_MESSAGES, &t->counted,
                 t->rows ? rows_bytes(t->rows) : 0);
}
