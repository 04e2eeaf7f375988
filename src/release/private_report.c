#include "release/private_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "store/file.h"
#include "store/store.h"
#include "synopsis/page.h"
#include "synopsis/value.h"

enum {
    REPORT_BYTES = 1 << 28,
    BARS = 40,
    LABEL_LETTERS = 14,
    WORST = 20,
    PLOT_WIDTH = 320,
    PLOT_HEIGHT = 120,
    HEAT_NAME = 110,
    HEAT_TOP = 18,
    HEAT_COLUMNS = 60, /* a larger map could not be read */
};

struct reporting {
    const struct schema *s;
    struct judge_rows rows[2]; /* the true and the synthetic ones */
    struct judgement found;
};

/* ------------------------------------------------------------------- words -- */

static str
name_of(const struct reporting *r, size_t column)
{
    return r->s->columns[r->s->column[column]].name;
}

/* A text cut to `most` bytes, not within a character. */
static void
add_short(struct buf *out, str text, size_t most)
{
    const bool cut = text.len > most;

    if (cut)
        for (text.len = most;
             text.len > 0 && (text.ptr[text.len] & 0xc0) == 0x80;)
            text.len--;
    page_text(out, text);
    buf_add_text(out, cut ? "&hellip;" : "");
}

static void
add_value(struct buf *out, const struct schema_column *c, uint32_t code,
          enum code_end end)
{
    const struct datum d = code_value(c, code, end);
    struct buf text;

    buf_init(&text, NULL, 1 << 20);
    datum_write(&d, &text);
    if (d.type == TYPE_NULL)
        buf_add_text(out, "NULL");
    else
        add_short(out, str_of(buf_text(&text)), LABEL_LETTERS);
    buf_clear(&text);
}

static void
add_set(struct buf *out, const struct reporting *r, struct colset set)
{
    const char *before = "";

    COLSET_EACH(c, set)
    {
        buf_add_text(out, before);
        page_text(out, name_of(r, c));
        before = ", ";
    }
}

/* ----------------------------------------------------------------- numbers -- */

static void
add_big(struct buf *out, const char *label, const char *text)
{
    buf_printf(out, "<div><span class=\"soft\">%s</span><b>%s</b></div>\n",
               label, text);
}

static void
like_write(double percent, char text[32])
{
    if (percent < 1)
        snprintf(text, 32, "below 1&nbsp;%%");
    else
        snprintf(text, 32, "%.0f&nbsp;%%", percent);
}

static void
add_numbers(struct buf *out, const struct reporting *r)
{
    const struct judgement *f = &r->found;
    char text[32];

    buf_add_text(out, "<div class=\"big\">\n");
    snprintf(text, sizeof text, "%.0f", f->score_pairs);
    add_big(out, "Score of pairs, of 1000", text);
    if (f->n_triples > 0) {
        snprintf(text, sizeof text, "%.0f", f->score_triples);
        add_big(out, "Score of triples, of 1000", text);
    }
    like_write(f->like_percent, text);
    add_big(out, "Like a random sample of", text);
    snprintf(text, sizeof text, "%.2f", f->told_apart);
    add_big(out, "Told apart (0.5 to 1)", text);
    snprintf(text, sizeof text, "%.1f&nbsp;%%", 100 * f->unique_matches);
    add_big(out, "Unique rows matched", text);
    buf_add_text(out, "</div>\n");
}

static void
add_meaning(struct buf *out, const struct reporting *r)
{
    const struct judgement *f = &r->found;

    buf_printf(
        out,
        "<h2>What the numbers mean</h2>\n<table class=\"stack\">\n"
        "<tr><th>Rows</th><td>%zu true, %zu synthetic</td></tr>\n"
        "<tr><th>Score</th><td>500 &times; (2 &minus; L1), mean over %zu pairs "
        "and %zu triples of columns; ordered columns in 20 groups of equal "
        "size (SDNist's k-marginal score)</td></tr>\n"
        "<tr><th>Like a sample</th><td>A random sample of so many percent of "
        "the true rows has the same score of pairs</td></tr>\n",
        f->n_true, f->n_synthetic, f->n_pairs, f->n_triples);
    buf_printf(
        out,
        "<tr><th>Told apart</th><td>A logistic regression on columns and pairs "
        "of columns, tested on rows that it has not learnt from: 0.5 is "
        "guessing, 1 is always right. Its propensity error, mean (p &minus; "
        "&frac12;)&sup2;, is %.4f</td></tr>\n"
        "<tr><th>Equal rows</th><td>%.1f&nbsp;%% of the synthetic rows equal a "
        "true row in all columns; %.1f&nbsp;%% of the true rows that are the "
        "only ones of their kind have a synthetic equal. Values of one run "
        "count as equal</td></tr>\n",
        f->propensity, 100 * f->matches, 100 * f->unique_matches);
    if (f->has_target) {
        const struct schema_column *c = &r->s->columns[r->s->column[f->target]];

        buf_add_text(out, "<tr><th>Learning</th><td>Predict ");
        page_text(out, c->name);
        if (f->target_code < schema_codes(c) && !(c->ordered && c->n > 20)) {
            buf_add_text(out, " = ");
            add_value(out, c, f->target_code, CODE_FIRST);
        }
        buf_printf(out,
                   " on true rows: %.3f learnt from synthetic rows, %.3f from "
                   "true ones (area under the curve)</td></tr>\n",
                   f->learnt_from_synthetic, f->learnt_from_true);
    }
    buf_add_text(out, "</table>\n");
}

/* ------------------------------------------------------------------- plots -- */

/* The share of rows in each of n bars, neighbouring codes in one. */
static void
bar_shares(const struct judge_rows *rows, size_t column, uint32_t codes,
           size_t n, double *share)
{
    memset(share, 0, n * sizeof *share);
    for (size_t i = 0; i < rows->n; i++)
        share[(size_t)rows->codes[column][i] * n / codes] +=
            1 / (double)rows->n;
}

static void
add_bar(struct buf *out, const char *kind, double x, double width,
        double height)
{
    buf_printf(out,
               "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
               "height=\"%.1f\"/>",
               kind, x, PLOT_HEIGHT - 20 - height, width, height);
}

static void
add_plot(struct buf *out, const struct reporting *r,
         const struct judged_set *of)
{
    const size_t column = colset_next(of->set, 0);
    const struct schema_column *c = &r->s->columns[r->s->column[column]];
    const uint32_t codes = schema_codes(c);
    const size_t n = codes < BARS ? codes : BARS;
    const double step = (double)PLOT_WIDTH / (double)n;
    double share[2][BARS], most = 0;

    for (int side = 0; side < 2; side++) {
        bar_shares(&r->rows[side], column, codes, n, share[side]);
        for (size_t i = 0; i < n; i++)
            most = fmax(most, share[side][i]);
    }
    buf_add_text(out, "<figure><figcaption>");
    page_text(out, c->name);
    buf_printf(out,
               " <span class=\"soft\">%.1f&nbsp;%% misplaced</span>"
               "</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\">",
               50 * of->l1, PLOT_WIDTH, PLOT_HEIGHT);
    for (size_t i = 0; i < n; i++) {
        add_bar(out, "real", step * (double)i + step * 0.08, step * 0.42,
                (PLOT_HEIGHT - 28) * share[0][i] / most);
        add_bar(out, "made", step * (double)i + step * 0.5, step * 0.42,
                (PLOT_HEIGHT - 28) * share[1][i] / most);
    }
    buf_printf(out,
               "<path class=\"axis\" d=\"M0 %dH%d\"/><text x=\"0\" "
               "y=\"%d\">",
               PLOT_HEIGHT - 20, PLOT_WIDTH, PLOT_HEIGHT - 6);
    add_value(out, c, 0, CODE_FIRST);
    buf_printf(out, "</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">",
               PLOT_WIDTH, PLOT_HEIGHT - 6);
    add_value(out, c, codes - 1, CODE_LAST);
    buf_add_text(out, "</text></svg></figure>\n");
}

static void
add_plots(struct buf *out, const struct reporting *r)
{
    buf_add_text(out, "<h2>Columns, the worst first</h2>\n<p><span "
                      "class=\"key real\"></span>true rows<span class=\"key "
                      "made\"></span>synthetic rows</p>\n<div "
                      "class=\"plots\">\n");
    for (size_t i = 0; i < r->found.n_columns; i++)
        add_plot(out, r, &r->found.columns[i]);
    buf_add_text(out, "</div>\n");
}

static void
add_heat(struct buf *out, const struct reporting *r, size_t size, double most,
         const struct judged_set *pair)
{
    const size_t a = colset_next(pair->set, 0);
    const size_t b = colset_next(pair->set, a + 1);

    if (b >= HEAT_COLUMNS)
        return;
    buf_printf(out,
               "<rect class=\"cell\" x=\"%zu\" y=\"%zu\" width=\"%zu\" "
               "height=\"%zu\" fill-opacity=\"%.3f\"><title>",
               HEAT_NAME + a * size, HEAT_TOP + (b - 1) * size, size - 1,
               size - 1, 0.05 + 0.95 * pair->l1 / most);
    add_set(out, r, pair->set);
    buf_printf(out, ": %.1f %%</title></rect>\n", 50 * pair->l1);
}

/* A cell for each pair: the stronger the colour, the further apart. */
static void
add_map(struct buf *out, const struct reporting *r)
{
    const struct judgement *f = &r->found;
    const size_t d = f->n_columns < HEAT_COLUMNS ? f->n_columns : HEAT_COLUMNS;
    const size_t size = d > 30 ? 12 : d > 12 ? 20 : 30;
    const size_t width = 2 * (size_t)HEAT_NAME + d * size;
    const double most = f->n_pairs > 0 ? fmax(f->pairs[0].l1, 1e-9) : 1;

    if (d < 3 || f->n_pairs == 0)
        return;
    buf_printf(out,
               "<h2>Pairs of columns</h2>\n<p>Each cell is a pair; the "
               "strongest colour is %.1f&nbsp;%% of rows misplaced.%s</p>\n"
               "<div class=\"wide\"><svg style=\"width:%zupx\" viewBox=\"0 0 "
               "%zu %zu\" role=\"img\">\n",
               50 * most,
               f->n_columns > d ? " Only the first columns are drawn." : "",
               width, width, HEAT_TOP + (d - 1) * size);
    for (size_t i = 0; i < f->n_pairs; i++)
        add_heat(out, r, size, most, &f->pairs[i]);
    for (size_t c = 0; c < d; c++) {
        if (c > 0) {
            buf_printf(out, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">",
                       HEAT_NAME - 6, HEAT_TOP + (c - 1) * size + size / 2 + 4);
            add_short(out, name_of(r, c), LABEL_LETTERS);
            buf_add_text(out, "</text>");
        }
        if (c + 1 < d) {
            buf_printf(out, "<text x=\"%zu\" y=\"%zu\">",
                       HEAT_NAME + c * size + 4, HEAT_TOP + c * size - 5);
            add_short(out, name_of(r, c), LABEL_LETTERS);
            buf_add_text(out, "</text>\n");
        }
    }
    buf_add_text(out, "</svg></div>\n");
}

static void
add_pairs(struct buf *out, const struct reporting *r)
{
    const struct judgement *f = &r->found;
    char text[32];

    if (f->n_pairs == 0)
        return;
    buf_add_text(out, "<h2>Pairs, the worst first</h2>\n<table>\n<tr>"
                      "<th>Columns</th><th>Misplaced rows</th></tr>\n");
    for (size_t i = 0; i < f->n_pairs && i < WORST; i++) {
        buf_add_text(out, "<tr><td>");
        add_set(out, r, f->pairs[i].set);
        buf_add_text(out, "</td>");
        snprintf(text, sizeof text, "%.1f %%", 50 * f->pairs[i].l1);
        page_bar(out, f->pairs[i].l1 / 2, text);
        buf_add_text(out, "</tr>\n");
    }
    buf_add_text(out, "</table>\n");
}

static void
report_html(struct buf *out, const struct reporting *r)
{
    page_begin(out, "NOT PRIVATE: a release and the true data");
    buf_add_text(out,
                 "<p class=\"warn\"><b>NOT PRIVATE</b>This page was computed "
                 "from the true rows, without noise. Do not publish or share "
                 "it: it is for the owner of the data alone.</p>\n"
                 "<h1>How near the synthetic rows of ");
    page_text(out, r->s->table);
    buf_add_text(out, " come</h1>\n");
    add_numbers(out, r);
    add_plots(out, r);
    add_map(out, r);
    add_pairs(out, r);
    add_meaning(out, r);
    page_end(out);
}

/* -------------------------------------------------------------------- JSON -- */

static void
add_number(struct json *j, const char *name, double x)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", x);
    json_add_number(j, name, str_of(text));
}

static void
add_sets(struct json *j, const struct reporting *r, const char *name,
         const struct judged_set *sets, size_t n)
{
    json_begin_list(j, name);
    for (size_t i = 0; i < n; i++) {
        json_begin(j, NULL);
        json_begin_list(j, "columns");
        COLSET_EACH(c, sets[i].set)
        json_add_text(j, NULL, name_of(r, c));
        json_end(j);
        add_number(j, "l1", sets[i].l1);
        json_end(j);
    }
    json_end(j);
}

static void
report_json(struct buf *out, const struct reporting *r)
{
    const struct judgement *f = &r->found;
    struct json j;

    json_init(&j, out, JSON_LINES);
    json_begin(&j, NULL);
    json_add_text(&j, "warning",
                  str_of("NOT PRIVATE: computed from the true rows"));
    json_add_text(&j, "table", r->s->table);
    json_add_count(&j, "true_rows", f->n_true);
    json_add_count(&j, "synthetic_rows", f->n_synthetic);
    add_number(&j, "score_pairs", f->score_pairs);
    if (f->n_triples > 0)
        add_number(&j, "score_triples", f->score_triples);
    add_number(&j, "like_percent", f->like_percent);
    add_number(&j, "propensity", f->propensity);
    add_number(&j, "told_apart", f->told_apart);
    add_number(&j, "matches", f->matches);
    add_number(&j, "unique_matches", f->unique_matches);
    if (f->has_target) {
        json_add_text(&j, "target", name_of(r, f->target));
        add_number(&j, "learnt_from_true", f->learnt_from_true);
        add_number(&j, "learnt_from_synthetic", f->learnt_from_synthetic);
    }
    add_sets(&j, r, "columns", f->columns, f->n_columns);
    add_sets(&j, r, "pairs", f->pairs, f->n_pairs);
    json_end(&j);
}

/* -------------------------------------------------------------------- files -- */

static custos_status
write_text(struct buf *text, const char *folder, const char *name,
           custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >=
        sizeof path)
        st = custos_fail(err, CUSTOS_EINVAL, "the path %.100s is too long",
                         folder);
    else if (text->failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else
        st = file_write(path, str_of(buf_text(text)), err);
    buf_clear(text);
    return st;
}

static custos_status
write_both(const struct reporting *r, const char *folder, custos_err *err)
{
    struct buf text;
    custos_status st;

    buf_init(&text, NULL, REPORT_BYTES);
    report_html(&text, r);
    st = write_text(&text, folder, "private-report.html", err);
    if (st)
        return st;
    buf_init(&text, NULL, REPORT_BYTES);
    report_json(&text, r);
    return write_text(&text, folder, "private-report.json", err);
}

custos_status
private_report_write(const struct schema *s, const uint16_t *const *codes,
                     size_t n, const struct synthetic_rows *synthetic,
                     size_t target, const char *folder,
                     void (*progress)(void *ctx, unsigned done), void *ctx,
                     custos_err *err)
{
    const size_t bytes = 2 * s->domain.n * (n + synthetic->n) + 8 * n;
    arena *a = arena_new(NULL, 2 * bytes + ((size_t)1 << 28));
    const uint16_t **columns =
        a ? arena_take(a, s->domain.n, sizeof *columns) : NULL;
    struct reporting r = {.s = s,
                          .rows = {{n, codes}, {synthetic->n, columns}}};
    custos_status st = CUSTOS_OK;

    if (!columns)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t c = 0; !st && c < s->domain.n; c++)
        columns[c] = synthetic->codes + c * synthetic->n;
    if (!st)
        st = judge(s, &r.rows[0], &r.rows[1], target, a, progress, ctx,
                   &r.found, err);
    if (!st)
        st = write_both(&r, folder, err);
    arena_free(a);
    return st;
}
