/*
 * The spellings of GoogleSQL that PostgreSQL's grammar does not have. They are
 * found among the tokens and overwritten with blanks in the text.
 */
#include "sql/tokens.h"

#include "base/error.h"

struct cursor {
    arena *a;
    char *sql;
    const struct sql_token *tokens;
    size_t n, i;
    custos_err *err;
};

static bool
cursor_is(const struct cursor *c, size_t ahead, int kind)
{
    return c->i + ahead < c->n && c->tokens[c->i + ahead].kind == kind;
}

static custos_status
fail_here(const struct cursor *c, const char *wanted)
{
    int at = c->i < c->n ? c->tokens[c->i].at : (int)strlen(c->sql);

    return custos_fail_at(c->err, CUSTOS_ESYNTAX, at,
                          "in OPTIONS(...): expected %s here", wanted);
}

static void
blank_out(char *sql, int from, int to)
{
    memset(sql + from, ' ', (size_t)(to - from));
}

/* Where to store the value of an option; NULL: there is no such option. */
static str *
option_find(const struct cursor *c, struct query_options *o)
{
    const struct sql_token *t = &c->tokens[c->i];

    if (token_is(c->sql, t, "epsilon")) {
        o->epsilon_at = t->at;
        return &o->epsilon;
    }
    if (token_is(c->sql, t, "rho")) {
        o->rho_at = t->at;
        return &o->rho;
    }
    if (token_is(c->sql, t, "delta")) {
        o->delta_at = t->at;
        return &o->delta;
    }
    if (token_is(c->sql, t, "max_groups_contributed"))
        return &o->max_groups_contributed;
    if (token_is(c->sql, t, "max_rows_contributed"))
        return &o->max_rows_contributed;
    if (token_is(c->sql, t, "max_rows_contributed_per_group"))
        return &o->max_rows_per_group;
    if (token_is(c->sql, t, "min_privacy_units_per_group"))
        return &o->min_units;
    if (token_is(c->sql, t, "bars"))
        return &o->bars;
    if (token_is(c->sql, t, "quantile_bar"))
        return &o->quantile_bar;
    if (token_is(c->sql, t, "table_error"))
        return &o->table_error;
    return NULL;
}

/* The only word that an option takes; NULL: it takes a number. */
static const char *
option_word(const struct query_options *o, const str *value)
{
    if (value == &o->bars)
        return "simultaneous";
    if (value == &o->quantile_bar)
        return "off";
    return value == &o->table_error ? "largest" : NULL;
}

/* name = number, or name = word */
static custos_status
option_read(struct cursor *c, struct query_options *o)
{
    const struct sql_token *t = &c->tokens[c->i];
    const char *word;
    char *copy;
    str *value;

    if (c->i >= c->n || cursor_is(c, 0, PG_QUERY__TOKEN__ASCII_41))
        return fail_here(c, "an option");
    value = option_find(c, o);
    if (!value)
        return custos_fail_at(
            c->err, CUSTOS_EUNSUPPORTED, t->at,
            "unknown option in OPTIONS(...): %.*s" HINT
            "the options are epsilon, rho, delta, max_groups_contributed, "
            "max_rows_contributed, max_rows_contributed_per_group, "
            "min_privacy_units_per_group, bars, quantile_bar and "
            "table_error",
            t->end - t->at > 40 ? 40 : t->end - t->at, c->sql + t->at);
    if (value->len)
        return custos_fail_at(c->err, CUSTOS_ESYNTAX, t->at,
                              "an option of OPTIONS is given twice");
    c->i++;
    if (!cursor_is(c, 0, PG_QUERY__TOKEN__ASCII_61))
        return fail_here(c, "=");
    c->i++;
    word = option_word(o, value);
    if (word) {
        if (c->i >= c->n || !token_is(c->sql, &c->tokens[c->i], word))
            return fail_here(c, word);
    } else if (!cursor_is(c, 0, PG_QUERY__TOKEN__ICONST) &&
               !cursor_is(c, 0, PG_QUERY__TOKEN__FCONST)) {
        return fail_here(c, "a number above 0");
    }
    t = &c->tokens[c->i++];
    value->len = (size_t)(t->end - t->at);
    copy = arena_copy(c->a, (str){c->sql + t->at, value->len});
    if (!copy)
        return custos_fail(c->err, CUSTOS_ENOMEM, "out of memory");
    value->ptr = copy;
    return CUSTOS_OK;
}

/* ( name = number, ... ) */
static custos_status
options_read(struct cursor *c, struct query_options *o)
{
    custos_status st;

    if (!cursor_is(c, 0, PG_QUERY__TOKEN__ASCII_40))
        return fail_here(c, "(");
    do {
        c->i++; /* ( or , */
        st = option_read(c, o);
        if (st)
            return st;
    } while (cursor_is(c, 0, PG_QUERY__TOKEN__ASCII_44));
    if (!cursor_is(c, 0, PG_QUERY__TOKEN__ASCII_41))
        return fail_here(c, ", or )");
    c->i++;
    return CUSTOS_OK;
}

/* SELECT WITH DIFFERENTIAL_PRIVACY */
static bool
clause_is(const struct cursor *c)
{
    return cursor_is(c, 0, PG_QUERY__TOKEN__SELECT) &&
           cursor_is(c, 1, PG_QUERY__TOKEN__WITH) && c->i + 2 < c->n &&
           token_is(c->sql, &c->tokens[c->i + 2], "differential_privacy");
}

/* Goes to the first SELECT outside parentheses. In a query with WITH, that is
   the outermost SELECT. */
static void
outermost_find(struct cursor *c)
{
    int level = 0;

    for (c->i = 0; c->i < c->n; c->i++) {
        level += cursor_is(c, 0, PG_QUERY__TOKEN__ASCII_40);
        level -= cursor_is(c, 0, PG_QUERY__TOKEN__ASCII_41);
        if (level == 0 && cursor_is(c, 0, PG_QUERY__TOKEN__SELECT))
            return;
    }
}

static custos_status
others_check(struct cursor *c, size_t outermost)
{
    for (c->i = 0; c->i < c->n; c->i++)
        if (c->i != outermost && clause_is(c))
            return custos_fail_at(c->err, CUSTOS_EUNSUPPORTED,
                                  c->tokens[c->i + 1].at,
                                  "WITH DIFFERENTIAL_PRIVACY belongs to the "
                                  "outermost SELECT");
    return CUSTOS_OK;
}

static custos_status
clause_read(struct cursor *c, struct query_options *o)
{
    custos_status st;
    int from;

    outermost_find(c);
    st = others_check(c, c->i);
    outermost_find(c);
    if (st || !clause_is(c))
        return st;
    from = c->tokens[c->i + 1].at;
    c->i += 3;
    o->given = true;
    if (cursor_is(c, 0, PG_QUERY__TOKEN__OPTIONS)) {
        c->i++;
        st = options_read(c, o);
        if (st)
            return st;
    }
    blank_out(c->sql, from, c->tokens[c->i - 1].end);
    return CUSTOS_OK;
}

custos_status
tokens_google(arena *a, char *sql, const struct sql_token *tokens, size_t n,
              struct query_options *out, custos_err *err)
{
    struct cursor c = {
        .a = a, .sql = sql, .tokens = tokens, .n = n, .err = err};
    custos_status st = clause_read(&c, out);

    if (st)
        return st;
    for (c.i = 0; c.i < n; c.i++)
        if (token_is(sql, &tokens[c.i], "count") &&
            cursor_is(&c, 1, PG_QUERY__TOKEN__ASCII_40) &&
            cursor_is(&c, 2, PG_QUERY__TOKEN__ASCII_42) &&
            cursor_is(&c, 3, PG_QUERY__TOKEN__ASCII_44) &&
            cursor_is(&c, 5, PG_QUERY__TOKEN__EQUALS_GREATER))
            blank_out(sql, tokens[c.i + 2].at, tokens[c.i + 3].end);
    return CUSTOS_OK;
}
