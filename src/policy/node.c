/*
 * Reads the parts of a document: keys, names, flags, whole numbers; and writes
 * the message if one is wrong.
 */
#include "policy/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "num/rat.h"
#include "policy/emit.h"

enum { SHOWN_MAX = 40, SHOWN_PATH = 60 };

static void
mistake_add(const struct reading *r, int line, const custos_err *e)
{
    struct mistakes *all = r->all;
    char said[sizeof e->said + sizeof e->hint + 2];
    const char *copy;

    snprintf(said, sizeof said, "%s%s%s", e->said, *e->hint ? "; " : "",
             e->hint);
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i].line == line)
            return;
    copy = all->n < NODE_MISTAKES_MAX ? arena_copy(r->a, str_of(said)) : NULL;
    if (copy)
        all->list[all->n++] = (struct mistake){line, copy};
}

custos_status
reading_go_on(const struct reading *r, custos_status st)
{
    return st == CUSTOS_EPOLICY && r->all ? CUSTOS_OK : st;
}

custos_status
reading_fail(const struct reading *r, int line, const char *said, ...)
{
    custos_err e = CUSTOS_ERR_INIT;
    const char *slash = strrchr(r->path, '/');
    va_list args;

    va_start(args, said);
    custos_fail_v(&e, CUSTOS_EPOLICY, -1, said, args);
    va_end(args);
    if (r->all)
        mistake_add(r, line, &e);
    return custos_fail(r->err, CUSTOS_EPOLICY, "%.*s, line %d: %s" HINT "%s",
                       SHOWN_PATH, slash && slash[1] ? slash + 1 : r->path,
                       line, e.said, e.hint);
}

custos_status
reading_no_memory(const struct reading *r)
{
    return custos_fail(r->err, CUSTOS_ENOMEM, "out of memory");
}

int
shown_bytes(str text)
{
    size_t n = text.len;

    if (n > SHOWN_MAX)
        for (n = SHOWN_MAX; n > 0 && (text.ptr[n] & 0xc0) == 0x80;)
            n--;
    return (int)n;
}

const struct node *
node_find(const struct node *map, const char *key)
{
    for (const struct node *c = map->first; c; c = c->next)
        if (str_equal(c->key, str_of(key)))
            return c;
    return NULL;
}

static custos_status
fail_key(const struct reading *r, const struct node *c, const char *what,
         const char *const *keys, size_t n)
{
    const char *guess = nearest(c->key.ptr, keys, n);

    if (guess)
        return reading_fail(r, c->key_line,
                            "there is no key '%.*s' in %s" HINT
                            "did you mean %s?",
                            SHOWN(c->key), what, guess);
    return reading_fail(r, c->key_line,
                        "there is no key '%.*s' in %s" HINT
                        "custos-policy(5) has "
                        "the list",
                        SHOWN(c->key), what);
}

custos_status
node_is_map(const struct reading *r, const struct node *map, const char *what,
            const char *const *keys, size_t n)
{
    if (map->kind != NODE_MAP)
        return reading_fail(r, map->line, "%s must be a map of keys to values",
                            what);
    for (const struct node *c = map->first; c; c = c->next) {
        bool known = false;

        for (size_t i = 0; i < n && !known; i++)
            known = str_equal(c->key, str_of(keys[i]));
        if (!known)
            return fail_key(r, c, what, keys, n);
    }
    return CUSTOS_OK;
}

static custos_status
check_name(const struct reading *r, const struct node *c, const char *what)
{
    str name = c->key;

    if (name.len == 0)
        return reading_fail(r, c->key_line, "an empty name in %s", what);
    if (name.len > NODE_NAME_MAX)
        return reading_fail(r, c->key_line,
                            "the name '%.*s...' is longer than %d bytes",
                            SHOWN(name), (int)NODE_NAME_MAX);
    if (!utf8_is_line(name))
        return reading_fail(r, c->key_line,
                            "a name in %s has a control character", what);
    if (c->key_plain && !is_sql_word(name))
        return reading_fail(r, c->key_line,
                            "'%.*s' is not a lower-case SQL word" HINT
                            "write it in quotes, here and in queries",
                            SHOWN(name));
    return CUSTOS_OK;
}

custos_status
node_is_names(const struct reading *r, const struct node *map, const char *what)
{
    custos_status st = CUSTOS_OK;

    if (map->kind != NODE_MAP)
        return reading_fail(r, map->line, "%s must be a map of names", what);
    for (const struct node *c = map->first; c && !st; c = c->next)
        st = check_name(r, c, what);
    return st;
}

custos_status
node_text(const struct reading *r, const struct node *n, const char *key,
          str *out)
{
    if (n->kind != NODE_TEXT)
        return reading_fail(r, n->line, "%s must be a single value", key);
    if (n->text.len == 0)
        return reading_fail(r, n->line, "%s is empty", key);
    *out = n->text;
    return CUSTOS_OK;
}

custos_status
node_flag(const struct reading *r, const struct node *n, const char *key,
          bool *out)
{
    if (n->kind == NODE_TEXT && str_equal(n->text, str_of("true")))
        *out = true;
    else if (n->kind == NODE_TEXT && str_equal(n->text, str_of("false")))
        *out = false;
    else
        return reading_fail(r, n->line, "%s must be true or false", key);
    return CUSTOS_OK;
}

custos_status
node_count(const struct reading *r, const struct node *n, const char *key,
           uint64_t least, uint64_t most, uint64_t *out)
{
    custos_status st;
    uint64_t got = 0;
    bool good;
    str text = {"", 0};
    rat x;

    st = node_text(r, n, key, &text);
    if (st)
        return st;
    rat_init(&x);
    good = !rat_read(text.ptr, key, &x, NULL) && rat_is_whole(&x) &&
           rat_sign(&x) >= 0 && rat_floor_u64(&x, &got) && got >= least &&
           got <= most;
    rat_clear(&x);
    if (!good)
        return reading_fail(r, n->line,
                            "%s must be a whole number from %llu to %llu, not "
                            "'%.*s'",
                            key, (unsigned long long)least,
                            (unsigned long long)most, SHOWN(text));
    *out = got;
    return CUSTOS_OK;
}
