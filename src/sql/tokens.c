/*
 * How deep a query nests, from its flat list of tokens.
 *
 * The bound is computed over levels; a parenthesis, bracket or CASE opens one.
 * Commas, ANDs and ORs, which the parser keeps as flat lists, and the branches
 * of a CASE divide a level into parts. The parser may nest once for every
 * operator of a part, and once for every reserved word of the level (UNION and
 * JOIN nest across commas). So
 *
 *     depth(level) = own + words + max over parts (operators + deepest inside)
 *
 * is never below the depth of the tree. Here own is 0 for a parenthesis that
 * only groups, and 1 otherwise. A token that is not known counts as an
 * operator.
 */
#include "sql/tokens.h"

#include <strings.h>

#include "base/error.h"

/* Parentheses that only group add no depth to the tree, but count as levels. */
enum { LEVELS_MAX = 4 * SQL_DEPTH_MAX };

struct level {
    int own;
    int words;     /* reserved words anywhere on the level */
    int operators; /* in the current part */
    int inside;    /* depth of the deepest level opened in the current part */
    int deepest;   /* depth of the deepest part so far */
    int betweens;  /* BETWEENs whose AND has not come yet */
    bool is_case;
};

bool
token_is(const char *sql, const struct sql_token *t, const char *word)
{
    size_t len = (size_t)(t->end - t->at);

    return strlen(word) == len && !strncasecmp(sql + t->at, word, len);
}

static void
part_end(struct level *l)
{
    int depth = l->operators + l->inside;

    if (depth > l->deepest)
        l->deepest = depth;
    l->operators = l->inside = 0;
}

static int
level_depth(struct level *l)
{
    part_end(l);
    return l->own + l->words + l->deepest;
}

/* Counts a token that opens or closes no level. */
static void
token_count(struct level *l, const struct sql_token *t)
{
    switch (t->kind) {
    case PG_QUERY__TOKEN__IDENT:
    case PG_QUERY__TOKEN__UIDENT:
    case PG_QUERY__TOKEN__FCONST:
    case PG_QUERY__TOKEN__SCONST:
    case PG_QUERY__TOKEN__USCONST:
    case PG_QUERY__TOKEN__BCONST:
    case PG_QUERY__TOKEN__XCONST:
    case PG_QUERY__TOKEN__ICONST:
    case PG_QUERY__TOKEN__PARAM:
    case PG_QUERY__TOKEN__ASCII_46: /* . */
    case PG_QUERY__TOKEN__AS:
    case PG_QUERY__TOKEN__ASC:
    case PG_QUERY__TOKEN__DESC:
    case PG_QUERY__TOKEN__CAST:
    case PG_QUERY__TOKEN__NULL_P:
    case PG_QUERY__TOKEN__TRUE_P:
    case PG_QUERY__TOKEN__FALSE_P: return;
    case PG_QUERY__TOKEN__ASCII_44: /* , */
        l->own = 1;                 /* a list or a row */
        part_end(l);
        return;
    case PG_QUERY__TOKEN__OR: part_end(l); return;
    case PG_QUERY__TOKEN__AND:
        if (l->betweens > 0)
            l->betweens--;
        else
            part_end(l);
        return;
    case PG_QUERY__TOKEN__WHEN:
    case PG_QUERY__TOKEN__THEN:
    case PG_QUERY__TOKEN__ELSE:
        if (l->is_case)
            part_end(l);
        else
            l->words++;
        return;
    case PG_QUERY__TOKEN__BETWEEN:
        l->betweens++;
        l->operators++;
        return;
    case PG_QUERY__TOKEN__NOT:
    case PG_QUERY__TOKEN__IS:
    case PG_QUERY__TOKEN__LIKE:
    case PG_QUERY__TOKEN__ILIKE:
    case PG_QUERY__TOKEN__DISTINCT: l->operators++; return;
    case PG_QUERY__TOKEN__IN_P: l->operators += 2; return;
    default: break;
    }
    if (t->keyword == PG_QUERY__KEYWORD_KIND__RESERVED_KEYWORD ||
        t->keyword == PG_QUERY__KEYWORD_KIND__TYPE_FUNC_NAME_KEYWORD)
        l->words++;
    else
        l->operators++;
}

static custos_status
fail_deep(const struct sql_token *t, custos_err *err)
{
    return custos_fail_at(err, CUSTOS_EUNSUPPORTED, t->at,
                          "the query nests deeper than %d levels here" HINT
                          "nest it less deeply",
                          SQL_DEPTH_MAX);
}

static void
level_close(struct level *levels, int *top)
{
    int depth = level_depth(&levels[*top]);

    (*top)--;
    if (depth > levels[*top].inside)
        levels[*top].inside = depth;
}

/* Does the token open a level? *out: that level. */
static bool
level_opens(const struct sql_token *tokens, size_t i, struct level *out)
{
    int kind = tokens[i].kind;
    const struct sql_token *before = i > 0 ? &tokens[i - 1] : NULL;

    *out = (struct level){.own = 1};
    if (kind == PG_QUERY__TOKEN__CASE) {
        out->is_case = true;
        out->words = 1;
        return true;
    }
    /* After an operator, a comma or a parenthesis, ( can only group. */
    if (kind == PG_QUERY__TOKEN__ASCII_40 && before &&
        before->keyword == PG_QUERY__KEYWORD_KIND__NO_KEYWORD &&
        before->kind != PG_QUERY__TOKEN__IDENT &&
        before->kind != PG_QUERY__TOKEN__UIDENT)
        out->own = 0;
    return kind == PG_QUERY__TOKEN__ASCII_40 ||
           kind == PG_QUERY__TOKEN__ASCII_91;
}

custos_status
tokens_check(const struct sql_token *tokens, size_t n, custos_err *err)
{
    struct level levels[LEVELS_MAX] = {{.own = 1}}, opened;
    int top = 0;

    for (size_t i = 0; i < n; i++) {
        const struct sql_token *t = &tokens[i];

        if (level_opens(tokens, i, &opened)) {
            if (++top == LEVELS_MAX)
                return fail_deep(t, err);
            levels[top] = opened;
            continue;
        }
        switch (t->kind) {
        case PG_QUERY__TOKEN__ASCII_41: /* ) */
        case PG_QUERY__TOKEN__ASCII_93: /* ] */
        case PG_QUERY__TOKEN__END_P:
            if (top > 0)
                level_close(levels, &top);
            break;
        default: token_count(&levels[top], t); break;
        }
        if (levels[top].words + levels[top].operators + levels[top].inside >
            SQL_DEPTH_MAX)
            return fail_deep(t, err);
    }
    while (top > 0)
        level_close(levels, &top);
    if (n > 0 && level_depth(&levels[0]) > SQL_DEPTH_MAX)
        return fail_deep(&tokens[n - 1], err);
    return CUSTOS_OK;
}
