/*
 * Reads the bounded rows of a plan as whole numbers: each column as a key that is
 * looked up among declared values, or as a value in steps, by the same terms as in
 * every other statement.
 */
#include "engine/fields.h"

#include "base/error.h"
#include "engine/refail.h"
#include "engine/statement/ask.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"

struct reading {
    struct stage stage;
    struct cell_space space;
    struct work_values values;
    int place[ENGINE_FIELDS_MAX]; /* by field: the result's column */
};

static struct expr *
column_expr(struct builder *b, const struct plan *plan, size_t i)
{
    const struct policy_column *c = &plan->table->columns[i];
    struct expr *e = b->failed ? NULL : arena_take(b->a, 1, sizeof *e);

    b->failed |= !e;
    if (e)
        *e = (struct expr){.kind = EXPR_COLUMN,
                           .name = c->name,
                           .type = c->type,
                           .slot = (int)i,
                           .cast_scale = c->scale,
                           .text_max = c->text_max};
    return e;
}

static bool
is_listed(const struct policy_column *c)
{
    return c->n_values > 0 || c->type == TYPE_BOOL;
}

/* Adds a key to the space. NULL is a value here like others, so that no row is
   dropped for it. */
static void
add_key(struct builder *b, const struct plan *plan, size_t column,
        struct cell_space *space)
{
    const struct policy_column *c = &plan->table->columns[column];
    static struct datum truths[] = {{.type = TYPE_BOOL, .n = 0},
                                    {.type = TYPE_BOOL, .n = 1}};
    bool stored = !plan->from || plan->from->columns[column].stored;
    struct key *k = &space->keys[space->n_keys++];

    *k = (struct key){.expr = column_expr(b, plan, column),
                      .column = (int)column,
                      .values = c->n_values ? c->values : truths,
                      .n = c->n_values ? c->n_values : COUNT_OF(truths),
                      .kind = stored ? KEY_STORED : KEY_LISTED,
                      .null_group = true};
}

/* Adds a value in steps, which is clamped as that of a quantile. */
static void
add_value(struct builder *b, const struct plan *plan,
          const struct engine_field *f, struct work_values *values)
{
    struct part *p = b->failed ? NULL : arena_take(b->a, 1, sizeof *p);

    b->failed |= !p;
    if (p)
        *p = (struct part){.kind = PART_QUANTILES,
                           .of = column_expr(b, plan, f->column),
                           .grid =
                               grid_of_column(&plan->table->columns[f->column]),
                           .lower = f->lower,
                           .upper = f->upper};
    values->of[values->n++] = p;
}

static void
reading_make(struct builder *b, const struct plan *plan,
             const struct engine_field *fields, size_t n, struct reading *r)
{
    size_t keys = 0;

    r->space = plan->space;
    r->space.n_keys = 0;
    r->space.groups = plan->rows;
    r->space.per_group = 0;
    r->space.keys = arena_take(b->a, n, sizeof *r->space.keys);
    r->stage =
        (struct stage){.kind = STAGE_VALUES, .plan = plan, .space = &r->space};
    r->values.n = 0;
    b->failed |= !r->space.keys;
    for (size_t i = 0; i < n && !b->failed; i++)
        keys += is_listed(&plan->table->columns[fields[i].column]);
    for (size_t i = 0; i < n && !b->failed; i++) {
        bool listed = is_listed(&plan->table->columns[fields[i].column]);

        r->place[i] = (int)(listed ? r->space.n_keys : keys + r->values.n);
        if (listed)
            add_key(b, plan, fields[i].column, &r->space);
        else
            add_value(b, plan, &fields[i], &r->values);
    }
}

/* The columns key_0 ..., value_0 ... of the bounded rows. */
static struct select *
bounded_rows(struct builder *b, const struct reading *r)
{
    bool simple =
        r->space.bounding == BOUND_NONE || r->space.bounding == BOUND_RANK;
    struct select *s =
        select_new(b, input_select(b, (simple ? sql_bounded : general_bounded)(
                                          b, &r->stage, &r->values)));

    relation_queries(b, r->stage.plan, r->stage.plan->n_queries, s);
    for (size_t i = 0; i < r->space.n_keys; i++)
        select_add_bare(b, s, term_name(b, NULL, "key_%zu", i));
    for (size_t i = 0; i < r->values.n; i++)
        select_add_bare(b, s, term_name(b, NULL, "value_%zu", i));
    return s;
}

static void
read_chunk(const struct reading *r, const struct column *columns, size_t n,
           size_t rows, int64_t *numbers)
{
    for (size_t i = 0; i < n; i++) {
        const struct column *c = &columns[r->place[i]];

        for (size_t row = 0; row < rows; row++)
            numbers[i * rows + row] = column_is_null(c, row)
                                          ? ENGINE_NO_VALUE
                                          : (int64_t)column_whole(c, row);
    }
}

static custos_status
read_rows(struct builder *b, const struct reading *r, size_t n,
          engine_take_fields take, void *ctx, custos_err *err)
{
    int64_t *numbers = calloc(n * ROWS_CHUNK_MAX, sizeof *numbers);
    struct column columns[ENGINE_FIELDS_MAX];
    struct result *rows = NULL;
    size_t chunk = 0;
    custos_status st = numbers
                           ? ask_rows(b, 0, bounded_rows(b, r), &rows, err)
                           : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    while (!st && !(st = result_next(rows, &chunk, columns, err)) &&
           chunk > 0) {
        read_chunk(r, columns, n, chunk, numbers);
        st = take(ctx, chunk, numbers, err);
    }
    result_free(rows);
    if (numbers)
        wipe(numbers, n * ROWS_CHUNK_MAX * sizeof *numbers);
    free(numbers);
    return st;
}

custos_status
engine_fields(struct engine *e, const struct plan *plan,
              const struct engine_field *fields, size_t n,
              engine_take_fields take, void *ctx, custos_err *err)
{
    struct reading r;
    struct builder b;
    custos_status st;

    CUSTOS_REQUIRE(n >= 1 && n <= ENGINE_FIELDS_MAX && !plan->raced);
    builder_init(&b, e);
    reading_make(&b, plan, fields, n, &r);
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : read_rows(&b, &r, n, take, ctx, err);
    builder_clear(&b);
    if (st && st != CUSTOS_ENOMEM)
        st = refail(err, CUSTOS_EENGINE, "the query could not be completed");
    return st;
}
