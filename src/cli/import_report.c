/*
 * The report follows the order of the policy: tables, then columns. A refusal
 * lists each cause with a hint, and ends with the limit that was exceeded.
 */
#include "cli/import_report.h"

#include <unistd.h>

#include "cli/cli.h"
#include "cli/paint.h"

enum { LIMIT_MAX = 512 };

static void
print_count(struct out *o, uint64_t n)
{
    char text[32];

    write_grouped((int64_t)n, text);
    out_text(o, text);
}

static void
print_name(struct out *o, str name)
{
    out_add(o, name.ptr, name.len);
}

/* Prints a value; a number without trailing zeros after the point. */
static void
print_limit(struct out *o, struct datum d)
{
    struct buf b;

    while (data_type_is_number(d.type) && d.scale > 0 && d.n % 10 == 0) {
        d.n /= 10;
        d.scale--;
    }
    buf_init(&b, NULL, LIMIT_MAX);
    datum_write(&d, &b);
    out_text(o, buf_text(&b));
    buf_clear(&b);
}

static void
print_example(struct out *o, const struct engine_import_change *c)
{
    if (c->n_examples > 0)
        out_printf(o, ", e.g. '%.*s'", (int)c->examples[0].len,
                   c->examples[0].ptr);
    if (c->found)
        out_printf(o, " (looks like %s)", c->found);
}

/* Prints what happened to values, after the caller has printed how many. */
static void
print_change(struct out *o, const struct policy_column *c,
             enum view_change change)
{
    switch (change) {
    case CHANGE_CLAMPED:
        out_text(o, " clamped to [");
        print_limit(o, c->lower);
        out_text(o, ", ");
        print_limit(o, c->upper);
        out_text(o, "]");
        return;
    case CHANGE_UNREADABLE:
        out_text(o, c->type == TYPE_TEXT ? " longer than max_bytes"
                                         : " unreadable");
        break;
    default: out_text(o, " not in values");
    }
    out_text(o, c->nullable ? ", now NULL" : ", row dropped");
}

static void
print_column(struct out *o, const struct engine_import_column *c)
{
    for (int i = 0; i < CHANGES; i++) {
        if (c->changes[i].count == 0)
            continue;
        out_text(o, "    ");
        print_name(o, c->is->name);
        out_text(o, ": ");
        print_count(o, c->changes[i].count);
        print_change(o, c->is, (enum view_change)i);
        print_example(o, &c->changes[i]);
        out_text(o, "\n");
    }
    if (c->empty > 0) {
        out_text(o, "    ");
        print_name(o, c->is->name);
        out_text(o, ": ");
        print_count(o, c->empty);
        out_text(o, " empty, row dropped (nullable: false)\n");
    }
}

void
import_report_print(struct out *o, const struct engine_import_table *t)
{
    out_text(o, "  ");
    print_name(o, t->name);
    out_text(o, t->attached ? ": attached, read from its file in every query; "
                            : ": ");
    print_count(o, t->rows);
    out_printf(o, " row%s read, ", t->rows == 1 ? "" : "s");
    print_count(o, t->kept);
    out_text(o, t->attached ? " used" : " kept");
    if (t->units) {
        out_text(o, ", of ");
        print_count(o, t->units);
        out_text(o, t->units == 1 ? " unit" : " units");
    }
    if (t->without_unit) {
        out_text(o, "; ");
        print_count(o, t->without_unit);
        out_text(o, t->without_unit == 1 ? " belongs" : " belong");
        out_text(o, " to no unit");
    }
    out_text(o, "\n");
    for (size_t i = 0; i < t->is->n_columns; i++)
        print_column(o, &t->columns[i]);
}

/* "custos: table.column: 300 of 400" */
static void
refusal_begin(struct out *o, const struct engine_import_table *t,
              const struct policy_column *c, uint64_t lost, uint64_t all)
{
    out_text(o, "custos: ");
    print_name(o, t->name);
    out_text(o, c ? "." : "");
    if (c)
        print_name(o, c->name);
    out_text(o, ": ");
    print_count(o, lost);
    out_text(o, " of ");
    print_count(o, all);
}

static void
print_column_refusal(struct out *o, const struct engine_import_table *t,
                     const struct engine_import_column *c)
{
    for (int i = 0; i < CHANGES; i++) {
        const struct engine_import_change *change = &c->changes[i];

        if (i == CHANGE_CLAMPED || change->count == 0)
            continue;
        refusal_begin(o, t, c->is, change->count, c->values);
        if (i == CHANGE_UNLISTED)
            out_text(o, " values are not in the list of values");
        else if (c->is->type == TYPE_TEXT)
            out_printf(o, " values have more than max_bytes: %zu",
                       c->is->text_max);
        else
            out_printf(o, " values cannot be read as %s",
                       data_type_name(c->is->type));
        print_example(o, change);
        out_printf(o, "\n  hint: %s (policy, line %d)\n", change->remedy,
                   c->is->line);
    }
}

/* Reports rows that lack a value which the policy requires. */
static void
print_dropped(struct out *o, const struct engine_import_table *t,
              uint64_t dropped)
{
    bool first = true;

    refusal_begin(o, t, NULL, dropped, t->rows);
    out_text(o, " rows lack a value where the policy has nullable: false (");
    for (size_t i = 0; i < t->is->n_columns; i++) {
        const struct engine_import_column *c = &t->columns[i];

        if (c->empty + (c->is->nullable ? 0 : engine_import_lost(c)) == 0)
            continue;
        out_text(o, first ? "" : ", ");
        print_name(o, c->is->name);
        first = false;
    }
    out_text(o, ")\n  hint: set nullable: true there, or complete the "
                "source\n");
}

/* Reports rows that belong to no unit. */
static void
print_unowned(struct out *o, const struct engine_import_table *t)
{
    const struct policy_column *c = &t->is->columns[t->is->unit_column];

    refusal_begin(o, t, NULL, t->without_unit, t->rows);
    out_text(o, " rows belong to no unit\n  hint: their column ");
    print_name(o, c->name);
    if (c->references_table.len > 0) {
        out_text(o, " is empty, has no match in ");
        print_name(o, c->references_table);
        out_text(o, ".");
        print_name(o, c->references_column);
        out_text(o, ", or matches a row that belongs to no unit");
    } else {
        out_text(o, " is empty");
    }
    out_printf(o, " (policy, line %d)\n", c->line);
}

static void
print_table_refusal(struct out *o, const struct engine_import_table *t)
{
    uint64_t dropped = t->rows - t->kept - t->without_unit;
    bool any = false;

    for (size_t i = 0; i < t->is->n_columns; i++)
        if (t->columns[i].refused) {
            print_column_refusal(o, t, &t->columns[i]);
            any = true;
        }
    if (any) /* these columns are why the table loses rows */
        return;
    if (dropped > 0)
        print_dropped(o, t, dropped);
    if (t->without_unit > 0)
        print_unowned(o, t);
}

int
import_refusal_print(const struct engine_import_table *tables, size_t n,
                     uint64_t max_loss_ppm)
{
    struct datum limit = {
        .type = TYPE_DECIMAL, .scale = 4, .n = (i128)max_loss_ppm};
    struct out o;

    out_init(&o, STDERR_FILENO);
    for (size_t i = 0; i < n; i++)
        if (tables[i].refused)
            print_table_refusal(&o, &tables[i]);
    out_text(&o, "custos: nothing was imported: a column or table may lose at "
                 "most ");
    print_limit(&o, limit);
    out_text(&o, " % (--max-loss)\n  hint: change the policy or the source, or "
                 "import without what is lost with --accept-loss\n");
    (void)out_end(&o);
    return CLI_USAGE;
}
