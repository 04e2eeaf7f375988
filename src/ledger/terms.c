/*
 * Writes terms as words and parses them. Names may hold any byte: control
 * characters and % are escaped, as in %0A.
 */
#include "ledger/terms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"

enum {
    TERMS_BYTES = 1 << 26,
    ANALYSTS_MAX = 1 << 16,
};

/* -------------------------------------------------------------- promises -- */

static const char *
text_of(str s, const char *otherwise, char text[RAT_TEXT_MAX + 1])
{
    if (s.len == 0)
        return otherwise;
    snprintf(text, RAT_TEXT_MAX + 1, "%.*s",
             s.len > RAT_TEXT_MAX ? (int)RAT_TEXT_MAX : (int)s.len, s.ptr);
    return text;
}

static custos_status
filter_of(const struct ledger_budget *b, struct filter *out, custos_err *err)
{
    char epsilon[RAT_TEXT_MAX + 1], delta[RAT_TEXT_MAX + 1];

    return filter_of_promise(text_of(b->epsilon, "0", epsilon),
                             text_of(b->delta, "0", delta), out, err);
}

size_t
terms_analyst(const struct terms *t, str who)
{
    size_t i = 0;

    while (i < t->said.n_analysts && !str_equal(t->said.analysts[i].name, who))
        i++;
    return i;
}

custos_status
ledger_fail_analyst(str who, custos_err *err)
{
    return custos_fail(err, CUSTOS_ENAME,
                       "no analyst named %.*s in the policy in force",
                       who.len > 60 ? 60 : (int)who.len, who.ptr);
}

custos_status
terms_find(const struct terms *t, str who, size_t *analyst, custos_err *err)
{
    *analyst = terms_analyst(t, who);
    if (*analyst == t->said.n_analysts)
        return ledger_fail_analyst(who, err);
    return CUSTOS_OK;
}

custos_status
terms_own(struct terms *t, size_t analyst, const struct filter **out,
          custos_err *err)
{
    const struct ledger_analyst *a = &t->said.analysts[analyst];
    struct limits *l = &t->limits[analyst];
    custos_status st = CUSTOS_OK;

    *out = NULL;
    if (!a->has_budget)
        return CUSTOS_OK;
    if (!l->made_own)
        st = filter_of(&a->budget, &l->own, err);
    l->made_own = st == CUSTOS_OK;
    if (!st)
        *out = &l->own;
    return st;
}

custos_status
terms_window(struct terms *t, size_t analyst, const struct filter **out,
             custos_err *err)
{
    const struct ledger_analyst *a = &t->said.analysts[analyst];
    struct limits *l = &t->limits[analyst];
    custos_status st = CUSTOS_OK;

    *out = NULL;
    if (!a->has_window)
        return CUSTOS_OK;
    if (!l->made_window)
        st = filter_of(&a->window, &l->window, err);
    l->made_window = st == CUSTOS_OK;
    if (!st)
        *out = &l->window;
    return st;
}

/* --------------------------------------------------------------- writing -- */

static void
write_name(struct buf *b, str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned c = (unsigned char)name.ptr[i];

        if (c < ' ' || c == '%' || c == 127)
            buf_printf(b, "%%%02X", c);
        else
            buf_add(b, name.ptr + i, 1);
    }
    buf_add_text(b, "\n");
}

static void
write_budget(struct buf *b, const char *word, const struct ledger_budget *x)
{
    char epsilon[RAT_TEXT_MAX + 1], delta[RAT_TEXT_MAX + 1];

    buf_printf(b, "%s %s %s", word, text_of(x->epsilon, "0", epsilon),
               text_of(x->delta, "0", delta));
}

void
terms_write(const struct ledger_terms *t, struct buf *b)
{
    buf_printf(b, "adjacency %s\nunit ",
               t->adjacency == CUSTOS_CHANGE_ONE ? "change-one" : "add-remove");
    write_name(b, t->unit);
    write_budget(b, "budget", &t->budget);
    buf_add_text(b, "\n");
    for (size_t i = 0; i < t->n_analysts; i++) {
        const struct ledger_analyst *a = &t->analysts[i];

        buf_add_text(b, "analyst ");
        write_name(b, a->name);
        if (a->has_budget) {
            write_budget(b, "own", &a->budget);
            buf_add_text(b, "\n");
        }
        if (a->has_window) {
            write_budget(b, "window", &a->window);
            buf_printf(b, " %" PRIu32 "\n", a->window_days);
        }
    }
}

static custos_status
budget_check(const struct ledger_budget *b, const char *whose, custos_err *err)
{
    struct filter made;
    custos_err why = CUSTOS_ERR_INIT;
    custos_status st;

    if (b->epsilon.len > RAT_TEXT_MAX || b->delta.len > RAT_TEXT_MAX)
        return custos_fail(err, CUSTOS_EPOLICY,
                           "%s budget: a number has more than %d characters",
                           whose, (int)RAT_TEXT_MAX);
    st = filter_of(b, &made, &why);
    return st ? custos_fail(err, st == CUSTOS_ENOMEM ? st : CUSTOS_EPOLICY,
                            "%s budget: %s" HINT "%s", whose, why.said,
                            why.hint)
              : CUSTOS_OK;
}

static custos_status
analyst_check(const struct ledger_terms *t, size_t i, custos_err *err)
{
    const struct ledger_analyst *a = &t->analysts[i];
    custos_status st = CUSTOS_OK;

    if (a->name.len == 0)
        return custos_fail(err, CUSTOS_EPOLICY, "an analyst has no name");
    for (size_t k = 0; k < i; k++)
        if (str_equal(a->name, t->analysts[k].name))
            return custos_fail(
                err, CUSTOS_EPOLICY, "two analysts are called %.*s",
                a->name.len > 60 ? 60 : (int)a->name.len, a->name.ptr);
    if (a->has_window && a->window_days == 0)
        return custos_fail(err, CUSTOS_EPOLICY,
                           "a window must have at least one day");
    if (a->has_budget)
        st = budget_check(&a->budget, "an analyst's", err);
    if (!st && a->has_window)
        st = budget_check(&a->window, "a window's", err);
    return st;
}

custos_status
terms_check(const struct ledger_terms *t, custos_err *err)
{
    custos_status st = budget_check(&t->budget, "the common", err);

    if (!st && t->n_analysts > ANALYSTS_MAX)
        st = custos_fail(err, CUSTOS_EPOLICY, "there are more than %d analysts",
                         (int)ANALYSTS_MAX);
    for (size_t i = 0; i < t->n_analysts && !st; i++)
        st = analyst_check(t, i, err);
    return st;
}

/* --------------------------------------------------------------- reading -- */

/* Splits the next line into at most `most` words; the last one is the rest of
   the line. */
static size_t
next_line(str *text, str *words, size_t most)
{
    const char *end = memchr(text->ptr, '\n', text->len);
    size_t len = end ? (size_t)(end - text->ptr) : text->len, n = 0;
    str line = {text->ptr, len};

    text->ptr += len + (end != NULL);
    text->len -= len + (end != NULL);
    while (n + 1 < most && line.len) {
        const char *space = memchr(line.ptr, ' ', line.len);
        size_t word = space ? (size_t)(space - line.ptr) : line.len;

        words[n++] = (str){line.ptr, word};
        line.ptr += word + (space != NULL);
        line.len -= word + (space != NULL);
        if (!space)
            return n;
    }
    words[n++] = line;
    return n;
}

static bool
word_is(str word, const char *text)
{
    return str_equal(word, str_of(text));
}

/* The value of an upper-case hex digit; -1 for anything else. */
static int
hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A copy of text with its escapes decoded. */
static str
read_name(arena *a, str text)
{
    char *copy = arena_copy(a, text);
    size_t len = 0;

    for (size_t i = 0; copy && i < text.len; i++) {
        const char *at = text.ptr + i;
        bool escape = *at == '%' && text.len - i > 2;
        int high = escape ? hex_of(at[1]) : -1;
        int low = escape ? hex_of(at[2]) : -1;

        if (high >= 0 && low >= 0) {
            copy[len++] = (char)(16 * high + low);
            i += 2;
        } else {
            copy[len++] = *at;
        }
    }
    return (str){copy, len};
}

static str
copy_of(arena *a, str text)
{
    return (str){arena_copy(a, text), text.len};
}

static bool
read_days(str word, uint32_t *days)
{
    uint64_t x = 0;

    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < '0' || word.ptr[i] > '9' || x > UINT32_MAX)
            return false;
        x = x * 10 + (uint64_t)(word.ptr[i] - '0');
    }
    *days = (uint32_t)x;
    return x > 0 && x <= UINT32_MAX;
}

/* Reads a line that belongs to the last analyst read so far. */
static bool
read_analyst(struct terms *t, struct ledger_analyst *all, const str *w,
             size_t n)
{
    struct ledger_analyst *a =
        t->said.n_analysts ? &all[t->said.n_analysts - 1] : NULL;

    if (n >= 3 && a && word_is(w[0], "own") && !a->has_budget) {
        a->has_budget = true;
        a->budget.epsilon = copy_of(t->arena, w[1]);
        a->budget.delta = copy_of(t->arena, w[2]);
        return n == 3;
    }
    if (n == 4 && a && word_is(w[0], "window") && !a->has_window) {
        a->has_window = true;
        a->window.epsilon = copy_of(t->arena, w[1]);
        a->window.delta = copy_of(t->arena, w[2]);
        return read_days(w[3], &a->window_days);
    }
    return false;
}

/* Reads all lines; false if a line is malformed. */
static bool
read_lines(struct terms *t, struct ledger_analyst *all, str text)
{
    str rest = text, w[5];

    while (rest.len) {
        str at = rest;
        size_t n = next_line(&rest, w, 2);

        if (n == 2 && word_is(w[0], "adjacency")) {
            t->said.adjacency = word_is(w[1], "change-one") ? CUSTOS_CHANGE_ONE
                                                            : CUSTOS_ADD_REMOVE;
        } else if (n >= 1 && word_is(w[0], "unit")) {
            t->said.unit = read_name(t->arena, n == 2 ? w[1] : (str){"", 0});
        } else if (n == 2 && word_is(w[0], "analyst")) {
            all[t->said.n_analysts++].name = read_name(t->arena, w[1]);
        } else {
            rest = at;
            n = next_line(&rest, w, 5);
            if (n == 3 && word_is(w[0], "budget")) {
                t->said.budget.epsilon = copy_of(t->arena, w[1]);
                t->said.budget.delta = copy_of(t->arena, w[2]);
            } else if (!read_analyst(t, all, w, n)) {
                return false;
            }
        }
    }
    return true;
}

/* Do the parsed terms give the same words when written? Then nothing was
   lost. */
static bool
same_words(const struct terms *t, str words)
{
    struct buf b;
    bool same;

    buf_init(&b, NULL, TERMS_BYTES);
    terms_write(&t->said, &b);
    same = !b.failed && str_equal((str){buf_text(&b), b.len}, words);
    buf_clear(&b);
    return same;
}

custos_status
terms_read(const struct ledger_row *row, struct terms **out, custos_err *err)
{
    arena *a = arena_new(NULL, TERMS_BYTES);
    struct terms *t = a ? arena_take(a, 1, sizeof *t) : NULL;
    struct ledger_analyst *all = NULL;
    custos_status st = CUSTOS_OK;
    size_t lines = 1;

    for (size_t i = 0; i < row->words.len; i++)
        lines += row->words.ptr[i] == '\n';
    if (t) {
        all = arena_take(a, lines, sizeof *all);
        t->limits = arena_take(a, lines, sizeof *t->limits);
    }
    if (!t || !all || !t->limits) {
        arena_free(a);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    t->arena = a;
    t->seq = row->seq;
    t->said.analysts = all;
    memcpy(t->said.policy, row->policy, sizeof t->said.policy);
    if (!read_lines(t, all, row->words) || !same_words(t, row->words) ||
        filter_of(&t->said.budget, &t->common, NULL) != CUSTOS_OK)
        st = chain_fail(err, row->seq, "holds terms that cannot be read");
    if (st)
        terms_free(t);
    else
        *out = t;
    return st;
}

void
terms_free(struct terms *t)
{
    if (t)
        arena_free(t->arena);
}

custos_status
terms_load(struct db *d, struct terms **out, custos_err *err)
{
    struct receipt before = {0};
    uint8_t hash[LEDGER_HASH_BYTES];
    struct ledger_row row;
    custos_status st = CUSTOS_OK, ended;
    struct terms *t = NULL;
    struct query q;

    query_begin(&q, d,
                "SELECT " CHAIN_COLUMNS " FROM chain WHERE kind = 'terms'"
                " ORDER BY seq DESC LIMIT 1");
    if (query_next(&q)) {
        chain_read(&q, &row);
        st = chain_find(d, row.seq - 1, &before, err);
        if (!st) {
            chain_hash(&row, before.hash, hash);
            if (memcmp(hash, row.receipt.hash, sizeof hash) != 0)
                st = chain_fail(err, row.seq, "is not what its hash says");
        }
        if (!st)
            st = terms_read(&row, &t, err);
    }
    ended = query_end(&q, st ? NULL : err);
    if (st || ended)
        terms_free(t);
    else
        *out = t;
    return st ? st : ended;
}
