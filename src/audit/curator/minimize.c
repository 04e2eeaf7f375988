/*
 * Tries changes from large to small and takes one if the query becomes shorter
 * and still shows the fault; then it begins again. The query in `sql` shows the
 * fault at all times, so it can stop after any number of tries.
 */
#include "audit/curator/minimize.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/str.h"

enum { TOKENS_MAX = 20000 };

struct token {
    size_t at, len;
    size_t
        close;   /* of an opening bracket, CASE too: its partner; else itself */
    bool spaced; /* a space was before it */
};

struct state {
    char *sql;
    size_t room;
    struct token *token;
    size_t n;
    size_t tries, asked;
    minimize_still still;
    void *context;
    struct buf text; /* the candidate */
};

/* ------------------------------------------------------------------ tokens -- */

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static size_t
token_length(const char *s)
{
    static const char *const pairs[] = {"||", "<=", ">=", "<>",
                                        "=>", "!=", "::"};
    size_t n = 1;

    if (*s == '\'' || *s == '"') {
        while (s[n] && (s[n] != *s || s[n + 1] == *s))
            n += s[n] == *s ? 2 : 1;
        return s[n] ? n + 1 : n;
    }
    if (is_word(*s)) {
        while (is_word(s[n]))
            n++;
        return n;
    }
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (!strncmp(s, pairs[i], 2))
            return 2;
    return 1;
}

static bool
token_is(const struct state *s, size_t i, const char *text)
{
    return i < s->n && s->token[i].len == strlen(text) &&
           !strncasecmp(s->sql + s->token[i].at, text, s->token[i].len);
}

static bool
opens(const struct state *s, size_t i)
{
    return token_is(s, i, "(") || token_is(s, i, "CASE");
}

static void
match_brackets(struct state *s)
{
    size_t open[256], depth = 0;

    for (size_t i = 0; i < s->n; i++) {
        s->token[i].close = i;
        if (opens(s, i) && depth < COUNT_OF(open))
            open[depth++] = i;
        else if (depth && (token_is(s, i, ")") || token_is(s, i, "END")))
            s->token[open[--depth]].close = i;
    }
}

static void
tokenize(struct state *s)
{
    s->n = 0;
    for (size_t at = 0; s->sql[at] && s->n < TOKENS_MAX;) {
        size_t space = strspn(s->sql + at, " \n\t");

        at += space;
        if (!s->sql[at])
            break;
        s->token[s->n] = (struct token){
            .at = at, .len = token_length(s->sql + at), .spaced = space > 0};
        at += s->token[s->n++].len;
    }
    match_brackets(s);
}

/* -------------------------------------------------------------- candidates -- */

static void
begin(struct state *s)
{
    buf_clear(&s->text);
    buf_init(&s->text, NULL, s->room);
}

static void
add_tokens(struct state *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (s->text.len && s->token[i].spaced &&
            s->text.ptr[s->text.len - 1] != '(')
            buf_add_text(&s->text, " ");
        buf_add(&s->text, s->sql + s->token[i].at, s->token[i].len);
    }
}

/* Takes the candidate if it is shorter and still shows the fault. */
static bool
try_candidate(struct state *s)
{
    if (s->text.failed || s->asked >= s->tries || s->text.len == 0 ||
        s->text.len >= strlen(s->sql))
        return false;
    s->asked++;
    if (!s->still(s->context, buf_text(&s->text)))
        return false;
    memcpy(s->sql, buf_text(&s->text), s->text.len + 1);
    tokenize(s);
    return true;
}

static bool
try_without(struct state *s, size_t from, size_t to)
{
    begin(s);
    add_tokens(s, 0, from);
    add_tokens(s, to, s->n);
    return try_candidate(s);
}

/* Tokens from...to are replaced by others of the query. */
static bool
try_instead(struct state *s, size_t from, size_t to, size_t a, size_t b)
{
    begin(s);
    add_tokens(s, 0, from);
    if (a < b && !s->token[a].spaced && from && s->token[from].spaced)
        buf_add_text(&s->text, " ");
    add_tokens(s, a, b);
    add_tokens(s, to, s->n);
    return try_candidate(s);
}

static bool
try_text(struct state *s, size_t from, size_t to, const char *text, size_t len)
{
    begin(s);
    add_tokens(s, 0, from);
    buf_add_text(&s->text, from && s->token[from].spaced ? " " : "");
    buf_add(&s->text, text, len);
    add_tokens(s, to, s->n);
    return try_candidate(s);
}

/* ------------------------------------------------------------------ passes -- */

/* The end of the node that begins at i: a token, or a bracket with all in it. */
static size_t
node_end(const struct state *s, size_t i)
{
    return s->token[i].close + 1;
}

/* Removes runs of `width` nodes from the list of nodes between two tokens. */
static bool
drop_runs(struct state *s, size_t from, size_t to, size_t width)
{
    for (size_t i = from; i < to; i = node_end(s, i)) {
        size_t end = i, n = 0;

        while (n < width && end < to) {
            end = node_end(s, end);
            n++;
        }
        if (n == width && try_without(s, i, end))
            return true;
    }
    return false;
}

/* Removes one part of a list that commas separate, or a whole clause. */
static bool
drop_parts(struct state *s, size_t from, size_t to)
{
    static const char *const starts[] = {
        ",",     "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT",
        "UNION", "JOIN", "LEFT",  "AND",   "OR",     "WITH",  "ELSE"};

    for (size_t i = from; i < to; i = node_end(s, i)) {
        size_t end = node_end(s, i);
        bool start = i == from;

        for (size_t k = 0; k < COUNT_OF(starts); k++)
            start = start || token_is(s, i, starts[k]);
        if (!start)
            continue;
        for (bool stop = false; end < to && !stop;) {
            for (size_t k = 0; k < COUNT_OF(starts); k++)
                stop = stop || token_is(s, end, starts[k]);
            end = stop ? end : node_end(s, end);
        }
        if (try_without(s, i, end))
            return true;
        /* the first item, and the comma after it */
        if (token_is(s, end, ",") && try_without(s, i, end + 1))
            return true;
        if (token_is(s, i, "SELECT") && token_is(s, end, ",") &&
            try_without(s, i + 1, end + 1))
            return true;
    }
    return false;
}

/* Replaces a bracket, and the name before it, by one of its parts. */
static bool
unwrap(struct state *s, size_t open)
{
    size_t close = s->token[open].close, from = open;
    bool named = open > 0 && token_is(s, open, "(") && !s->token[open].spaced &&
                 is_word(s->sql[s->token[open - 1].at]);

    if (close == open)
        return false;
    from -= named;
    for (size_t i = open + 1; i < close;) {
        size_t end = i;

        while (end < close && !token_is(s, end, ",") &&
               !token_is(s, end, "THEN") && !token_is(s, end, "ELSE") &&
               !token_is(s, end, "WHEN"))
            end = node_end(s, end);
        if (end > i && try_instead(s, from, close + 1, i, end))
            return true;
        if (end > i + 1 && try_instead(s, from, close + 1, i, i + 1))
            return true;
        i = end + 1;
    }
    return false;
}

static bool
make_leaf(struct state *s, size_t open)
{
    static const char *const leaves[] = {"0", "1", "''", "true", "NULL"};
    size_t close = s->token[open].close;
    size_t from = open;

    if (open > 0 && token_is(s, open, "(") && !s->token[open].spaced &&
        is_word(s->sql[s->token[open - 1].at]))
        from--;
    for (size_t i = 0; close > open && i < COUNT_OF(leaves); i++)
        if (try_text(s, from, close + 1, leaves[i], strlen(leaves[i])))
            return true;
    return false;
}

/* A shorter literal: half a text, fewer digits. */
static bool
shorten(struct state *s, size_t i)
{
    const struct token t = s->token[i];
    const char *text = s->sql + t.at;
    char half[1024];

    if (*text == '\'' && t.len > 2 && t.len / 2 + 2 < sizeof half) {
        size_t n = t.len / 2;

        memcpy(half, text, n);
        half[n++] = '\'';
        return try_text(s, i, i + 1, half, n) || try_text(s, i, i + 1, "''", 2);
    }
    if (isdigit((unsigned char)*text) && t.len > 1)
        return try_text(s, i, i + 1, "0", 1) || try_text(s, i, i + 1, "1", 1) ||
               try_text(s, i, i + 1, text, t.len / 2);
    return false;
}

/* One change anywhere in the list between two tokens, large ones first. */
static bool
shrink_list(struct state *s, size_t from, size_t to)
{
    size_t nodes = 0;

    if (drop_parts(s, from, to))
        return true;
    for (size_t i = from; i < to; i = node_end(s, i))
        nodes++;
    for (size_t width = nodes > 16 ? 16 : nodes; width > 0; width--)
        if (drop_runs(s, from, to, width))
            return true;
    return false;
}

static bool
shrink_once(struct state *s)
{
    if (shrink_list(s, 0, s->n))
        return true;
    for (size_t i = 0; i < s->n; i++)
        if (s->token[i].close > i && (make_leaf(s, i) || unwrap(s, i)))
            return true;
    for (size_t i = 0; i < s->n; i++)
        if (s->token[i].close > i && shrink_list(s, i + 1, s->token[i].close))
            return true;
    for (size_t i = 0; i < s->n; i++)
        if (shorten(s, i))
            return true;
    return false;
}

custos_status
minimize(char *sql, size_t room, size_t tries, minimize_still still,
         void *context, size_t *asked)
{
    struct state s = {.sql = sql,
                      .room = room,
                      .tries = tries,
                      .still = still,
                      .context = context};

    s.token = calloc(TOKENS_MAX, sizeof *s.token);
    if (!s.token)
        return CUSTOS_ENOMEM;
    buf_init(&s.text, NULL, room);
    tokenize(&s);
    while (s.asked < s.tries && shrink_once(&s))
        ;
    *asked = s.asked;
    buf_clear(&s.text);
    free(s.token);
    return CUSTOS_OK;
}
