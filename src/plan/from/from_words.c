/*
 * Relations in words: how rows meet, and how many rows a unit can have.
 */
#include "plan/from/from.h"
#include "plan/explain/words.h"

static void
write_rows(uint64_t n, struct buf *out)
{
    buf_printf(out, "%llu row%s", (unsigned long long)n, n == 1 ? "" : "s");
}

static void
words_join(const struct relation *r, struct buf *out)
{
    const struct relation *a = r->left, *b = r->right;

    switch (r->meeting) {
    case MEET_PUBLIC: break;
    case MEET_LEFT:
        buf_printf(out, "a row of %.*s meets at most one of %.*s",
                   SHOWN(relation_shown(a)), SHOWN(relation_shown(b)));
        break;
    case MEET_RIGHT:
        buf_printf(out, "a row of %.*s meets at most one of %.*s",
                   SHOWN(relation_shown(b)), SHOWN(relation_shown(a)));
        break;
    case MEET_EITHER:
        buf_printf(out,
                   "a row of %.*s meets at most one of %.*s, and rows of %.*s "
                   "that meet none stay",
                   SHOWN(relation_shown(b)), SHOWN(relation_shown(a)),
                   SHOWN(relation_shown(a)));
        break;
    case MEET_UNIT:
        buf_printf(out, "of each unit ");
        write_rows(a->as->rows_per_unit, out);
        buf_printf(out, " of %.*s meet ", SHOWN(relation_shown(a)));
        write_rows(b->as->rows_per_unit, out);
        buf_printf(out, " of %.*s", SHOWN(relation_shown(b)));
        break;
    case MEET_MANY:
        buf_printf(out,
                   "a row of %.*s may meet many of %.*s, and pairs are bounded "
                   "again",
                   SHOWN(relation_shown(a->as->is_public ? b : a)),
                   SHOWN(relation_shown(a->as->is_public ? a : b)));
        break;
    }
}

/* Words for this relation itself, without its sides. */
static void
words_one(const struct relation *r, struct buf *out)
{
    switch (r->kind) {
    case RELATION_JOIN: words_join(r, out); break;
    case RELATION_UNION:
        buf_add_text(out, "UNION ALL adds up the rows of its parts");
        break;
    case RELATION_UNITS:
        buf_add_text(out, "aggregates of at most ");
        write_rows(r->left->as->rows_per_unit, out);
        buf_printf(out, " of %.*s of each unit", SHOWN(relation_shown(r)));
        break;
    case RELATION_TABLE:
    case RELATION_FILTER:
    case RELATION_EXTEND:
    case RELATION_PUBLIC: return;
    }
    buf_add_text(out, ": ");
    write_rows(r->as->rows_per_unit, out);
    buf_add_text(out, r->as->unit_is_row ? " for each row" : " of a unit");
}

void
words_from(const struct relation *r, const char *before, struct buf *out)
{
    if (!r || r->shown.len > 0) /* the inside of a view is not shown */
        return;
    words_from(r->left, before, out);
    words_from(r->right, before, out);
    for (size_t i = 0; i < r->n_branches; i++)
        words_from(r->branches[i], before, out);
    if (r->as->is_public || r->kind == RELATION_TABLE ||
        r->kind == RELATION_FILTER || r->kind == RELATION_EXTEND)
        return;
    buf_add_text(out, before);
    words_one(r, out);
    buf_add_text(out, "\n");
}

/* ------------------------------------------------------------- lost rows -- */

static const struct relation *
below_filters(const struct relation *r)
{
    while (r->shown.len == 0 &&
           (r->kind == RELATION_FILTER || r->kind == RELATION_EXTEND))
        r = r->left;
    return r;
}

/* "2 rows of a and 3 rows of b" */
static void
words_sides(const struct relation *const *sides, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_add_text(out, i == 0 ? "" : i + 1 < n ? ", " : " and ");
        write_rows(sides[i]->as->rows_per_unit, out);
        buf_printf(out, " of %.*s", SHOWN(relation_shown(sides[i])));
    }
}

void
words_counted(const struct plan *p, struct buf *out)
{
    const struct relation *r = below_filters(p->from);
    const struct relation *pair[2] = {r->left, r->right};
    bool all = r->shown.len == 0 && p->rows == r->as->rows_per_unit;
    bool join = r->shown.len == 0 && r->kind == RELATION_JOIN;
    bool same = join &&
                str_equal(relation_shown(pair[0]), relation_shown(pair[1])) &&
                pair[0]->as->rows_per_unit == pair[1]->as->rows_per_unit;
    bool one = p->rows == 1;

    if (r->as->unit_is_row) {
        buf_printf(out, "each row of %.*s counts at most ",
                   SHOWN(relation_shown(r)));
        if (one)
            buf_add_text(out, "once");
        else
            buf_printf(out, "%llu times", (unsigned long long)p->rows);
        return;
    }
    buf_add_text(out, "at most ");
    if (all && r->kind == RELATION_UNITS) {
        write_rows(r->left->as->rows_per_unit, out);
        buf_printf(out, " of %.*s", SHOWN(relation_shown(r)));
        one = r->left->as->rows_per_unit == 1;
    } else if (all && r->kind == RELATION_UNION) {
        words_sides((const struct relation *const *)r->branches, r->n_branches,
                    out);
        one = false;
    } else if (all && join &&
               (r->meeting == MEET_UNIT || r->meeting == MEET_EITHER)) {
        words_sides(pair, same ? 1 : 2, out);
        one = false;
    } else if (join && r->meeting == MEET_MANY) {
        buf_printf(out, "%llu pair%s of rows", (unsigned long long)p->rows,
                   one ? "" : "s");
    } else {
        write_rows(p->rows, out);
        if (join)
            buf_printf(out, " of %.*s", SHOWN(relation_shown(r)));
    }
    buf_printf(out, " of each %.*s count%s", SHOWN(p->unit), one ? "s" : "");
}

static bool on_selects(const struct relation *r);

/* Does every row with a value in c meet a row of r by this column? So it is if c
   references it, or is the same column, and r has all rows of its table. */
static bool
is_met(const struct relation_column *c, const struct relation *r, size_t column)
{
    const struct policy_column *key = r->columns[column].is;
    size_t split;

    if (r->kind == RELATION_TABLE)
        return c->is && (c->is == key ||
                         (str_equal(c->is->references_table, r->as->name) &&
                          str_equal(c->is->references_column, key->name)));
    if (r->kind != RELATION_JOIN || on_selects(r))
        return false;
    split = r->left->as->n_columns;
    if (r->meeting == MEET_LEFT)
        return column < split && is_met(c, r->left, column);
    return r->meeting == MEET_RIGHT && column >= split &&
           is_met(c, r->right, column - split);
}

/* Can the condition of a join leave out rows of the side whose rank it has? Not if it
   only follows a reference; rows without one are not looked for. */
static bool
on_selects(const struct relation *r)
{
    const struct expr *on = r->on;
    size_t split = r->left->as->n_columns, a, b;

    if (r->outer)
        return false;
    if (!on || on->kind != EXPR_CALL || on->call != CALL_EQ ||
        on->args[0]->kind != EXPR_COLUMN || on->args[1]->kind != EXPR_COLUMN)
        return true;
    a = (size_t)on->args[0]->slot;
    b = (size_t)on->args[1]->slot;
    if ((a < split) == (b < split))
        return true;
    if (a > b) {
        size_t other = a;

        a = b;
        b = other;
    }
    return r->meeting == MEET_LEFT
               ? !is_met(&r->left->columns[a], r->right, b - split)
               : !is_met(&r->right->columns[b - split], r->left, a);
}

/* Would a bound by rank come before a condition on the rows of r, be it in r or
   above r (`where`)? If `willing`, tables whose owner wants that do not count. */
static bool
loses_rows(const struct relation *r, bool where, bool willing)
{
    bool lost = false;

    if (!r || r->as->is_public)
        return false;
    switch (r->kind) {
    case RELATION_TABLE: return where && !(willing && r->as->prefer_speed);
    case RELATION_FILTER: return loses_rows(r->left, true, willing);
    case RELATION_EXTEND: return loses_rows(r->left, where, willing);
    case RELATION_JOIN: /* MEET_MANY: pairs are numbered after ON */
        if (r->meeting == MEET_MANY)
            return where;
        where =
            where || ((r->meeting == MEET_LEFT || r->meeting == MEET_RIGHT) &&
                      on_selects(r));
        return loses_rows(r->left, where, willing) ||
               loses_rows(r->right, where, willing);
    case RELATION_UNION:
        for (size_t i = 0; i < r->n_branches; i++)
            lost = lost || loses_rows(r->branches[i], where, willing);
        return lost;
    case RELATION_UNITS: return loses_rows(r->left, false, willing);
    case RELATION_PUBLIC: return false;
    }
    return false;
}

bool
from_loses(const struct plan *p)
{
    return p->space.bounding == BOUND_RANK &&
           loses_rows(p->from, p->where != NULL, false);
}

bool
from_is_after_where(const struct relation *r, bool where)
{
    return loses_rows(r, where, true);
}

bool
from_has(const struct relation *r, enum relation_kind kind)
{
    if (!r)
        return false;
    if (r->kind == kind || from_has(r->left, kind) || from_has(r->right, kind))
        return true;
    for (size_t i = 0; i < r->n_branches; i++)
        if (from_has(r->branches[i], kind))
            return true;
    return false;
}
