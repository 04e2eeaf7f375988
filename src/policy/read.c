/*
 * The policy as a whole: the format, the adjacency, and the order in which its
 * parts are read.
 */
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "base/sha256.h"
#include "policy/policy.h"
#include "policy/read.h"

static const char *const top_keys[] = {
    "custos", "adjacency", "budget",   "query",    "sources",
    "tables", "views",     "analysts", "tripwire", "storage",
};

static custos_status
read_format(const struct reading *r, const struct node *root, struct policy *p)
{
    const struct node *n = node_find(root, "custos");
    uint64_t format = 0;
    custos_status st;

    if (!n)
        return reading_fail(r, root->line,
                            "the file does not name its format" HINT
                            "begin it with custos: %d",
                            (int)POLICY_FORMAT);
    st = node_count(r, n, "custos", POLICY_FORMAT_OLDEST, UINT32_MAX, &format);
    if (!st && format > POLICY_FORMAT)
        return reading_fail(r, n->line,
                            "this custos reads policies of formats %d to %d, "
                            "not %llu" HINT "install a newer custos",
                            (int)POLICY_FORMAT_OLDEST, (int)POLICY_FORMAT,
                            (unsigned long long)format);
    p->format = (uint32_t)format;
    p->format_line = n->line;
    return st;
}

custos_status
read_key_of_2(const struct reading *r, const struct policy *p, const char *key,
              int line)
{
    if (p->format >= 2)
        return CUSTOS_OK;
    return reading_fail(
        r, line,
        "%s is a key of format 2, and this file has format %u" HINT
        "write custos: 2",
        key, (unsigned)p->format);
}

static custos_status
read_adjacency(const struct reading *r, const struct node *root,
               struct policy *p)
{
    const struct node *n = node_find(root, "adjacency");

    p->adjacency = CUSTOS_ADD_REMOVE;
    if (!n)
        return CUSTOS_OK;
    if (n->kind == NODE_TEXT && str_equal(n->text, str_of("change-one")))
        p->adjacency = CUSTOS_CHANGE_ONE;
    else if (n->kind != NODE_TEXT || !str_equal(n->text, str_of("add-remove")))
        return reading_fail(r, n->line,
                            "adjacency must be add-remove or change-one");
    return CUSTOS_OK;
}

static bool
has_mistakes(const struct reading *r)
{
    return r->all && r->all->n > 0;
}

static custos_status
read_parts(const struct reading *r, const struct node *root, struct policy *p)
{
    custos_status st =
        node_is_map(r, root, "a policy", top_keys, COUNT_OF(top_keys));

    if (root->kind == NODE_MAP)
        st = reading_go_on(r, st);
    if (!st)
        st = read_format(r, root, p);
    if (!st)
        st = reading_go_on(r, read_adjacency(r, root, p));
    if (!st)
        st = reading_go_on(r, read_budgets(r, root, p));
    if (!st)
        st = reading_go_on(r, read_tripwire(r, root, p));
    if (!st)
        st = reading_go_on(r, read_storage(r, root, p));
    if (!st)
        st = reading_go_on(r, read_sources(r, root, p));
    if (!st)
        st = reading_go_on(r, read_tables(r, root, p));
    /* Parts that refer to others are read only if no mistake was found so
       far. */
    if (!st && !has_mistakes(r))
        st = reading_go_on(r, resolve_tables(r, root, p));
    if (!st && !has_mistakes(r))
        st = reading_go_on(r, read_views(r, root, p));
    if (!st && !has_mistakes(r))
        st = reading_go_on(r, read_analysts(r, root, p));
    return has_mistakes(r) && !st ? CUSTOS_EPOLICY : st;
}

static custos_status
read_text(const struct reading *r, str text, struct policy **out)
{
    struct policy *p = arena_take(r->a, 1, sizeof *p);
    struct node *root = NULL;
    custos_status st;

    if (!p)
        return reading_no_memory(r);
    st = node_load(r, text, &root);
    if (st)
        return st;
    p->text = (str){arena_copy(r->a, text), text.len};
    if (!p->text.ptr)
        return reading_no_memory(r);
    sha256_of(text.ptr, text.len, p->id);
    st = read_parts(r, root, p);
    if (!st)
        *out = p;
    return st;
}

custos_status
policy_read(arena *a, str text, const char *path, struct policy **out,
            custos_err *err)
{
    const struct reading r = {
        .a = a, .path = path ? path : "policy", .err = err};

    return read_text(&r, text, out);
}

custos_status
policy_read_past(arena *a, str text, const char *path, struct policy **out,
                 custos_err *err)
{
    const struct reading r = {
        .a = a, .path = path ? path : "policy", .err = err, .past = true};

    return read_text(&r, text, out);
}

static int
line_cmp(const void *a, const void *b)
{
    const struct policy_remark *x = a, *y = b;

    return (x->line > y->line) - (x->line < y->line);
}

custos_status
policy_read_all(arena *a, str text, const char *path, struct policy **out,
                struct policy_remark **mistakes, size_t *n, custos_err *err)
{
    struct mistakes *all = arena_take(a, 1, sizeof *all);
    const struct reading r = {
        .a = a, .path = path ? path : "policy", .err = err, .all = all};
    struct policy_remark *list;
    custos_status st;

    if (!all)
        return reading_no_memory(&r);
    st = read_text(&r, text, out);
    if (st != CUSTOS_EPOLICY)
        return st;
    list = arena_take(a, all->n + 1, sizeof *list);
    if (!list)
        return reading_no_memory(&r);
    for (size_t i = 0; i < all->n; i++)
        list[i] = (struct policy_remark){.line = all->list[i].line,
                                         .said = all->list[i].said};
    qsort(list, all->n, sizeof *list, line_cmp);
    *mistakes = list;
    *n = all->n;
    return st;
}
