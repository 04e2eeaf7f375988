/*
 * Prints joins as engine text. A chain of joins is one flat FROM, because the
 * engine finds a good order of joins only among those of one FROM. Item n of this
 * FROM is one side of a join: its columns, with the numbers they have in the join,
 * and unit_<n>, rank_<n>, seed_<n>.
 *
 * Every join of two private relations requires that their units are equal, whatever
 * its condition says. So rows of two units never meet, and everything about a unit
 * is computed from its own rows (theorem unit-local). Theorem join-order says what
 * the rank is and which rows are cut before the join. Both theorems are in
 * plan/relation.h.
 *
 * A join passes on only the columns that are read above it, and it orders pairs by
 * values of fixed width. So no other text is copied into the rows that it makes.
 */
#include "engine/relation.h"

#include "engine/import.h"
#include "sql/duckdb.h"

/* A chain that was printed: n items; the join has the unit of item u and the rank of
   item r. */
struct chain {
    size_t n, u, r;
};

/* Is r a join that has the rank of one side? Then its items can be items of the
   join above. */
static bool
is_plain(const struct relation *r)
{
    return r->kind == RELATION_JOIN &&
           (r->meeting == MEET_PUBLIC || r->meeting == MEET_LEFT ||
            r->meeting == MEET_RIGHT);
}

/* Prints a hash of a text, by which public rows are ordered: no two texts have the
   same hash (join-order). */
static void
print_text_hash(const struct relation *r, size_t i, size_t as, struct buf *out)
{
    if (r->as->columns[i].type == TYPE_TEXT)
        buf_printf(out, ", row_hash(t.column_%zu) AS text_hash_%zu", i, as);
}

/* Prints item n: a side whose first column is column `offset` of the join. cut: leave
   out rows beyond the bound, which a join with many public rows can make. hashed:
   add the hashes of public texts as text_hash_<i>. */
static void
print_item(struct engine *e, const struct relation *r, size_t offset, size_t n,
           bool cut, bool hashed, struct buf *out)
{
    buf_printf(out, "(SELECT 0 AS dummy_%zu", n);
    if (relation_is_private(r))
        buf_printf(out, ", t.unit AS unit_%zu, t.rank AS rank_%zu", n, n);
    if (r->seeded)
        buf_printf(out, ", t.seed AS seed_%zu", n);
    for (size_t i = 0; i < r->as->n_columns; i++) {
        if (!relation_carries(r, i))
            continue;
        relation_column(&r->as->columns[i], r->columns[i].stored, "t.", i,
                        offset + i, out);
        if (hashed && !relation_is_private(r))
            print_text_hash(r, i, offset + i, out);
    }
    buf_add_text(out, " FROM ");
    relation_print(e, r, out);
    buf_add_text(out, " AS t");
    if (cut || (relation_is_private(r) && r->renumbered))
        buf_printf(out, " WHERE t.rank <= %llu", relation_rows(r));
    buf_printf(out, ") AS item_%zu", n);
}

/* Prints the items of a join, with JOIN and ON between them. */
static struct chain
print_chain(struct engine *e, const struct relation *r, bool hashed,
            struct buf *out)
{
    bool product = r->meeting == MEET_UNIT;
    bool many = r->meeting == MEET_MANY, hash = many || hashed;
    bool cut = product || r->meeting == MEET_EITHER ||
               (many && relation_is_private(r->left));
    struct chain c = {1, 0, 0};
    size_t n;

    if (!cut && is_plain(r->left))
        c = print_chain(e, r->left, hash, out);
    else
        print_item(e, r->left, 0, 0, cut, hash, out);
    n = c.n++;
    buf_add_text(out, r->outer ? " LEFT JOIN " : " JOIN ");
    print_item(e, r->right, r->left->as->n_columns, n,
               product || (many && relation_is_private(r->right)), hash, out);
    if (relation_is_private(r->left) && relation_is_private(r->right))
        buf_printf(out, " ON unit_%zu = unit_%zu", c.u, n);
    else
        buf_add_text(out, " ON true");
    if (r->on) {
        buf_add_text(out, " AND (");
        duckdb_print_expr(r->on, "", out);
        buf_add_text(out, ")");
    }
    if (!relation_is_private(r->left))
        c.u = n;
    if (r->meeting == MEET_RIGHT)
        c.r = n;
    return c;
}

/* Prints ", column_7, text_hash_8, ...": the public columns that are read above,
   with hashes for texts. */
static void
print_public(const struct relation *r, struct buf *out)
{
    size_t split = r->left->as->n_columns;
    bool own = relation_is_private(r->left);
    size_t end = own ? r->as->n_columns : split;

    for (size_t i = own ? split : 0; i < end; i++)
        if (relation_carries(r, i))
            buf_printf(out, ", %s_%zu",
                       r->as->columns[i].type == TYPE_TEXT ? "text_hash"
                                                           : "column",
                       i);
}

/*
 * Prints the rank of a pair: pairs are numbered in the order of their hashes, so that
 * it is not always the first public row that counts. Pairs with equal hashes are
 * ordered by the private row, then by all columns that are read of the public row.
 */
static void
print_many(const struct relation *r, size_t own, struct buf *out)
{
    buf_printf(
        out, "row_number() OVER (PARTITION BY unit_%zu ORDER BY hash(seed_%zu",
        own, own);
    print_public(r, out);
    buf_printf(out, "), rank_%zu", own);
    print_public(r, out);
    buf_add_text(out, ")");
}

/* Prints the seed of a pair, made from the same sides as its rank. */
static void
print_seed(const struct relation *r, size_t left, size_t right, struct buf *out)
{
    size_t own = relation_is_private(r->left) ? left : right;

    switch (r->meeting) {
    case MEET_PUBLIC: break;
    case MEET_LEFT: buf_printf(out, "seed_%zu", left); break;
    case MEET_RIGHT: buf_printf(out, "seed_%zu", right); break;
    case MEET_EITHER:
    case MEET_UNIT:
        buf_printf(out, "hash(seed_%zu, seed_%zu)", left, right);
        break;
    case MEET_MANY:
        buf_printf(out, "hash(seed_%zu", own);
        print_public(r, out);
        buf_add_text(out, ")");
        break;
    }
}

/* Prints the rank, made from the left side's rank_<left> and the last item's
   rank_<right>. */
static void
print_order(const struct relation *r, size_t left, size_t right,
            struct buf *out)
{
    switch (r->meeting) {
    case MEET_PUBLIC: break;
    case MEET_LEFT: buf_printf(out, "rank_%zu", left); break;
    case MEET_RIGHT: buf_printf(out, "rank_%zu", right); break;
    case MEET_EITHER:
        buf_printf(out, "coalesce(%llu + rank_%zu, rank_%zu)",
                   relation_rows(r->left), right, left);
        break;
    case MEET_UNIT:
        buf_printf(out, "(rank_%zu - 1) * %llu + coalesce(rank_%zu, 1)", left,
                   relation_rows(r->right), right);
        break;
    case MEET_MANY:
        print_many(r, relation_is_private(r->left) ? left : right, out);
        break;
    }
}

void
relation_join(struct engine *e, const struct relation *r, struct buf *out)
{
    struct chain c;
    struct buf from;

    buf_init(&from, NULL, SQL_MOST);
    c = print_chain(e, r, false, &from);
    buf_add_text(out, "(SELECT ");
    if (relation_is_private(r)) {
        buf_printf(out, "unit_%zu AS unit, ", c.u);
        print_order(r, c.r, c.n - 1, out);
        buf_add_text(out, " AS rank");
    } else {
        buf_add_text(out, "0 AS unit");
    }
    if (r->seeded) {
        buf_add_text(out, ", ");
        print_seed(r, c.r, c.n - 1, out);
        buf_add_text(out, " AS seed");
    }
    for (size_t i = 0; i < r->as->n_columns; i++)
        if (relation_carries(r, i))
            relation_column(&r->as->columns[i], r->columns[i].stored, "", i, i,
                            out);
    buf_printf(out, " FROM %s)", buf_text(&from));
    out->failed |= from.failed;
    buf_clear(&from);
}
