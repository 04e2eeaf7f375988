/*
 * A minimal scanner that tells words from quotes and comments, by PostgreSQL's
 * rules: '...' with '' inside, E'...' with backslashes, "...", $tag$...$tag$,
 * -- and nested slash-star comments. An unclosed quote or comment ends with the
 * text.
 */
#include "sql/peek.h"

#include <string.h>
#include <strings.h>

struct look {
    const char *text;
    size_t len, at;
    struct sql_peek *out;
    size_t words; /* of this statement */
    bool from, catalog;
    bool select; /* the first words are [EXPLAIN] SELECT or WITH */
};

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char
char_at(const struct look *l, size_t at)
{
    return at < l->len ? l->text[at] : '\0';
}

/* ---------------------------------------------------------------- pieces -- */

static void
skip_line(struct look *l)
{
    while (l->at < l->len && l->text[l->at] != '\n' && l->text[l->at] != '\r')
        l->at++;
}

static void
skip_comment(struct look *l)
{
    size_t depth = 0;

    do {
        if (char_at(l, l->at) == '/' && char_at(l, l->at + 1) == '*') {
            depth++;
            l->at += 2;
        } else if (char_at(l, l->at) == '*' && char_at(l, l->at + 1) == '/') {
            depth--;
            l->at += 2;
        } else {
            l->at++;
        }
    } while (depth > 0 && l->at < l->len);
}

/* Skips a quoted text; a doubled quote does not close it. */
static void
skip_quoted(struct look *l, char quote, bool backslashes)
{
    for (l->at++; l->at < l->len; l->at++) {
        if (backslashes && l->text[l->at] == '\\') {
            l->at++;
        } else if (l->text[l->at] == quote) {
            if (char_at(l, l->at + 1) != quote)
                break;
            l->at++;
        }
    }
    l->at++;
}

/* Skips a number. One point belongs to it; two in a row are a symbol. */
static void
skip_number(struct look *l)
{
    bool point = false;

    for (char c; (c = char_at(l, l->at)) != '\0'; l->at++) {
        if (c == '.' && (point || char_at(l, l->at + 1) == '.'))
            return;
        point = point || c == '.';
        if (c != '.' && !is_letter(c) && !is_digit(c))
            return;
    }
}

/* Skips $1, $tag$ ... $tag$, or a symbol. */
static void
skip_dollar(struct look *l)
{
    size_t start = l->at, end = l->at + 1;
    const char *close;

    while (is_letter(char_at(l, end)) || is_digit(char_at(l, end)))
        end++;
    l->at = start + 1;
    while (is_digit(char_at(l, l->at)))
        l->at++;
    if (l->at > start + 1 || char_at(l, end) != '$')
        return;
    end++;
    close = memmem(l->text + end, l->len - end, l->text + start, end - start);
    l->at = close ? (size_t)(close - l->text) + (end - start) : l->len;
}

static void
skip_word(struct look *l)
{
    while (is_letter(char_at(l, l->at)) || is_digit(char_at(l, l->at)) ||
           char_at(l, l->at) == '$')
        l->at++;
}

/* ----------------------------------------------------------------- words -- */

static bool
word_is(const struct look *l, size_t from, const char *word)
{
    size_t len = strlen(word);

    return l->at - from == len && !strncasecmp(l->text + from, word, len);
}

static bool
begins_with(const struct look *l, size_t from, const char *word)
{
    size_t len = strlen(word);

    return l->len - from >= len && !strncasecmp(l->text + from, word, len);
}

/* Notes a name of the catalog, quoted or not. */
static void
see_name(struct look *l, size_t from)
{
    from += l->text[from] == '"';
    l->catalog = l->catalog || begins_with(l, from, "pg_") ||
                 begins_with(l, from, "information_schema");
}

/* The first words of a statement: [EXPLAIN] SELECT or WITH. */
static void
see_first(struct look *l, size_t from)
{
    bool first = l->words == 0, explained = l->out->explain && l->words == 1;

    if (l->out->statements != 1 || (!first && !explained))
        return;
    if (first && word_is(l, from, "explain"))
        l->out->explain = true;
    l->select = word_is(l, from, "select") || word_is(l, from, "with");
}

static void
see_word(struct look *l)
{
    size_t from = l->at;
    char next;

    skip_word(l);
    next = char_at(l, l->at);
    if (next == '\'' && l->at - from == 1) { /* E'...', B'...', N'...' */
        l->out->words++;
        skip_quoted(l, '\'', (l->text[from] | 0x20) == 'e');
        return;
    }
    see_first(l, from);
    see_name(l, from);
    l->from = l->from || word_is(l, from, "from");
}

/* ------------------------------------------------------------------- all -- */

static bool
skip_between(struct look *l)
{
    char c = l->text[l->at], next = char_at(l, l->at + 1);

    if (is_blank(c))
        l->at++;
    else if (c == '-' && next == '-')
        skip_line(l);
    else if (c == '/' && next == '*')
        skip_comment(l);
    else
        return false;
    return true;
}

static void
see_token(struct look *l)
{
    size_t from = l->at;
    char c = l->text[from];

    if (is_letter(c)) {
        see_word(l);
    } else if (is_digit(c)) {
        skip_number(l);
    } else if (c == '\'') {
        skip_quoted(l, c, false);
    } else if (c == '"') {
        skip_quoted(l, c, false);
        see_name(l, from);
    } else if (c == '$') {
        skip_dollar(l);
    } else {
        l->at++;
    }
    if (l->at > l->len)
        l->at = l->len;
}

void
sql_peek(str text, struct sql_peek *out)
{
    struct look l = {.text = text.ptr, .len = text.len, .out = out};

    *out = (struct sql_peek){.words = 0};
    while (l.at < l.len) {
        if (skip_between(&l))
            continue;
        out->words++;
        if (l.text[l.at] == ';') {
            l.words = 0;
            l.at++;
            continue;
        }
        if (l.words == 0 && ++out->statements == 1)
            out->at = l.at;
        else if (l.words == 0 && out->statements == 2)
            out->second = l.at;
        see_token(&l);
        if (l.words == 0 && out->statements == 1)
            out->word = l.at - out->at;
        l.words++;
        if (out->statements == 1)
            out->len = l.at - out->at;
    }
    out->private = out->statements == 1 && l.select && l.from && !l.catalog;
}
