/*
 * Splits a session's text at its semicolons; PostgreSQL's tree says what each
 * statement is.
 *
 * The text is split by tokens before it is parsed. PostgreSQL's grammar lacks
 * GoogleSQL's clause WITH DIFFERENTIAL_PRIVACY, which must be blanked out first
 * (tokens.h); that is done statement by statement.
 */
#include "sql/statement.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "sql/catalog.h"
#include "sql/peek.h"
#include "sql/read.h"
#include "sql/statement_call.h"
#include "sql/tokens.h"

struct cutter {
    arena *a;
    const char *sql; /* of one statement, GoogleSQL blanked out */
    const struct sql_token *tokens;
    size_t n_tokens;
    custos_err *err;
};

static custos_status
copy_text(const struct cutter *c, const char *text, str *out)
{
    *out = (str){arena_copy(c->a, str_of(text)), strlen(text)};
    return out->ptr ? CUSTOS_OK : fail_memory(c->err);
}

/* ------------------------------------------------------------- settings -- */

/* Writes a value of SET as SHOW shows it. */
static void
value_write(const pg_node *node, struct buf *b)
{
    const PgQuery__AConst *k;

    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST) {
        value_write(node->type_cast->arg, b); /* INTERVAL '1' HOUR */
        return;
    }
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST)
        return;
    k = node->a_const;
    switch (k->val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
        buf_printf(b, "%d", k->ival->ival);
        break;
    case PG_QUERY__A__CONST__VAL_FVAL: buf_add_text(b, k->fval->fval); break;
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        buf_add_text(b, k->boolval->boolval ? "on" : "off");
        break;
    case PG_QUERY__A__CONST__VAL_SVAL: buf_add_text(b, k->sval->sval); break;
    default: break;
    }
}

static custos_status
set_read(const struct cutter *c, const PgQuery__VariableSetStmt *s,
         struct statement *out)
{
    custos_status st = copy_text(c, s->name, &out->name);
    struct buf b;

    out->local = s->is_local;
    switch (s->kind) {
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL:
        out->kind = STATEMENT_RESET;
        return st;
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE:
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI:
        out->kind = STATEMENT_SET;
        break;
    default: return st;
    }
    buf_init(&b, NULL, SQL_TEXT_MAX + 1);
    for (size_t i = 0; i < s->n_args; i++) {
        buf_add_text(&b, i > 0 ? ", " : "");
        value_write(s->args[i], &b);
    }
    if (!st)
        st = b.failed ? fail_memory(c->err)
                      : copy_text(c, buf_text(&b), &out->value);
    buf_clear(&b);
    return st;
}

/* ----------------------------------------------- transactions, cursors -- */

static custos_status
transaction_read(const struct cutter *c, const PgQuery__TransactionStmt *t,
                 struct statement *out)
{
    static const struct {
        PgQuery__TransactionStmtKind is;
        enum statement_kind kind;
    } kinds[] = {
        {PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN, STATEMENT_BEGIN},
        {PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START, STATEMENT_BEGIN},
        {PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT, STATEMENT_COMMIT},
        {PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK,
         STATEMENT_ROLLBACK},
        {PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT,
         STATEMENT_SAVEPOINT},
        {PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE,
         STATEMENT_RELEASE},
        {PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO,
         STATEMENT_ROLLBACK_TO},
    };

    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (t->kind == kinds[i].is)
            out->kind = kinds[i].kind;
    return copy_text(c, t->savepoint_name, &out->name);
}

/* Finds the query: after the first FOR of DECLARE, or the first AS of PREPARE,
   that is outside parentheses. */
static void
inner_find(const struct cutter *c, int word, struct statement *out)
{
    int level = 0;

    for (size_t i = 0; i + 1 < c->n_tokens; i++) {
        level += c->tokens[i].kind == PG_QUERY__TOKEN__ASCII_40;
        level -= c->tokens[i].kind == PG_QUERY__TOKEN__ASCII_41;
        if (level > 0 || c->tokens[i].kind != word)
            continue;
        out->query_at = out->at + c->tokens[i + 1].at;
        out->query_len = out->at + out->len - out->query_at;
        return;
    }
}

enum { CURSOR_SCROLL = 2, CURSOR_HOLD = 32 }; /* parsenodes.h: CURSOR_OPT_ */

static custos_status
declare_read(const struct cutter *c, const PgQuery__DeclareCursorStmt *d,
             struct statement *out)
{
    out->kind = STATEMENT_DECLARE;
    out->scroll = (d->options & CURSOR_SCROLL) != 0;
    out->hold = (d->options & CURSOR_HOLD) != 0;
    inner_find(c, PG_QUERY__TOKEN__FOR, out);
    return copy_text(c, d->portalname, &out->name);
}

static custos_status
fetch_read(const struct cutter *c, const PgQuery__FetchStmt *f,
           struct statement *out)
{
    out->kind = f->ismove ? STATEMENT_MOVE : STATEMENT_FETCH;
    out->forward = f->direction == PG_QUERY__FETCH_DIRECTION__FETCH_FORWARD &&
                   f->how_many >= 0;
    out->count = f->how_many;
    return copy_text(c, f->portalname, &out->name);
}

static custos_status
discard_read(const struct cutter *c, const PgQuery__DiscardStmt *d,
             struct statement *out)
{
    out->kind = STATEMENT_DISCARD;
    return copy_text(
        c,
        d->target == PG_QUERY__DISCARD_MODE__DISCARD_PLANS       ? "plans"
        : d->target == PG_QUERY__DISCARD_MODE__DISCARD_SEQUENCES ? "sequences"
        : d->target == PG_QUERY__DISCARD_MODE__DISCARD_TEMP      ? "temp"
                                                                 : "all",
        &out->value);
}

/* ------------------------------------------------------- one statement -- */

static custos_status
set_named(const struct cutter *c, enum statement_kind kind, const char *name,
          struct statement *out)
{
    out->kind = kind;
    return copy_text(c, name, &out->name);
}

static enum statement_kind
kind_of(const pg_node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT: return STATEMENT_EXPLAIN;
    case PG_QUERY__NODE__NODE_COPY_STMT: return STATEMENT_COPY;
    case PG_QUERY__NODE__NODE_LISTEN_STMT:
    case PG_QUERY__NODE__NODE_NOTIFY_STMT: return STATEMENT_LISTEN;
    case PG_QUERY__NODE__NODE_UNLISTEN_STMT: return STATEMENT_UNLISTEN;
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
    case PG_QUERY__NODE__NODE_MERGE_STMT:
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
    case PG_QUERY__NODE__NODE_LOCK_STMT: return STATEMENT_WRITE;
    default: return STATEMENT_OTHER;
    }
}

static custos_status
node_read(const struct cutter *c, const pg_node *node, struct statement *out)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
        return set_read(c, node->variable_set_stmt, out);
    case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
        return set_named(c, STATEMENT_SHOW, node->variable_show_stmt->name,
                         out);
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
        return transaction_read(c, node->transaction_stmt, out);
    case PG_QUERY__NODE__NODE_DISCARD_STMT:
        return discard_read(c, node->discard_stmt, out);
    case PG_QUERY__NODE__NODE_PREPARE_STMT:
        inner_find(c, PG_QUERY__TOKEN__AS, out);
        return set_named(c, STATEMENT_PREPARE, node->prepare_stmt->name, out);
    case PG_QUERY__NODE__NODE_EXECUTE_STMT:
        return set_named(c, STATEMENT_EXECUTE, node->execute_stmt->name, out);
    case PG_QUERY__NODE__NODE_DEALLOCATE_STMT:
        return set_named(c, STATEMENT_DEALLOCATE, node->deallocate_stmt->name,
                         out);
    case PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT:
        return declare_read(c, node->declare_cursor_stmt, out);
    case PG_QUERY__NODE__NODE_FETCH_STMT:
        return fetch_read(c, node->fetch_stmt, out);
    case PG_QUERY__NODE__NODE_CLOSE_PORTAL_STMT:
        return set_named(c, STATEMENT_CLOSE,
                         node->close_portal_stmt->portalname, out);
    default: out->kind = kind_of(node); return CUSTOS_OK;
    }
}

static custos_status
word_read(const struct cutter *c, str *out)
{
    const struct sql_token *t = &c->tokens[0];
    char *word =
        arena_copy(c->a, (str){c->sql + t->at, (size_t)(t->end - t->at)});

    if (!word)
        return fail_memory(c->err);
    *out = str_of(word);
    for (; *word; word++)
        *word = (char)toupper((unsigned char)*word);
    return CUSTOS_OK;
}

static custos_status
tree_read(const struct cutter *c, PgQuery__ParseResult *tree, bool private,
          struct statement *out)
{
    const pg_node *node;
    struct cte_names ctes;
    custos_status st = word_read(c, &out->word);

    if (st)
        return st;
    if (tree->n_stmts != 1) {
        out->kind = STATEMENT_OTHER;
        return CUSTOS_OK;
    }
    node = tree->stmts[0]->stmt;
    if (node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return node_read(c, node, out);
    if (!private && statement_call_read(c->a, node->select_stmt, out))
        return CUSTOS_OK;
    st = cte_names_take(c->a, &tree->base, &ctes, c->err);
    out->kind = !private && !st && catalog_only(&tree->base, &ctes)
                    ? STATEMENT_CATALOG
                    : STATEMENT_SELECT;
    return st;
}

static custos_status
statement_read(arena *a, str text, struct statement *out, custos_err *err)
{
    struct cutter c = {.a = a, .err = err};
    struct query_options options = {0};
    PgQuery__ParseResult *tree = NULL;
    struct sql_token *tokens;
    char *sql = arena_copy(a, text);
    custos_status st;

    if (!sql)
        return fail_memory(err);
    c.sql = sql;
    st = pg_scan(a, sql, &tokens, &c.n_tokens, err);
    c.tokens = tokens;
    if (!st)
        st = tokens_check(tokens, c.n_tokens, err);
    if (!st)
        st = tokens_google(a, sql, tokens, c.n_tokens, &options, err);
    if (!st)
        st = pg_parse(sql, &tree, err);
    if (!st)
        st = tree_read(&c, tree, options.given, out);
    pg_parse_free(tree);
    return st;
}

/* ---------------------------------------------------------- a long one -- */

/*
 * Parsing takes 4 us per token. A long SELECT with a FROM and no catalog name
 * can only be a query of the policy's tables. So it is not parsed here, but
 * later, when it is answered.
 */
static custos_status
long_read(arena *a, str text, const struct sql_peek *look,
          struct statement *out, custos_err *err)
{
    const struct sql_token word = {.end = (int)look->word};
    struct cutter c = {.a = a,
                       .sql = text.ptr + look->at,
                       .tokens = &word,
                       .n_tokens = 1,
                       .err = err};

    out->at = (int)look->at;
    out->len = (int)look->len;
    out->kind = look->explain ? STATEMENT_EXPLAIN : STATEMENT_SELECT;
    return word_read(&c, &out->word);
}

static custos_status
fail_long(const struct sql_peek *look, custos_err *err)
{
    if (look->statements > 1)
        return custos_fail_at(err, CUSTOS_EUNSUPPORTED, (int)look->second,
                              "a text of more than %d words and symbols may "
                              "have one statement only" HINT
                              "send the statements one by one",
                              STATEMENT_TOKENS_MAX);
    return custos_fail_at(
        err, CUSTOS_EUNSUPPORTED, (int)look->at,
        "only a single SELECT of the policy's tables may have "
        "more than %d words and symbols" HINT
        "send other statements in smaller pieces",
        STATEMENT_TOKENS_MAX);
}

/* -------------------------------------------------------------- the text -- */

/* A statement ends after the last token before its semicolon. Finds at most
   `most` statements; returns most + 1 if there are more. */
static size_t
cut_statements(const struct sql_token *tokens, size_t n, struct statement *out,
               size_t most)
{
    size_t found = 0;
    bool open = false;

    for (size_t i = 0; i < n; i++) {
        if (tokens[i].kind == PG_QUERY__TOKEN__ASCII_59) {
            open = false;
            continue;
        }
        if (!open && found == most)
            return found + 1;
        if (!open)
            out[found++].at = tokens[i].at;
        open = true;
        out[found - 1].len = tokens[i].end - out[found - 1].at;
    }
    return found;
}

/* Reads all statements with PostgreSQL's parser, one after the other. */
static custos_status
all_read(arena *a, str text, struct statement **out, size_t *n, custos_err *err)
{
    struct sql_token *tokens = NULL;
    size_t n_tokens = 0, found, most;
    char *sql = arena_copy(a, text);
    struct statement *all;
    custos_status st;

    if (!sql)
        return fail_memory(err);
    st = pg_scan(a, sql, &tokens, &n_tokens, err);
    if (st)
        return st;
    most = n_tokens < STATEMENTS_MAX ? n_tokens : STATEMENTS_MAX;
    all = arena_take(a, most + 1, sizeof(struct statement));
    if (!all)
        return fail_memory(err);
    found = cut_statements(tokens, n_tokens, all, most);
    if (found > STATEMENTS_MAX)
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "a text may have at most %d statements" HINT
                           "send it in pieces",
                           STATEMENTS_MAX);
    for (size_t i = 0; i < found && !st; i++) {
        st = statement_read(a, (str){sql + all[i].at, (size_t)all[i].len},
                            &all[i], err);
        if (st && err && err->at >= 0)
            err->at += all[i].at;
    }
    if (st)
        return st;
    *out = all;
    *n = found;
    return CUSTOS_OK;
}

custos_status
statements_read(arena *a, str text, struct statement **out, size_t *n,
                custos_err *err)
{
    custos_status st = text_check(text, err);
    struct sql_peek look;

    if (st)
        return st;
    sql_peek(text, &look);
    if (look.words > STATEMENT_TOKENS_SHORT && look.private) {
        *out = arena_take(a, 1, sizeof **out);
        *n = 1;
        return *out ? long_read(a, text, &look, *out, err) : fail_memory(err);
    }
    if (look.words > STATEMENT_TOKENS_MAX)
        return fail_long(&look, err);
    return all_read(a, text, out, n, err);
}

custos_status
statement_refuse(const struct statement *s, custos_err *err)
{
    static const struct {
        enum statement_kind kind;
        const char *said;
    } words[] = {
        {STATEMENT_COPY,
         "COPY is not supported, since rows are private" HINT "use SELECT"},
        {STATEMENT_WRITE,
         "tables are read-only" HINT "the owner fills them with custos init"},
        {STATEMENT_LISTEN, "notifications are not supported"},
        {STATEMENT_DECLARE,
         "a cursor ends with its transaction and goes forward only" HINT
         "leave out WITH HOLD and SCROLL"},
        {STATEMENT_FETCH,
         "a cursor goes forward only" HINT "write FETCH n FROM name"},
        {STATEMENT_MOVE,
         "a cursor goes forward only" HINT "write MOVE n FROM name"},
    };

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (s->kind == words[i].kind)
            return custos_fail_at(err, CUSTOS_EUNSUPPORTED, s->at,
                                  "%.*s" HINT "%s", hint_before(words[i].said),
                                  words[i].said, hint_after(words[i].said));
    return custos_fail_at(
        err, CUSTOS_EUNSUPPORTED, s->at,
        "%.*s is not part of private SQL" HINT
        "use SELECT, EXPLAIN SELECT, SET, SHOW and transactions",
        s->word.len > 40 ? 40 : (int)s->word.len, s->word.ptr);
}
