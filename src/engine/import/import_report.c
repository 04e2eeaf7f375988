/*
 * Reports what an import changed and lost, column by column, to the owner only.
 *
 * Every value is counted once: unreadable, not in the list, clamped, or unchanged
 * (view_changes). For an imported table the counts are aggregates over the stage;
 * attach.c counts an attached table as it reads it. A few changed values are kept
 * as examples, from which their format is guessed.
 */
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "engine/import/import.h"
#include "engine/import/value_format.h"

/* A result has at most ROWS_COLUMNS_MAX columns. */
enum { EXAMPLES_MAX = 100, COLUMNS_AT_ONCE = 500 };

uint64_t
engine_import_lost(const struct engine_import_column *c)
{
    return c->changes[CHANGE_UNREADABLE].count +
           c->changes[CHANGE_UNLISTED].count;
}

enum view_change
import_change_of(str x)
{
    const char *letter =
        x.len ? strchr(VIEW_CHANGE_LETTERS, x.ptr[0]) : VIEW_CHANGE_LETTERS;

    CUSTOS_REQUIRE(letter && *letter);
    return (enum view_change)(letter - VIEW_CHANGE_LETTERS);
}

custos_status
import_example_add(struct import *m, struct engine_import_column *c, str x,
                   custos_err *err)
{
    struct engine_import_change *to = &c->changes[import_change_of(x)];
    char *text;

    if (to->n_examples == EXAMPLES_MAX)
        return CUSTOS_OK;
    if (!to->examples)
        to->examples = arena_take(m->a, EXAMPLES_MAX, sizeof *to->examples);
    text = arena_copy(m->a, (str){x.ptr + 1, x.len - 1});
    if (!to->examples || !text)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i + 1 < x.len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127)
            text[i] = '?';
    to->examples[to->n_examples++] = (str){text, x.len - 1};
    return CUSTOS_OK;
}

void
import_column_end(struct engine_import_table *t, struct engine_import_column *c,
                  uint64_t left)
{
    c->values = left + engine_import_lost(c);
    c->empty = c->is->nullable ? 0 : t->rows - c->values;
    for (int i = 0; i < CHANGES; i++) {
        struct engine_import_change *to = &c->changes[i];
        struct value_format format;

        if (i == CHANGE_CLAMPED || to->n_examples == 0)
            continue;
        format = value_format_guess(c->is, (enum view_change)i, to->examples,
                                    to->n_examples);
        to->found = format.found;
        to->remedy = format.remedy;
    }
}

/* Did column k have this change? */
static const struct term *
is_change(struct builder *b, size_t k, enum view_change change)
{
    const struct term *letter =
        term_text(b, (str){&VIEW_CHANGE_LETTERS[change], 1});

    return term_call(b, TERM_STARTS_WITH,
                     term_item(b, term_name(b, NULL, "changes"), k + 1), letter,
                     NULL);
}

/* A select from stage.source_<i>. */
static struct select *
select_staged(struct builder *b, size_t i)
{
    return select_new(b, input_named(b, "stage.source_%zu", i));
}

/* Collects the first values of column k of stage.source_<i> that had this change. */
static custos_status
staged_examples(struct import *m, size_t i, size_t k, enum view_change change,
                custos_err *err)
{
    struct column column;
    struct result *rows = NULL;
    size_t n = 1;
    custos_status st;
    struct builder b;
    struct select *s;

    builder_init(&b, NULL);
    s = select_staged(&b, i);
    select_add_bare(&b, s,
                    term_item(&b, term_name(&b, NULL, "changes"), k + 1));
    select_where(&b, s, is_change(&b, k, change));
    s->has_limit = true;
    s->limit = EXAMPLES_MAX;
    st = import_ask(m, &b, s, &rows, err);
    builder_clear(&b);
    while (!st && n > 0) {
        st = result_next(rows, &n, &column, err);
        for (size_t r = 0; r < n && !st; r++)
            st = import_example_add(m, &m->tables[i].columns[k],
                                    column_text(&column, r), err);
    }
    result_free(rows);
    return st;
}

/* Reads the n whole numbers of a select that gives one row, and clears b. */
static custos_status
ask_counts(struct import *m, struct builder *b, const struct select *s,
           uint64_t *out, size_t n, custos_err *err)
{
    struct column columns[ROWS_COLUMNS_MAX];
    struct result *rows = NULL;
    size_t got = 0;
    custos_status st = import_ask(m, b, s, &rows, err);

    builder_clear(b);
    if (!st)
        st = result_next(rows, &got, columns, err);
    for (size_t i = 0; i < n && !st && got == 1; i++)
        out[i] = (uint64_t)column_whole(&columns[i], 0);
    if (!st) /* read to the end: an open result keeps its transaction open */
        st = result_next(rows, &got, columns, err);
    result_free(rows);
    return st;
}

/* Counts the changed and missing values of column k of stage.source_<i>. */
static custos_status
staged_column(struct import *m, size_t i, size_t k, custos_err *err)
{
    struct engine_import_column *c = &m->tables[i].columns[k];
    uint64_t counts[1 + CHANGES] = {0};
    custos_status st;
    struct builder b;
    struct select *s;

    builder_init(&b, NULL);
    s = select_staged(&b, i);
    select_add_bare(
        &b, s, term_aggregate(&b, TERM_COUNT, term_name(&b, NULL, "c%zu", k)));
    for (int change = 0; change < CHANGES; change++)
        select_add_bare(
            &b, s,
            term_filtered(&b, TERM_COUNT, NULL,
                          is_change(&b, k, (enum view_change)change)));
    st = ask_counts(m, &b, s, counts, 1 + CHANGES, err);
    for (int change = 0; change < CHANGES && !st; change++) {
        c->changes[change].count = counts[1 + change];
        if (counts[1 + change] > 0)
            st = staged_examples(m, i, k, (enum view_change)change, err);
    }
    if (!st)
        import_column_end(&m->tables[i], c, counts[0]);
    return st;
}

/* Calls staged_column for each of the columns `from` to `to` - 1 of stage.source_<i>
   that has changed values or may lack values. */
static custos_status
staged_columns(struct import *m, size_t i, size_t from, size_t to,
               custos_err *err)
{
    const struct engine_import_table *t = &m->tables[i];
    uint64_t counts[COLUMNS_AT_ONCE] = {0};
    const struct term *changes;
    custos_status st;
    struct builder b;
    struct select *s;

    builder_init(&b, NULL);
    changes = term_name(&b, NULL, "changes");
    s = select_staged(&b, i);
    for (size_t k = from; k < to; k++)
        select_add_bare(
            &b, s,
            term_aggregate(&b, TERM_COUNT, term_item(&b, changes, k + 1)));
    select_where(&b, s, term_present(&b, changes));
    st = ask_counts(m, &b, s, counts, to - from, err);
    for (size_t k = from; k < to && !st; k++)
        if (counts[k - from] > 0 ||
            (!t->is->columns[k].nullable && t->kept < t->rows))
            st = staged_column(m, i, k, err);
    return st;
}

custos_status
import_report_staged(struct import *m, size_t i, custos_err *err)
{
    struct engine_import_table *t = &m->tables[i];
    size_t n = t->is->n_columns;
    uint64_t counts[3] = {0};
    const struct term *kept, *changed;
    custos_status st;
    struct builder b;
    struct select *s;

    builder_init(&b, NULL);
    kept = term_not(&b, term_name(&b, NULL, "bad"));
    changed = term_name(&b, NULL, "changes");
    s = select_staged(&b, i);
    select_add_bare(&b, s, term_aggregate(&b, TERM_COUNT, NULL));
    select_add_bare(&b, s, term_filtered(&b, TERM_COUNT, NULL, kept));
    select_add_bare(&b, s, term_aggregate(&b, TERM_COUNT, changed));
    st = ask_counts(m, &b, s, counts, COUNT_OF(counts), err);
    t->rows = counts[0];
    t->kept = counts[1];
    if (st || (counts[2] == 0 && t->kept == t->rows))
        return st;
    for (size_t from = 0; from < n && !st; from += COLUMNS_AT_ONCE)
        st = staged_columns(
            m, i, from, n - from < COLUMNS_AT_ONCE ? n : from + COLUMNS_AT_ONCE,
            err);
    return st;
}

static bool
is_too_much(const struct import *m, uint64_t lost, uint64_t all)
{
    return (u128)lost * LOSS_PPM_ANY > (u128)all * m->max_loss_ppm;
}

custos_status
import_loss_check(struct import *m, custos_err *err)
{
    for (size_t i = 0; i < m->policy->n_tables; i++) {
        struct engine_import_table *t = &m->tables[i];

        t->refused = is_too_much(m, t->rows - t->kept, t->rows);
        for (size_t k = 0; k < t->is->n_columns; k++) {
            struct engine_import_column *c = &t->columns[k];

            c->refused = is_too_much(m, engine_import_lost(c), c->values);
            t->refused |= c->refused;
        }
        m->lost_too_much |= t->refused;
    }
    if (!m->lost_too_much)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EPOLICY,
                       "too much of the data would be lost: nothing was "
                       "imported");
}
