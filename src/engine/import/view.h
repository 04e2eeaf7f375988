/*
 * The one normalised view of a table: every value in its declared domain, as a
 * select. Imported tables are made from it once, attached ones are read
 * through it in every query, so both mean the same.
 *
 * Columns of the view, where i is the number of the table's column:
 *
 *     c<i>  the value: numbers and dates clamped to their range; NULL in
 *           place of NaN and infinities, dates outside the years 1 to 9999,
 *           texts longer than the column's max_bytes, and values that are
 *           not among the declared ones
 *     g<i>  decimals and reals with a range: whole steps of the column's grid
 *     k<i>  columns with declared values, and booleans: index of the value
 *
 * Imported tables that are sorted by unit also have
 *
 *     u     the number of the unit
 *     r     the rank of the row
 *     h<i>  columns whose values may be keys of discovered groups: the ordinal
 *           of the value (ordinals.h)
 *
 * Rows with a NULL where the policy allows none are not in the view.
 *
 * These names, and the text of an attached table's view, are stored in data
 * versions and must not change. Queries use the names of relation.h.
 */
#ifndef ENGINE_VIEW_H
#define ENGINE_VIEW_H

#include "engine/duckdb/duck.h"
#include "engine/import/file_mark.h"
#include "engine/statement/statement.h"
#include "policy/policy.h"
#include "store/store.h"

/* Where rows come from, and the type that each column of the policy's table has
   there. */
struct source {
    struct file
        file; /* its path is absolute, unless it is a pattern of files */
    enum column_type *types;
    char *attach;          /* a statement to run first; NULL: none */
    struct file_mark mark; /* taken before the file is read */
};

/* Which columns besides c<i> the view has for a column. */
bool view_has_steps(const struct policy_column *c);
bool view_has_index(const struct policy_column *c);
bool view_has_ordinal(const struct policy_table *t, size_t column);

/* The range of g<i>, or of c<i> for integers; false when there is none. */
bool view_steps(const struct policy_column *c, i128 *lower, i128 *upper);

/* Decimals of up to 18 digits have 64 bits in the engine, longer ones 128. */
enum { DIGITS_NARROW = 18, DIGITS_WIDE = 38 };

/* Do 64 bits hold every value of a decimal column? */
bool view_is_narrow(const struct policy_column *c);

/* c<i> in whole steps of its grid, for columns with view_has_steps. */
const struct term *
view_stepped(struct builder *b, const struct policy_column *c, size_t i);

/* The type of c<i>. */
struct store_type view_type(const struct policy_column *c);

enum view_extra {
    VIEW_ROWS, /* the rows of the view */
    VIEW_ALL,  /* every row of the source, with what view_changes adds */
};

/* The view; the source must live as long as the select. */
const struct select *
view_select(struct builder *b, const struct policy_table *t,
            const struct source *s, enum view_extra extra);

/* How a value of the source was changed; each value counts once. It cannot be read
   as the declared type (or its text is too long); it is not among the declared
   values; or it was clamped to an end of the range. The first two become NULL. */
enum view_change {
    CHANGE_UNREADABLE,
    CHANGE_UNLISTED,
    CHANGE_CLAMPED,
    CHANGES
};
#define VIEW_CHANGE_LETTERS "uoc" /* by enum view_change */

/*
 * Adds `bad` (is the row not in the view?) and `changes`. changes is NULL if no value
 * was changed, else a list with an item for each column: NULL, or the letter of the
 * change and the first characters of the source's value.
 */
void view_changes(struct builder *b, const struct policy_table *t,
                  const struct source *s, struct select *to);

/* Gives the salt, as hexadecimal text, to view_rank's expressions. */
CUSTOS_MUST_USE custos_status
view_salt(struct duck_connection *c, const uint8_t secret[STORE_SECRET_BYTES],
          custos_err *err);

/* The salted hash of `unit` (a text) and all c<i>. */
const struct term *view_rank(struct builder *b, const struct policy_table *t,
                             const struct term *unit);

/* Prints all facts of the policy that the stored columns depend on. */
void view_facts(const struct policy *p, struct buf *out);

#endif
