/*
 * Splits the select list at the commas outside brackets and quotes. It does not
 * parse SQL: an item that it does not understand is neither a count nor a sum,
 * and then nothing is claimed about it.
 */
#include "audit/curator/shape.h"

#include <string.h>
#include <strings.h>

/* The end of a text in quotes. */
static const char *
after_quote(const char *s)
{
    const char *end = strchr(s + 1, *s);

    return end ? end + 1 : s + strlen(s);
}

/* The end of an item: a comma or FROM outside all brackets. */
static const char *
item_end(const char *s)
{
    int depth = 0;

    while (*s) {
        if (*s == '\'' || *s == '"') {
            s = after_quote(s);
            continue;
        }
        if (!depth && (*s == ',' || !strncasecmp(s, " FROM ", 6)))
            return s;
        depth += (*s == '(') - (*s == ')');
        s++;
    }
    return s;
}

/* Is the item one call and nothing else? */
static bool
is_call(const char *s, const char *end, const char *name)
{
    size_t n = strlen(name);
    int depth = 1;

    if (strncasecmp(s, name, n) != 0 || end[-1] != ')')
        return false;
    for (s += n; s < end && depth; s++) {
        if (*s == '\'' || *s == '"')
            s = after_quote(s) - 1;
        else
            depth += (*s == '(') - (*s == ')');
    }
    return s == end;
}

/* Whether an item is a call of an aggregate, or has one. */
static bool
has_aggregate(const char *s, const char *end)
{
    static const char *const names[] = {
        "count(", "sum(",   "avg(",        "median(", "min(",  "max(",
        "var",    "stddev", "percentile_", "covar",   "corr(", "regr_"};

    for (; s < end; s++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (!strncasecmp(s, names[i], strlen(names[i])))
                return true;
    return false;
}

void
shape_read(const char *sql, struct shape *out)
{
    const char *s = sql;

    *out = (struct shape){.plain = true};
    out->filtered = strcasestr(sql, " HAVING ") || strcasestr(sql, " LIMIT ");
    if (strncasecmp(s, "SELECT ", 7) != 0) {
        out->plain = false;
        return;
    }
    s += 7;
    if (!strncasecmp(s, "WITH DIFFERENTIAL_PRIVACY", 25)) {
        s = strchr(s, ')');
        s = s ? s + 1 : sql + strlen(sql);
    }
    while (*s && out->n_items < SHAPE_ITEMS_MAX) {
        const char *end;
        bool plain;

        s += strspn(s, " ");
        end = item_end(s);
        plain = is_call(s, end, "count(") || is_call(s, end, "sum(");
        if (!has_aggregate(s, end) && out->n_keys == out->n_items)
            out->n_keys++;
        else
            out->plain = out->plain && plain;
        out->rows[out->n_items++] = is_call(s, end, "count(*");
        if (*end != ',')
            break;
        s = end + 1;
    }
}
