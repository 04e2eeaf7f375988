/*
 * Joins as inputs of a statement. A chain of joins is one flat FROM, because the
 * engine finds a good order of joins only among those of one FROM. Item n of this
 * FROM is one side of a join: its columns, with the numbers they have in the join,
 * and unit_<n>, rank_<n>, seed_<n>.
 *
 * Every join of two private relations requires that their units are equal, whatever
 * its condition says. So rows of two units never meet, and everything about a unit
 * is computed from its own rows (theorem unit-local). Theorem join-order says what
 * the rank is and which rows are cut before the join. Both theorems are in
 * plan/from/relation.h.
 *
 * A join passes on only the columns that are read above it, and it orders pairs by
 * values of fixed width. So no other text is copied into the rows that it makes.
 */
#include "engine/statement/relation.h"

#include "engine/import/import.h"

/* A chain of n items; the join has the unit of item u and the rank of item r. */
struct chain {
    const struct input *input;
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

/* What is done to the items of a chain. */
struct item_rules {
    bool cut; /* leave out rows beyond the bound, which a join with many public
                    rows can make */
    bool hashed; /* add the hashes of public texts as text_hash_<i> */
};

/* Adds a hash of a text, by which public rows are ordered: no two texts have the
   same hash (join-order). */
static void
add_text_hash(struct builder *b, const struct relation *r, size_t i, size_t as,
              struct select *to)
{
    if (r->as->columns[i].type == TYPE_TEXT)
        select_add(
            b, to,
            term_call(b, TERM_SALTED, term_name(b, "t", "column_%zu", i), NULL),
            "text_hash_%zu", as);
}

/* Item n: a side whose first column is column `offset` of the join. */
static const struct input *
chain_item(struct builder *b, const struct relation *r, size_t offset, size_t n,
           struct item_rules rules)
{
    struct select *s = select_new(b, input_as(b, relation_input(b, r), "t"));
    bool own = relation_is_private(r);

    select_add(b, s, term_number(b, 0), "dummy_%zu", n);
    if (own) {
        select_add(b, s, term_name(b, "t", "unit"), "unit_%zu", n);
        select_add(b, s, term_name(b, "t", "rank"), "rank_%zu", n);
    }
    if (r->seeded)
        select_add(b, s, term_name(b, "t", "seed"), "seed_%zu", n);
    for (size_t i = 0; i < r->as->n_columns; i++) {
        if (!relation_carries(r, i))
            continue;
        relation_column(b, &r->as->columns[i], r->columns[i].stored, "t", i,
                        offset + i, s);
        if (rules.hashed && !own)
            add_text_hash(b, r, i, offset + i, s);
    }
    if (rules.cut || (own && r->renumbered))
        select_where(b, s,
                     term_binary(b, term_name(b, "t", "rank"), TERM_AT_MOST,
                                 term_number(b, relation_rows(r))));
    return input_as(b, input_select(b, s), "item_%zu", n);
}

/* The items of a join, joined. */
static struct chain
chain_of(struct builder *b, const struct relation *r, bool hashed)
{
    bool product = r->meeting == MEET_UNIT;
    bool many = r->meeting == MEET_MANY, hash = many || hashed;
    bool left_own = relation_is_private(r->left);
    bool right_own = relation_is_private(r->right);
    bool cut = product || r->meeting == MEET_EITHER || (many && left_own);
    struct chain c = {NULL, 1, 0, 0};
    struct input *join;
    size_t n;

    if (!cut && is_plain(r->left))
        c = chain_of(b, r->left, hash);
    else
        c.input = chain_item(b, r->left, 0, 0, (struct item_rules){cut, hash});
    n = c.n++;
    join = input_join(
        b, c.input,
        chain_item(b, r->right, r->left->as->n_columns, n,
                   (struct item_rules){product || (many && right_own), hash}));
    join->outer = r->outer;
    terms_add(b, &join->on,
              left_own && right_own
                  ? term_binary(b, term_name(b, NULL, "unit_%zu", c.u),
                                TERM_EQUAL, term_name(b, NULL, "unit_%zu", n))
                  : term_true(b));
    if (r->on)
        terms_add(b, &join->on, term_expr(b, r->on, ""));
    c.input = join;
    if (!left_own)
        c.u = n;
    if (r->meeting == MEET_RIGHT)
        c.r = n;
    return c;
}

/* Adds column_7, text_hash_8, ...: the public columns that are read above, with
   hashes for texts. */
static void
add_public(struct builder *b, const struct relation *r, struct terms *to)
{
    size_t split = r->left->as->n_columns;
    bool own = relation_is_private(r->left);
    size_t end = own ? r->as->n_columns : split;

    for (size_t i = own ? split : 0; i < end; i++)
        if (relation_carries(r, i))
            terms_add(b, to,
                      r->as->columns[i].type == TYPE_TEXT
                          ? term_name(b, NULL, "text_hash_%zu", i)
                          : term_name(b, NULL, "column_%zu", i));
}

static const struct term *
seed_of(struct builder *b, size_t item)
{
    return term_name(b, NULL, "seed_%zu", item);
}

static const struct term *
rank_of(struct builder *b, size_t item)
{
    return term_name(b, NULL, "rank_%zu", item);
}

/* A hash of the private row and of what is read of the public row. */
static const struct term *
pair_hash(struct builder *b, const struct relation *r, size_t own)
{
    struct terms hashed = {.n = 0};

    terms_add(b, &hashed, seed_of(b, own));
    add_public(b, r, &hashed);
    return term_calls(b, TERM_HASH, &hashed);
}

/*
 * The rank of a pair: pairs are numbered in the order of their hashes, so that it is
 * not always the first public row that counts. Pairs with equal hashes are ordered
 * by the private row, then by all columns that are read of the public row.
 */
static const struct term *
rank_of_many(struct builder *b, const struct relation *r, size_t own)
{
    struct window w = {.partition = {.n = 0}};

    terms_add(b, &w.partition, term_name(b, NULL, "unit_%zu", own));
    terms_add(b, &w.order, pair_hash(b, r, own));
    terms_add(b, &w.order, rank_of(b, own));
    add_public(b, r, &w.order);
    return term_window(b, TERM_ROW_NUMBER, NULL, &w);
}

/* The seed of a pair, made from the same sides as its rank. */
static const struct term *
seed_of_pair(struct builder *b, const struct relation *r, size_t left,
             size_t right)
{
    switch (r->meeting) {
    case MEET_PUBLIC: break;
    case MEET_LEFT: return seed_of(b, left);
    case MEET_RIGHT: return seed_of(b, right);
    case MEET_EITHER:
    case MEET_UNIT:
        return term_call(b, TERM_HASH, seed_of(b, left), seed_of(b, right),
                         NULL);
    case MEET_MANY:
        return pair_hash(b, r, relation_is_private(r->left) ? left : right);
    }
    b->failed = true; /* UNREACHABLE: public joins have no seed */
    return term_null(b);
}

/* The rank, made from the left side's rank_<left> and the last item's
   rank_<right>. */
static const struct term *
rank_of_pair(struct builder *b, const struct relation *r, size_t left,
             size_t right)
{
    const struct term *before;

    switch (r->meeting) {
    case MEET_PUBLIC: break;
    case MEET_LEFT: return rank_of(b, left);
    case MEET_RIGHT: return rank_of(b, right);
    case MEET_EITHER:
        return term_call(b, TERM_COALESCE,
                         term_binary(b, term_number(b, relation_rows(r->left)),
                                     TERM_PLUS, rank_of(b, right)),
                         rank_of(b, left), NULL);
    case MEET_UNIT:
        before = term_binary(
            b, term_binary(b, rank_of(b, left), TERM_MINUS, term_number(b, 1)),
            TERM_TIMES, term_number(b, relation_rows(r->right)));
        return term_binary(b, before, TERM_PLUS,
                           term_call(b, TERM_COALESCE, rank_of(b, right),
                                     term_number(b, 1), NULL));
    case MEET_MANY:
        return rank_of_many(b, r, relation_is_private(r->left) ? left : right);
    }
    b->failed = true; /* UNREACHABLE: public joins have no rank */
    return term_null(b);
}

const struct input *
relation_join(struct builder *b, const struct relation *r)
{
    struct chain c = chain_of(b, r, false);
    struct select *s = select_new(b, c.input);

    if (relation_is_private(r)) {
        select_add(b, s, term_name(b, NULL, "unit_%zu", c.u), "unit");
        select_add(b, s, rank_of_pair(b, r, c.r, c.n - 1), "rank");
    } else {
        select_add(b, s, term_number(b, 0), "unit");
    }
    if (r->seeded)
        select_add(b, s, seed_of_pair(b, r, c.r, c.n - 1), "seed");
    for (size_t i = 0; i < r->as->n_columns; i++)
        if (relation_carries(r, i))
            relation_column(b, &r->as->columns[i], r->columns[i].stored, NULL,
                            i, i, s);
    return input_select(b, s);
}
