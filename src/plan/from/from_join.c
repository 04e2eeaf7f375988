/*
 * Joins: which are admitted, how their sides meet, and how many rows of a unit
 * come out. (Theorems unit-local and join-order, relation.h.)
 *
 * Two private sides must have the same unit, and the condition must equate it:
 * by an equality of columns that hold the unit, or of keys that identify it.
 * The rest of the condition may be anything.
 */
#include "plan/from/from.h"

struct join {
    struct relation *left, *right, *r;
    bool one_left;  /* a row of right meets at most one of left: by equality
                       with a unique column of left */
    bool one_right; /* a row of left meets at most one of right */
    bool same_unit; /* columns that identify the unit are equal */
};

/* ------------------------------------------------------------- condition -- */

/* Is the column unique: declared so, or seen to be so in a public table that was
   imported, and so does not change? */
static bool
is_unique(const struct work *w, const struct relation *side, size_t column)
{
    const struct plan_known *known = w->options->known;
    const struct policy_table *t = side->as;
    uint64_t most;

    if (side->columns[column].unique)
        return true;
    return side->kind == RELATION_TABLE && t->is_public &&
           t->facts.keys_enforced && from_is_exact(t->columns[column].type) &&
           known && known->count(known->ctx, t->number, (int)column, &most) &&
           most <= 1;
}

static void
see_equal(const struct work *w, struct join *j, size_t a, size_t b)
{
    size_t split = j->left->as->n_columns;
    const struct relation_column *x, *y;
    const struct policy_column *c, *d;

    if (a >= split) {
        size_t other = a;

        a = b;
        b = other;
    }
    if (a >= split || b < split)
        return;
    x = &j->left->columns[a];
    y = &j->right->columns[b - split];
    c = &j->left->as->columns[a];
    d = &j->right->as->columns[b - split];
    j->same_unit = j->same_unit || (x->names && x->names == y->names);
    if (c->type != d->type) /* converted first: equality may not be exact */
        return;
    j->one_left = j->one_left || is_unique(w, j->left, a);
    j->one_right = j->one_right || is_unique(w, j->right, b - split);
}

static custos_status
see_condition(struct work *w, void *ctx, struct expr *e)
{
    if (e->kind == EXPR_CALL && e->call == CALL_EQ &&
        e->args[0]->kind == EXPR_COLUMN && e->args[1]->kind == EXPR_COLUMN)
        see_equal(w, ctx, (size_t)e->args[0]->slot, (size_t)e->args[1]->slot);
    return CUSTOS_OK;
}

/* Finds an IN (SELECT ...): the engine has no outer join on a subquery. */
static const struct expr *
find_in_query(const struct expr *e)
{
    const struct expr *found = e->kind == EXPR_IN_QUERY ? e : NULL;

    for (size_t i = 0; i < e->n_args && !found; i++)
        if (e->args[i])
            found = find_in_query(e->args[i]);
    return found;
}

/* Binds and types e, and adds it to the condition with AND. */
static custos_status
add_condition(struct work *w, struct join *j, struct expr *e)
{
    const struct expr *inner = expr_aggregate(e);
    custos_status st;

    if (inner)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, inner->at,
                              "aggregates are not allowed in ON");
    inner = j->r->outer ? find_in_query(e) : NULL;
    if (inner)
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, inner->at,
            "IN (SELECT ...) is not allowed in ON of a LEFT JOIN" HINT
            "join (SELECT ... WHERE ... IN (SELECT ...)) instead");
    st = names_bind(w, e);
    if (!st)
        st = types_truth(w, e, from_context(j->r), "ON");
    if (!st)
        st = from_conjuncts(w, e, see_condition, j);
    return st ? st : from_and(w, j->r->on, e, &j->r->on);
}

static struct expr *
column_new(struct work *w, const struct from *f, const struct relation_name *n,
           size_t offset)
{
    struct expr *e = arena_take(w->a, 1, sizeof *e);

    if (e)
        *e = (struct expr){.kind = EXPR_COLUMN,
                           .at = f->at,
                           .name = n->name,
                           .qualifier = n->table,
                           .slot = (int)(n->slot + offset)};
    return e;
}

/* The one column of this name on a side of USING. */
static custos_status
using_find(struct work *w, const struct from *f, str name,
           const struct relation *side, const struct relation_name **out)
{
    *out = NULL;
    for (size_t i = 0; i < side->n_names; i++)
        if (!side->names[i].hidden && str_equal(side->names[i].name, name)) {
            if (*out)
                return custos_fail_at(w->err, CUSTOS_ENAME, f->at,
                                      "column %.*s in USING is ambiguous" HINT
                                      "write ON instead",
                                      SHOWN(name));
            *out = &side->names[i];
        }
    if (!*out)
        return custos_fail_at(
            w->err, CUSTOS_ENAME, f->at,
            "USING takes columns that both sides have, and %.*s is not one",
            SHOWN(name));
    return CUSTOS_OK;
}

/* Adds an equality for one column of USING, and hides its right side. */
static custos_status
using_one(struct work *w, struct join *j, const struct from *f, str name)
{
    size_t split = j->left->as->n_columns;
    const struct relation_name *a = NULL, *b = NULL;
    struct expr *e = arena_take(w->a, 1, sizeof *e);
    custos_status st = using_find(w, f, name, j->left, &a);

    if (!st)
        st = using_find(w, f, name, j->right, &b);
    if (st)
        return st;
    if (!e || !(e->args = arena_take(w->a, 2, sizeof(struct expr *))))
        return work_no_memory(w);
    e->kind = EXPR_CALL;
    e->call = CALL_EQ;
    e->at = f->at;
    e->n_args = 2;
    e->args[0] = column_new(w, f, a, 0);
    e->args[1] = column_new(w, f, b, split);
    if (!e->args[0] || !e->args[1])
        return work_no_memory(w);
    for (size_t i = j->left->n_names; i < j->r->n_names; i++)
        if (j->r->names[i].slot == b->slot + split)
            j->r->names[i].hidden = true;
    return add_condition(w, j, e);
}

/* Can every name in e be resolved here? */
static bool
is_bound_by(const struct work *w, const struct expr *e)
{
    if (e->kind == EXPR_COLUMN)
        return names_has(w, e);
    if (e->kind == EXPR_AGGREGATE || e->kind == EXPR_INTERVAL)
        return false;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && !is_bound_by(w, e->args[i]))
            return false;
    return true;
}

/* A join without ON takes the conditions of WHERE on its two sides. */
static custos_status
take_from_where(struct work *w, struct join *j, struct loose *loose)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; loose && i < loose->n && !st; i++) {
        struct expr *e = loose->conjuncts[i];

        if (!e || !is_bound_by(w, e))
            continue;
        loose->conjuncts[i] = NULL;
        st = add_condition(w, j, e);
    }
    return st;
}

/* --------------------------------------------------------------- columns -- */

static custos_status
check_names(struct work *w, const struct from *f, const struct relation *left,
            const struct relation *right)
{
    for (size_t i = 0; i < right->n_names; i++)
        for (size_t k = 0; k < left->n_names; k++)
            if (str_equal(left->names[k].table, right->names[i].table))
                return custos_fail_at(
                    w->err, CUSTOS_ENAME, f->right->at,
                    "two tables in FROM are called %.*s" HINT
                    "give one of them another name, as in %.*s AS b",
                    SHOWN(left->names[k].table), SHOWN(left->names[k].table));
    return CUSTOS_OK;
}

static void
put_columns(struct join *j, const struct relation *side, size_t offset,
            bool outer)
{
    struct policy_table *as = from_as(j->r);

    for (size_t i = 0; i < side->as->n_columns; i++) {
        as->columns[offset + i] = side->as->columns[i];
        j->r->columns[offset + i] = side->columns[i];
        if (outer) {
            as->columns[offset + i].nullable = true;
            j->r->columns[offset + i].outer = true;
        }
    }
    for (size_t i = 0; i < side->n_names; i++) {
        struct relation_name *n = &j->r->names[j->r->n_names++];

        *n = side->names[i];
        n->slot += offset;
    }
}

/* ------------------------------------------------------------- admission -- */

/* The name of a column of r that identifies the unit by this key, or NULL. */
static const struct relation_name *
name_of_key(const struct relation *r, const void *key)
{
    for (size_t i = 0; i < r->n_names; i++)
        if (key && r->columns[r->names[i].slot].names == key)
            return &r->names[i];
    return NULL;
}

static custos_status
no_unit(struct work *w, const struct join *j, const struct from *f)
{
    const struct relation *a = j->left, *b = j->right;
    const struct relation_name *x = name_of_key(a, w->policy);
    const struct relation_name *y = x ? name_of_key(b, w->policy) : NULL;

    for (size_t i = 0; i < a->n_names && !y; i++) {
        x = &a->names[i];
        y = name_of_key(b, a->columns[x->slot].names);
    }
    if (y)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, f->at,
                              "%.*s and %.*s are both private and must be "
                              "joined on the privacy unit" HINT
                              "write ON %.*s.%.*s = %.*s.%.*s",
                              SHOWN(x->table), SHOWN(y->table), SHOWN(x->table),
                              SHOWN(x->name), SHOWN(y->table), SHOWN(y->name));
    return custos_fail_at(
        w->err, CUSTOS_EUNSUPPORTED, f->at,
        "%.*s and %.*s are both private and cannot be joined: no columns of "
        "theirs identify the same privacy unit",
        SHOWN(relation_shown(a)), SHOWN(relation_shown(b)));
}

static custos_status
check_private(struct work *w, const struct join *j, const struct from *f)
{
    const struct policy_table *a = j->left->as, *b = j->right->as;
    bool both = !a->is_public && !b->is_public;

    if (a->is_public && !b->is_public && f->outer)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, f->at,
                              "a public table LEFT JOIN a private one would "
                              "show which rows match nobody" HINT
                              "write the private table first, or JOIN");
    if (both && !(a->facts.sorted && b->facts.sorted))
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, f->at,
            "%.*s is attached, not imported: it can be joined with public "
            "tables only" HINT "ask the owner to import it",
            SHOWN(relation_shown(a->facts.sorted ? j->right : j->left)));
    if (both && (a->unit_is_row || b->unit_is_row))
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, f->at,
            "each row of %.*s is a unit of its own: it can "
            "be joined with public tables only",
            SHOWN(relation_shown(a->unit_is_row ? j->left : j->right)));
    return both && !j->same_unit ? no_unit(w, j, f) : CUSTOS_OK;
}

static enum meeting
meeting_of(const struct join *j, bool outer)
{
    bool left = !j->left->as->is_public, right = !j->right->as->is_public;

    if (!left && !right)
        return MEET_PUBLIC;
    if (left && j->one_right)
        return MEET_LEFT;
    if (right && j->one_left)
        return outer ? MEET_EITHER : MEET_RIGHT;
    return left && right ? MEET_UNIT : MEET_MANY;
}

/* ---------------------------------------------------------------- bounds -- */

static void
keep_unique(struct join *j, bool left, bool right)
{
    size_t split = j->left->as->n_columns;

    for (size_t i = 0; i < j->r->as->n_columns; i++)
        if (i < split ? !left : !right)
            j->r->columns[i].unique = false;
}

/* Sets the join's unit and its bounds: rows and groups per unit. */
static custos_status
set_bounds(struct work *w, struct join *j, const struct from *f)
{
    const struct policy_table *a = j->left->as, *b = j->right->as, *spine;
    struct policy_table *as = from_as(j->r);
    enum meeting meeting = j->r->meeting;
    bool right = meeting == MEET_RIGHT || meeting == MEET_EITHER ||
                 (meeting == MEET_MANY && a->is_public);

    spine = right ? b : a;
    as->name = relation_shown(right ? j->right : j->left);
    as->is_public = spine->is_public;
    as->unit_is_row = spine->unit_is_row;
    as->facts = spine->is_public ? FACTS_IMPORTED : spine->facts;
    as->rows_per_unit = spine->rows_per_unit;
    as->groups_per_unit = spine->groups_per_unit;
    as->rows_per_group = spine->rows_per_group;
    as->max_rows = spine->max_rows;
    if (meeting == MEET_EITHER) {
        as->rows_per_unit = from_plus(a->rows_per_unit, b->rows_per_unit);
        as->groups_per_unit = from_plus(a->groups_per_unit, b->groups_per_unit);
        as->rows_per_group = from_plus(a->rows_per_group, b->rows_per_group);
        as->max_rows = from_plus(from_ceiling(a), from_ceiling(b));
    }
    if (meeting == MEET_UNIT) {
        as->rows_per_unit = from_times(a->rows_per_unit, b->rows_per_unit);
        as->groups_per_unit =
            from_times(a->groups_per_unit, b->groups_per_unit);
        as->rows_per_group = from_times(a->rows_per_group, b->rows_per_group);
        as->max_rows = from_times(from_ceiling(a), b->rows_per_unit);
    }
    if (meeting == MEET_MANY)
        as->max_rows = from_times(from_ceiling(spine), spine->rows_per_unit);
    keep_unique(j, j->one_right, j->one_left);
    j->r->raced = meeting != MEET_UNIT && meeting != MEET_EITHER &&
                  (right ? j->right : j->left)->raced;
    j->r->renumbered = meeting == MEET_MANY; /* else sides are cut already */
    if (!as->is_public && as->rows_per_unit > FROM_ROWS_MAX)
        return custos_fail_at(
            w->err, CUSTOS_EOVERFLOW, f->at,
            "a unit could have more than 2^31 rows in this join" HINT
            "join along a declared reference, or aggregate one side by the "
            "unit first");
    return CUSTOS_OK;
}

custos_status
from_pair(struct work *w, const struct from *f, struct loose *loose,
          struct relation *left, struct relation *right, struct relation **out)
{
    struct join j = {.left = left, .right = right};
    custos_status st = check_names(w, f, left, right);

    if (!st)
        st = from_new(w, RELATION_JOIN,
                      left->as->n_columns + right->as->n_columns, &j.r);
    if (st)
        return st;
    j.r->names = arena_take(w->a, left->n_names + right->n_names + 1,
                            sizeof *j.r->names);
    if (!j.r->names)
        return work_no_memory(w);
    put_columns(&j, left, 0, false);
    put_columns(&j, right, left->as->n_columns, f->outer);
    from_as(j.r)->is_public = left->as->is_public && right->as->is_public;
    j.r->left = left;
    j.r->right = right;
    j.r->outer = f->outer;
    from_enter(w, j.r);
    if (f->on)
        st = add_condition(w, &j, f->on);
    for (size_t i = 0; i < f->n_using && !st; i++)
        st = using_one(w, &j, f, f->using[i]);
    if (!st && !f->on && f->n_using == 0 && !f->outer)
        st = take_from_where(w, &j, loose);
    if (!st)
        st = check_private(w, &j, f);
    if (st)
        return st;
    j.r->meeting = meeting_of(&j, f->outer);
    *out = j.r;
    return set_bounds(w, &j, f);
}

custos_status
from_join(struct work *w, struct from *f, struct loose *loose,
          struct relation **out)
{
    struct relation *left = NULL, *right = NULL;
    custos_status st = from_any(w, f->left, loose, &left);

    if (!st) /* the right side of LEFT takes nothing from WHERE */
        st = from_any(w, f->right, f->outer ? NULL : loose, &right);
    return st ? st : from_pair(w, f, loose, left, right, out);
}
