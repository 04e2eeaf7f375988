/*
 * The report as one HTML file: no script, nothing loaded from elsewhere.
 */
#include <stdio.h>

#include "audit/data_pairs.h"
#include "audit/report.h"

enum { SET_MAX = 2000 };

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>custos audit</title>\n<style>\n"
    ":root{--page:#fff;--ink:#1f2937;--dim:#6b7280;--line:#e5e7eb;"
    "--bad:#b91c1c;--badbg:#fef2f2;--good:#047857;--goodbg:#ecfdf5;"
    "--code:#f3f4f6}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#111827;--ink:#e5e7eb;"
    "--dim:#9ca3af;--line:#374151;--bad:#fca5a5;--badbg:#3b1418;"
    "--good:#6ee7b7;--goodbg:#06281f;--code:#1f2937}}\n"
    "body{margin:0;background:var(--page);color:var(--ink);"
    "font:16px/1.55 Helvetica,Arial,sans-serif}\n"
    "main{max-width:800px;margin:0 auto;padding:32px 20px}\n"
    "h1{font-size:22px;margin:0 0 4px;overflow-wrap:anywhere}"
    "h2{font-size:17px;margin:32px 0 8px}"
    ".dim{color:var(--dim)}p{margin:8px 0}\n"
    ".verdict{border-left:5px solid;padding:12px 16px;margin:20px 0;"
    "font-size:18px;border-radius:4px}"
    ".verdict b{display:block;font-size:13px;letter-spacing:.06em}\n"
    ".bad{border-color:var(--bad);background:var(--badbg)}"
    ".bad b{color:var(--bad)}"
    ".good{border-color:var(--good);background:var(--goodbg)}"
    ".good b{color:var(--good)}\n"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;vertical-align:top;padding:7px 12px 7px 0;"
    "border-bottom:1px solid var(--line);overflow-wrap:anywhere}"
    "th{font-weight:600;overflow-wrap:normal}th:first-child{white-space:nowrap}"
    "td.n{font-variant-numeric:tabular-nums}\n"
    "pre{background:var(--code);padding:12px;border-radius:4px;"
    "white-space:pre-wrap;overflow-wrap:anywhere;font-size:14px}\n"
    "svg{max-width:100%;height:auto}\n"
    "</style>\n</head>\n<body>\n<main>\n";

static void
add_row(struct buf *out, const char *label, const char *text)
{
    buf_printf(out, "<tr><th>%s</th><td>", label);
    report_escape(text, out);
    buf_add_text(out, "</td></tr>\n");
}

static void
add_neighbour(struct buf *out, const char *label, const struct neighbour *n,
              const struct data *data)
{
    struct buf text, all;
    size_t rows;

    buf_init(&text, NULL, 1 << 16);
    buf_init(&all, NULL, 1 << 16);
    rows = report_neighbour(n, data, &text);
    if (!n->words)
        buf_printf(&all, "%zu row%s: ", rows, rows == 1 ? "" : "s");
    buf_add_text(&all, buf_text(&text));
    add_row(out, label, buf_text(&all));
    buf_clear(&text);
    buf_clear(&all);
}

static void
add_verdict(const struct report *r, struct buf *out)
{
    const struct finding *f = r->finding;
    struct buf text;

    buf_init(&text, NULL, 1 << 12);
    buf_add_text(out, "<h1>Audit of ");
    report_escape(r->title, out);
    buf_add_text(out, "</h1>\n<p class=\"dim\">Claimed: ");
    report_claim(&f->claim, &text);
    report_escape(buf_text(&text), out);
    buf_printf(out, "</p>\n<div class=\"verdict %s\"><b>%s</b>",
               f->refuted ? "bad" : "good",
               f->refuted ? "REFUTED" : "NOT REFUTED");
    text.len = 0;
    report_verdict(f, &text);
    report_escape(buf_text(&text), out);
    buf_add_text(out, "</div>\n");
    buf_clear(&text);
}

static void
add_arm(struct buf *out, const char *name, uint64_t hits, uint64_t n,
        const char *side, const char *bound)
{
    char a[REPORT_NUMBER_MAX], b[REPORT_NUMBER_MAX];

    report_count(hits, a);
    report_count(n, b);
    buf_printf(out,
               "<tr><th>%s</th><td class=\"n\">%s of %s</td>"
               "<td class=\"n\">%s %s</td></tr>\n",
               name, a, b, side, bound);
}

static void
add_counts(const struct finding *f, struct buf *out)
{
    char low[REPORT_NUMBER_MAX], high[REPORT_NUMBER_MAX];
    struct buf reason;

    report_down(f->p_low, low);
    report_up(f->other_high, high);
    buf_add_text(out, "<h2>Counts</h2>\n<table><tr><th></th><th>the event "
                      "occurred in</th><th>so its probability is "
                      "(Clopper&#8211;Pearson)</th></tr>\n");
    add_arm(out, "A", f->hits, f->n, "at least", low);
    add_arm(out, "B", f->other_hits, f->n, "at most", high);
    buf_add_text(out, "</table>\n");
    buf_init(&reason, NULL, 1 << 12);
    report_reason(f, &reason);
    if (reason.len) {
        buf_add_text(out, "<p>Therefore ");
        report_escape(buf_text(&reason), out);
        buf_add_text(out, ".</p>\n");
    }
    buf_clear(&reason);
}

static void
add_witness(const struct report *r, struct buf *out)
{
    const struct finding *f = r->finding;

    buf_add_text(out, "<h2>The witness</h2>\n<table>\n");
    add_row(out, "Neighbours", f->pair.name);
    add_neighbour(out, "A", &r->a, &f->pair.a);
    add_neighbour(out, "B", &r->b, &f->pair.b);
    add_row(out, "Event", f->event);
    buf_add_text(out, "</table>\n<p>");
    report_svg(r, out);
    buf_add_text(out, "</p>\n");
    add_counts(f, out);
}

void
report_html(const struct report *r, struct buf *out)
{
    const struct finding *f = r->finding;
    char confidence[REPORT_NUMBER_MAX];

    report_confidence(f->level, confidence);
    buf_add_text(out, head);
    add_verdict(r, out);
    if (f->n_bars)
        add_witness(r, out);
    buf_printf(out,
               "<h2>How sure this is</h2>\n<p>A search tried %zu pair%s of "
               "neighbours and chose %zu event%s. Fresh outputs, drawn "
               "afterwards, then counted; the bounds hold for all of these "
               "events together with %s confidence.</p>\n",
               f->pairs, f->pairs == 1 ? "" : "s", f->finalists,
               f->finalists == 1 ? "" : "s", confidence);
    buf_printf(out, "<p><b>%s</b></p>\n", REPORT_LIMITS);
    if (r->note) {
        buf_add_text(out, "<p>");
        report_escape(r->note, out);
        buf_add_text(out, "</p>\n");
    }
    buf_add_text(out, "<h2>Run it again</h2>\n<pre>");
    report_escape(r->again, out);
    buf_printf(out,
               "</pre>\n<p class=\"dim\">custos %s; the audit took %.1f "
               "s.</p>\n</main>\n</body>\n</html>\n",
               custos_version(), f->seconds);
}
