/*
 * Relations in words: how rows meet, and how many of a unit there can be.
 */
#include "plan/from.h"
#include "plan/words.h"

static void
rows(uint64_t n, struct buf *out)
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
                   "a row of %.*s meets at most one of %.*s, of which those "
                   "that meet none stay",
                   SHOWN(relation_shown(b)), SHOWN(relation_shown(a)));
        break;
    case MEET_UNIT:
        buf_printf(out, "of each unit ");
        rows(a->as->rows_per_unit, out);
        buf_printf(out, " of %.*s meet ", SHOWN(relation_shown(a)));
        rows(b->as->rows_per_unit, out);
        buf_printf(out, " of %.*s", SHOWN(relation_shown(b)));
        break;
    case MEET_MANY:
        buf_printf(out,
                   "a row of %.*s may meet many of %.*s; of all pairs so many "
                   "rows count as before",
                   SHOWN(relation_shown(a->as->is_public ? b : a)),
                   SHOWN(relation_shown(a->as->is_public ? a : b)));
        break;
    }
}

/* What this relation itself adds. */
static void
words_one(const struct relation *r, struct buf *out)
{
    switch (r->kind) {
    case RELATION_JOIN: words_join(r, out); break;
    case RELATION_UNION: buf_add_text(out, "all of UNION ALL"); break;
    case RELATION_UNITS:
        buf_add_text(out, "aggregates of at most ");
        rows(r->left->as->rows_per_unit, out);
        buf_printf(out, " of %.*s of each unit", SHOWN(relation_shown(r)));
        break;
    case RELATION_TABLE:
    case RELATION_FILTER:
    case RELATION_EXTEND:
    case RELATION_PUBLIC: return;
    }
    buf_add_text(out, ": ");
    rows(r->as->rows_per_unit, out);
    buf_add_text(out, r->as->unit_is_row && !r->renumbered ? " for a row"
                                                           : " of a unit");
}

void
words_from(const struct relation *r, const char *before, struct buf *out)
{
    if (!r || r->shown.len > 0) /* a view is not looked into */
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
