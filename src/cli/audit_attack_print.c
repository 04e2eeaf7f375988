/*
 * The report of an attack: for people, as JSON, and as a picture.
 */
#include "cli/audit_attack_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/number.h"

enum { WIDTH = 76 };

/* --------------------------------------------------------------- numbers -- */

static void
write_value(const struct attack_row *row, double value, char text[32])
{
    if (row->is_share)
        snprintf(text, 32, "%.1f %%", 100 * value);
    else
        snprintf(text, 32, fabs(value) < 1 ? "%.3f" : "%.3g", value);
}

static void
write_interval(const struct attack_row *row, char text[64])
{
    text[0] = '\0';
    if (isnan(row->low))
        return;
    if (row->is_share)
        snprintf(text, 64, "%.1f to %.1f %%", 100 * row->low, 100 * row->high);
    else
        snprintf(text, 64, "%.3f to %.3f", row->low, row->high);
}

/* Rounded up: what is allowed must not look like less. */
static void
write_ceiling(const struct attack_row *row, char text[64])
{
    text[0] = '\0';
    if (isnan(row->ceiling))
        return;
    if (row->is_share)
        snprintf(text, 64, "%.1f %%", attack_percent_up(row->ceiling));
    else
        snprintf(text, 64, "%.3g", ceil(1000 * row->ceiling) / 1000);
}

/* --------------------------------------------------------------- picture -- */

static struct chart_axis
axis_of(const struct attack_axis *a)
{
    return (struct chart_axis){a->label, a->least, a->most, a->is_log};
}

void
attack_make_picture(const struct attack_report *r, struct attack_picture *p)
{
    *p = (struct attack_picture){
        .chart = {.title = r->title,
                  .subtitle = r->picture,
                  .x = axis_of(&r->x),
                  .y = axis_of(&r->y),
                  .n = r->n_curves},
    };
    for (size_t i = 0; i < r->n_curves; i++)
        p->chart.curves[i] = (struct chart_curve){
            r->curves[i].label, r->curves[i].x, r->curves[i].y, r->curves[i].n,
            r->curves[i].faint};
    if (r->n_curves)
        return;
    p->chart.bars = p->bars;
    for (size_t i = 0; i < r->n_rows; i++) {
        const struct attack_row *row = &r->rows[i];

        if (row->measure != r->rows[0].measure)
            break;
        p->bars[p->chart.n_bars++] = (struct chart_bar){
            row->who, 100 * row->value, 100 * row->low, 100 * row->high,
            row->server == SERVER_CUSTOS ? 0 : 1};
    }
}

/* ------------------------------------------------------------------ text -- */

static void
print_paragraph(struct out *o, const char *text)
{
    while (*text) {
        size_t len = strlen(text);

        if (len > WIDTH)
            for (len = WIDTH; len > 1 && text[len] != ' ';)
                len--;
        out_printf(o, "  %.*s\n", (int)len, text);
        for (text += len; *text == ' ';)
            text++;
    }
    out_text(o, "\n");
}

static void
print_rows(struct painter *p, const struct attack_report *r)
{
    const char *measure = NULL;

    for (size_t i = 0; i < r->n_rows; i++) {
        const struct attack_row *row = &r->rows[i];
        char value[32], interval[64], ceiling[64];

        if (row->measure != measure) {
            paint(p, PAINT_BOLD);
            out_printf(p->o, "%s  %-43s %8s  %-16s %s\n", measure ? "\n" : "",
                       row->measure, "", isnan(row->low) ? "" : "95 % interval",
                       "allowed");
            paint(p, PAINT_PLAIN);
        }
        measure = row->measure;
        write_value(row, row->value, value);
        write_interval(row, interval);
        write_ceiling(row, ceiling);
        out_printf(p->o, "  %-43s %8s", row->who, value);
        if (*ceiling)
            out_printf(p->o, "  %-16s %s\n", interval, ceiling);
        else
            out_printf(p->o, "%s%s\n", *interval ? "  " : "", interval);
    }
    out_text(p->o, "\n");
}

void
attack_print_text(struct out *o, const struct attack *attack,
                  const struct attack_report *r)
{
    struct painter painter;
    struct attack_picture picture;

    painter_init(&painter, o);
    paint(&painter, PAINT_BOLD);
    out_printf(o, "%s (%s)\n\n", r->title, attack->name);
    paint(&painter, PAINT_PLAIN);
    print_paragraph(o, r->knows);
    print_rows(&painter, r);
    attack_make_picture(r, &picture);
    plot_print_all(&painter, &picture.chart);
    out_text(o, "\n");
    print_paragraph(o, r->means);
}

/* ------------------------------------------------------------------ JSON -- */

static void
add_number(struct json *j, const char *name, double x)
{
    char text[NUMBER_MAX];

    if (isnan(x)) {
        json_add_null(j, name);
        return;
    }
    number_write(x, text);
    json_add_text(j, name, str_of(text));
}

static void
add_rows(struct json *j, const struct attack_report *r)
{
    static const char *const servers[] = {"naive", "weak", "custos"};

    json_begin_list(j, "rows");
    for (size_t i = 0; i < r->n_rows; i++) {
        const struct attack_row *row = &r->rows[i];

        json_begin(j, NULL);
        json_add_text(j, "measure", str_of(row->measure));
        json_add_text(j, "who", str_of(row->who));
        json_add_text(j, "server", str_of(servers[row->server]));
        add_number(j, "value", row->value);
        add_number(j, "low", row->low);
        add_number(j, "high", row->high);
        add_number(j, "allowed", row->ceiling);
        if (row->is_share) {
            json_add_count(j, "hits", row->hits);
            json_add_count(j, "of", row->n);
        }
        json_end(j);
    }
    json_end(j);
}

static void
add_curves(struct json *j, const struct attack_report *r)
{
    json_begin_list(j, "curves");
    for (size_t i = 0; i < r->n_curves; i++) {
        const struct attack_curve *c = &r->curves[i];

        json_begin(j, NULL);
        json_add_text(j, "label", str_of(c->label));
        json_begin_list(j, "x");
        for (size_t k = 0; k < c->n; k++)
            add_number(j, NULL, c->x[k]);
        json_end(j);
        json_begin_list(j, "y");
        for (size_t k = 0; k < c->n; k++)
            add_number(j, NULL, c->y[k]);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

void
attack_print_json(struct json *j, const struct attack *attack,
                  const struct attack_report *r)
{
    json_begin(j, NULL);
    json_add_text(j, "name", str_of(attack->name));
    json_add_text(j, "summary", str_of(attack->summary));
    json_add_text(j, "title", str_of(r->title));
    json_add_text(j, "attacker", str_of(r->knows));
    add_rows(j, r);
    json_add_text(j, "meaning", str_of(r->means));
    add_curves(j, r);
    json_end(j);
}
