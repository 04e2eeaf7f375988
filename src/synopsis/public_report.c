/*
 * The error of a table is given as the share of rows that are in a wrong cell: half of
 * L1, the sum of the distances of all cells. Noise of standard deviation s moves a
 * cell by s * sqrt(2/pi) on average.
 */
#include "synopsis/public_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "sql/print.h"
#include "synopsis/page.h"
#include "synopsis/value.h"
#include "synth/bound.h"
#include "synth/price.h"

enum { REPORT_BYTES = 1 << 28, NUMBER_BYTES = 64, SHOWN = 30 };

/* A table of the workload, with the shares of rows in a wrong cell; NAN: unknown. */
struct judged {
    const struct table_facts *facts;
    struct colset set;
    double expected, bound;
};

struct reporting {
    const struct synopsis *s;
    size_t rows;
    struct judged *tables; /* the least accurate first */
    double total;          /* rows, from the measurements */
};

/* ----------------------------------------------------------------- numbers -- */

static double
error_of(const struct judged *t)
{
    return isnan(t->bound) ? t->expected : t->bound;
}

/* Tables of which nothing is known come first. */
static int
compare(const void *a, const void *b)
{
    const double x = error_of(a), y = error_of(b);

    if (isnan(x) || isnan(y))
        return isnan(y) - isnan(x);
    return (x < y) - (x > y);
}

/* The noisy total: the model's, or what the tables say. */
static double
total_of(const struct synopsis *s, custos_err *err, custos_status *st)
{
    const struct colset none = {{0, 0}};
    double total = 1, error;

    *st = CUSTOS_OK;
    if (s->model)
        return s->model->total;
    *st = estimate_measured(s, NULL, none, &total, &error, err);
    return fmax(1, total);
}

static custos_status
judge(struct reporting *r, const struct table_facts *facts, custos_err *err)
{
    const struct synopsis *s = r->s;
    custos_status st;

    r->total = total_of(s, err, &st);
    for (size_t i = 0; !st && i < s->n_workload; i++) {
        struct judged *t = &r->tables[i];
        double rows = INFINITY;

        *t = (struct judged){&facts[i], s->workload[i], .bound = NAN};
        t->expected = facts[i].mean_error * (double)facts[i].cells *
                      PRICE_MEAN_ABSOLUTE / (2 * r->total);
        t->expected = t->expected > 1 ? 1 : t->expected; /* keeps NAN */
        if (s->model)
            st = model_bound(s->model, s->released, t->set, s->n_workload,
                             &rows, err);
        if (isfinite(rows))
            t->bound = fmin(1, rows / (2 * r->total));
    }
    if (!st)
        qsort(r->tables, s->n_workload, sizeof *r->tables, compare);
    return st;
}

/* ------------------------------------------------------------------- words -- */

static void
add_columns(struct buf *out, const struct schema *s, struct colset set)
{
    const char *before = "";

    if (colset_is_empty(set))
        buf_add_text(out, "(the number of rows)");
    COLSET_EACH(c, set)
    {
        buf_add_text(out, before);
        page_text(out, s->columns[s->column[c]].name);
        before = ", ";
    }
}

static void
add_promise(struct buf *out, const struct reporting *r)
{
    const struct synopsis_facts *f = &r->s->facts;
    char number[NUMBER_BYTES];

    buf_add_text(out, "<h2>What it promises</h2>\n<table class=\"stack\">\n");
    if (!str_equal(f->epsilon, str_of("infinity"))) {
        buf_add_text(out, "<tr><th>Promise</th><td>(&epsilon;, &delta;)-"
                          "differential privacy with &epsilon; = ");
        page_text(out, f->epsilon);
        buf_add_text(out, ", &delta; = ");
        page_text(out, f->delta);
        buf_add_text(out, "</td></tr>\n");
    }
    page_fact(out, "Price (&rho; of zCDP)", f->rho);
    page_fact(out, "Protected", f->unit);
    snprintf(number, sizeof number, "%llu",
             (unsigned long long)f->rows_per_unit);
    page_fact(out, "Rows of each that count", str_of(number));
    page_fact(out, "Neighbours", f->adjacency);
    page_fact(out, "Method", f->method);
    snprintf(number, sizeof number, "%llu", (unsigned long long)f->receipt);
    page_fact(out, "Receipt", str_of(number));
    page_fact(out, "Its hash", f->receipt_hash);
    page_fact(out, "Theorems", f->theorems);
    page_fact(out, "custos", f->version);
    buf_add_text(out, "</table>\n");
}

/* A statement about the table, as one word for a shell: in single quotes, since the
   name stands in double ones. */
static void
add_statement(struct buf *out, const char *before, str table, const char *after)
{
    struct buf sql;

    buf_init(&sql, NULL, REPORT_BYTES);
    buf_add_text(&sql, before);
    print_name(table, &sql);
    buf_add_text(&sql, after);
    out->failed = out->failed || sql.failed;
    page_text(out, str_of("'"));
    for (const char *at = buf_text(&sql); *at; at++)
        page_text(out, *at == '\'' ? str_of("'\\''") : (str){at, 1});
    page_text(out, str_of("'"));
    buf_clear(&sql);
}

static void
add_use(struct buf *out, const struct reporting *r)
{
    buf_add_text(
        out,
        "<h2>How to use the files</h2>\n<table class=\"stack\">\n"
        "<tr><th><code>tables/</code></th><td>Each table that was asked for, "
        "as CSV and Parquet: values, estimate, standard error. "
        "<code>index.csv</code> lists them. Estimates keep the noise's sign, "
        "so "
        "small ones can be negative; add and subtract them as they are. They "
        "are unbiased where what was measured did not depend on earlier "
        "results, as with method tables; with aim and mst they are nearly so. "
        "An empty "
        "standard error means that the estimate comes from the model."
        "</td></tr>\n"
        "<tr><th><code>consistent/</code></th><td>If it was asked for: the "
        "same tables with no negative cell, whose sums agree with each other. "
        "They err less in small cells, but are too large there on average, "
        "and have no standard errors.</td></tr>\n"
        "<tr><th><code>synopsis.custos</code></th><td>Answers SQL with error "
        "bars, at no cost:<pre>custos synopsis query synopsis.custos ");
    add_statement(out, "SELECT count(*) FROM ", r->s->schema->table, "");
    buf_add_text(out, "</pre></td></tr>\n");
    if (r->rows == 0) {
        buf_add_text(out, "</table>\n");
        return;
    }
    buf_printf(
        out,
        "<tr><th><code>synthetic.parquet</code>, <code>.csv</code></th><td>%zu "
        "synthetic rows with the columns, types and NULLs of the original. "
        "They are for trying out programs and for exploring. For numbers that "
        "matter, use the tables or the synopsis: error bars computed from "
        "synthetic rows are too short.</td></tr>\n"
        "<tr><th><code>schema.sql</code></th><td>A table that the rows fit, "
        "for PostgreSQL and DuckDB:<pre>psql -f schema.sql -c ",
        r->rows);
    add_statement(out, "\\copy ", r->s->schema->table,
                  " FROM synthetic.csv CSV HEADER");
    buf_add_text(out, "</pre></td></tr>\n"
                      "</table>\n");
}

/* ------------------------------------------------------------------ tables -- */

static void
share_write(double x, char text[NUMBER_BYTES])
{
    if (isnan(x))
        snprintf(text, NUMBER_BYTES, "&ndash;");
    else
        snprintf(text, NUMBER_BYTES, "%.3g %%", 100 * x);
}

static void
add_table_row(struct buf *out, const struct reporting *r,
              const struct judged *t)
{
    char expected[NUMBER_BYTES], bound[NUMBER_BYTES];

    share_write(t->expected, expected);
    share_write(t->bound, bound);
    buf_add_text(out, "<tr><td>");
    add_columns(out, r->s->schema, t->set);
    buf_printf(out, "</td><td class=\"n\">%zu</td><td>%s</td>", t->facts->cells,
               t->facts->estimates);
    if (isnan(t->facts->largest_error))
        buf_add_text(out, "<td class=\"n\">&ndash;</td>");
    else
        buf_printf(out, "<td class=\"n\">%.3g</td>", t->facts->largest_error);
    page_bar(out, isnan(t->expected) ? 0 : t->expected, expected);
    buf_printf(out, "<td class=\"n\">%s</td></tr>\n", bound);
}

static void
add_tables(struct buf *out, const struct reporting *r)
{
    static const char head[] =
        "<div class=\"wide\"><table>\n<tr><th>Columns</th><th "
        "class=\"n\">Cells</th><th>Estimates</th><th class=\"n\">Largest "
        "standard error</th><th>Expected error</th><th class=\"n\">Model: at "
        "most</th></tr>\n";
    const size_t n = r->s->n_workload;

    buf_printf(
        out,
        "<h2>How accurate the tables are</h2>\n<p>The least accurate first. "
        "An error is the share of rows that would have to move to another "
        "cell to make the table exact, of about %.0f rows (from the "
        "measurements). The expected error is what noise does to the "
        "estimates; small cells suffer most. The last column bounds the error "
        "of the model, and so of the synthetic rows but for their sampling; "
        "all bounds hold together with 95&nbsp;%% confidence. A dash: nothing "
        "was measured that would say it.</p>\n",
        r->total);
    buf_add_text(out, head);
    for (size_t i = 0; i < n && i < SHOWN; i++)
        add_table_row(out, r, &r->tables[i]);
    buf_add_text(out, "</table></div>\n");
    if (n <= SHOWN)
        return;
    buf_printf(out, "<details><summary>The other %zu tables</summary>\n",
               n - SHOWN);
    buf_add_text(out, head);
    for (size_t i = SHOWN; i < n; i++)
        add_table_row(out, r, &r->tables[i]);
    buf_add_text(out, "</table></div></details>\n");
}

/* A measurement of any kind. */
struct measured {
    struct colset set;
    const char *kind;
    size_t cells;
    double variance;
    amount rho;
};

/* Measurement i: first those of ranges, as they were taken. */
static struct measured
measured_at(const struct released *r, size_t i)
{
    const struct released_table *t;

    if (i < r->n_ranges)
        return (struct measured){colset_of(r->ranges[i].column), "running sums",
                                 r->ranges[i].cells, r->ranges[i].variance,
                                 r->ranges[i].rho};
    t = &r->tables[i - r->n_ranges];
    return (struct measured){
        t->set, t->kind == RELEASED_RESIDUAL ? "residual" : "counts", t->cells,
        t->variance, t->rho};
}

static void
add_measured_row(struct buf *out, const struct reporting *r,
                 const struct measured *t, amount all)
{
    char text[NUMBER_BYTES];
    const double share = (double)t->rho / (double)all;

    buf_add_text(out, "<tr><td>");
    add_columns(out, r->s->schema, t->set);
    if (strcmp(t->kind, "counts") != 0)
        buf_printf(out, " (%s)", t->kind);
    buf_printf(out, "</td><td class=\"n\">%zu</td><td class=\"n\">%.4g</td>",
               t->cells, sqrt(t->variance));
    snprintf(text, sizeof text, "%.3g %%", 100 * share);
    page_bar(out, share, text);
    buf_add_text(out, "</tr>\n");
}

static void
add_measured(struct buf *out, const struct reporting *r)
{
    const struct released *m = r->s->released;
    const size_t n = m->n_ranges + m->n_tables;
    amount all = 0;

    for (size_t i = 0; i < n; i++)
        all = amount_add(all, measured_at(m, i).rho);
    buf_printf(
        out,
        "<h2>What was measured</h2>\n<p>%zu measurements, in this order. Each "
        "number "
        "got Gaussian noise of this standard deviation; the last column is "
        "each one's part of the measurements' price. What is left of the "
        "whole price paid for choosing what to measure.</p>\n"
        "<details%s><summary>All measurements</summary><div "
        "class=\"wide\"><table>\n<tr><th>Columns</th><th "
        "class=\"n\">Cells</th><th class=\"n\">Standard deviation</th><th>Part "
        "of the price</th></tr>\n",
        n, n <= SHOWN ? " open" : "");
    for (size_t i = 0; i < n; i++) {
        const struct measured x = measured_at(m, i);

        add_measured_row(out, r, &x, all);
    }
    buf_add_text(out, "</table></div></details>\n");
}

static void
add_schema(struct buf *out, const struct synopsis *s)
{
    const struct released_coding *now = released_now(s->released);

    buf_add_text(
        out, "<h2>Columns</h2>\n<p>Codes were fixed before the data was read, "
             "but those of columns with running sums, which were cut by these. "
             "A merged code stands for values that are rare in the noisy "
             "counts; it is shared out among them by these counts.</p>\n"
             "<div class=\"wide\"><table>\n<tr><th>Column</th><th>Type</th>"
             "<th>Codes</th><th class=\"n\">Number</th><th "
             "class=\"n\">After merging</th></tr>\n");
    for (size_t i = 0; i < s->schema->n; i++) {
        const struct schema_column *c = &s->schema->columns[i];

        buf_add_text(out, "<tr><td>");
        page_text(out, c->name);
        buf_printf(out, "</td><td>%s%s</td>", data_type_name(c->type),
                   c->nullable ? ", or NULL" : "");
        if (c->coding == SCHEMA_NUMBER)
            buf_add_text(out, "<td>not modelled: synthetic rows are numbered"
                              "</td><td></td><td></td></tr>\n");
        else
            buf_printf(out,
                       "<td>%s</td><td class=\"n\">%u</td><td "
                       "class=\"n\">%u</td></tr>\n",
                       column_is_single(c) ? "one for each value"
                                           : "one for each run of values",
                       schema_codes(c), now->domain.size[c->place]);
    }
    buf_add_text(out, "</table></div>\n");
}

static void
report_html(struct buf *out, const struct reporting *r)
{
    page_begin(out, "Differentially private release");
    buf_add_text(out, "<h1>Release of ");
    page_text(out, r->s->schema->table);
    buf_add_text(out,
                 "</h1>\n<p>These files come from noisy measurements of a "
                 "private table, made once. Whoever protected it paid for "
                 "them; using, sharing and combining the files costs nothing "
                 "more. This report was made from noise levels alone: it was "
                 "not compared with the data.</p>\n");
    add_use(out, r);
    add_tables(out, r);
    add_measured(out, r);
    add_schema(out, r->s);
    add_promise(out, r);
    page_end(out);
}

/* -------------------------------------------------------------------- JSON -- */

static void
add_number(struct json *j, const char *name, double x)
{
    char text[NUMBER_BYTES];

    snprintf(text, sizeof text, "%.6g", x);
    if (isfinite(x))
        json_add_number(j, name, str_of(text));
    else
        json_add_null(j, name);
}

static void
add_names(struct json *j, const struct schema *s, struct colset set)
{
    json_begin_list(j, "columns");
    COLSET_EACH(c, set)
    json_add_text(j, NULL, s->columns[s->column[c]].name);
    json_end(j);
}

static void
report_json(struct buf *out, const struct reporting *r)
{
    const struct synopsis *s = r->s;
    const struct synopsis_facts *f = &s->facts;
    struct json j;

    json_init(&j, out, JSON_LINES);
    json_begin(&j, NULL);
    json_add_text(&j, "table", s->schema->table);
    json_add_text(&j, "epsilon", f->epsilon);
    json_add_text(&j, "delta", f->delta);
    json_add_text(&j, "rho", f->rho);
    json_add_text(&j, "adjacency", f->adjacency);
    json_add_text(&j, "unit", f->unit);
    json_add_count(&j, "rows_per_unit", f->rows_per_unit);
    json_add_text(&j, "method", f->method);
    json_add_count(&j, "receipt", f->receipt);
    json_add_text(&j, "receipt_hash", f->receipt_hash);
    json_add_text(&j, "theorems", f->theorems);
    json_add_text(&j, "version", f->version);
    add_number(&j, "noisy_total", r->total);
    json_add_count(&j, "synthetic_rows", r->rows);
    json_begin_list(&j, "tables");
    for (size_t i = 0; i < s->n_workload; i++) {
        const struct judged *t = &r->tables[i];

        json_begin(&j, NULL);
        json_add_text(&j, "file", t->facts->name);
        add_names(&j, s->schema, t->set);
        json_add_count(&j, "cells", t->facts->cells);
        json_add_text(&j, "estimates", str_of(t->facts->estimates));
        add_number(&j, "largest_standard_error", t->facts->largest_error);
        add_number(&j, "expected_error", t->expected);
        add_number(&j, "model_error_at_most", t->bound);
        json_end(&j);
    }
    json_end(&j);
    json_begin_list(&j, "measurements");
    for (size_t i = 0; i < s->released->n_ranges + s->released->n_tables; i++) {
        const struct measured x = measured_at(s->released, i);

        json_begin(&j, NULL);
        add_names(&j, s->schema, x.set);
        json_add_text(&j, "kind", str_of(x.kind));
        json_add_count(&j, "cells", x.cells);
        add_number(&j, "standard_deviation", sqrt(x.variance));
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static custos_status
write_text(struct buf *text, const char *dir, const char *name, custos_err *err)
{
    custos_status st =
        text->failed
            ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
            : public_file_write(dir, name, str_of(buf_text(text)), err);

    buf_clear(text);
    return st;
}

custos_status
public_report_write(const struct synopsis *s, const struct table_facts *facts,
                    size_t rows, const char *dir, custos_err *err)
{
    struct reporting r = {s, rows, calloc(s->n_workload + 1, sizeof *r.tables),
                          .total = 0};
    custos_status st = r.tables
                           ? judge(&r, facts, err)
                           : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    struct buf text;

    buf_init(&text, NULL, REPORT_BYTES);
    if (!st) {
        report_html(&text, &r);
        st = write_text(&text, dir, "report.html", err);
    }
    buf_init(&text, NULL, REPORT_BYTES);
    if (!st) {
        report_json(&text, &r);
        st = write_text(&text, dir, "report.json", err);
    }
    free(r.tables);
    return st;
}
