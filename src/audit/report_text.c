/*
 * The report on a terminal.
 */
#include <stdio.h>
#include <string.h>

#include "audit/report.h"

enum { LABEL = 12, WIDTH = 78 };

/* A label and a text, broken at blanks. */
static void
add_wrapped(struct buf *out, const char *label, const char *text)
{
    const size_t room = WIDTH - LABEL - 2;

    do {
        size_t len = strlen(text), at = len;

        if (len > room) {
            for (at = room; at > 0 && text[at] != ' ';)
                at--;
            if (at == 0)
                at = strcspn(text, " "); /* a long word has its own line */
        }
        buf_printf(out, "  %-*s%.*s\n", LABEL, label, (int)at, text);
        label = "";
        text += at + strspn(text + at, " ");
    } while (*text);
}

static void
add_counts(const struct finding *f, struct buf *out)
{
    char hits[REPORT_NUMBER_MAX], other[REPORT_NUMBER_MAX],
        n[REPORT_NUMBER_MAX], low[REPORT_NUMBER_MAX], high[REPORT_NUMBER_MAX],
        text[256];

    report_count(f->hits, hits);
    report_count(f->other_hits, other);
    report_count(f->n, n);
    snprintf(text, sizeof text,
             "%s times on A, %s times on B, in %s outputs of each", hits, other,
             n);
    add_wrapped(out, "Counted", text);
    report_down(f->p_low, low);
    report_up(f->other_high, high);
    snprintf(text, sizeof text,
             "at least %s on A, at most %s on B (Clopper-Pearson)", low, high);
    add_wrapped(out, "Probability", text);
}

static void
add_buf(struct buf *out, const char *label, struct buf *text)
{
    if (text->len)
        add_wrapped(out, label, buf_text(text));
    buf_clear(text);
}

static void
add_neighbour(struct buf *out, const char *label, const struct neighbour *n,
              const struct data *data)
{
    struct buf text;

    buf_init(&text, NULL, 1 << 16);
    (void)report_neighbour(n, data, &text);
    add_buf(out, label, &text);
}

static void
add_evidence(const struct report *r, struct buf *out)
{
    const struct finding *f = r->finding;
    struct buf text;

    add_wrapped(out, "Neighbours", f->pair.name);
    add_neighbour(out, "  A", &r->a, &f->pair.a);
    add_neighbour(out, "  B", &r->b, &f->pair.b);
    add_wrapped(out, "Event", f->event);
    add_counts(f, out);
    buf_init(&text, NULL, 1 << 12);
    report_reason(f, &text);
    add_buf(out, "Therefore", &text);
}

void
report_text(const struct report *r, struct buf *out)
{
    const struct finding *f = r->finding;
    struct buf text;

    buf_init(&text, NULL, 1 << 12);
    buf_printf(out, "%s\n\n", f->refuted ? "REFUTED" : "NOT REFUTED");
    report_verdict(f, &text);
    add_buf(out, "Result", &text);
    add_wrapped(out, "Audited", r->title);
    buf_init(&text, NULL, 1 << 12);
    report_claim(&f->claim, &text);
    add_buf(out, "Claimed", &text);
    buf_add_text(out, "\n");
    if (f->n_bars) {
        add_evidence(r, out);
        buf_add_text(out, "\n");
    }
    buf_init(&text, NULL, 1 << 12);
    buf_printf(&text,
               "%zu pair%s of neighbours; %zu event%s certified on fresh "
               "outputs; %.1f s",
               f->pairs, f->pairs == 1 ? "" : "s", f->finalists,
               f->finalists == 1 ? "" : "s", f->seconds);
    add_buf(out, "Tried", &text);
    if (r->note)
        add_wrapped(out, "Note", r->note);
    buf_printf(out, "  %-*s%s\n\n", LABEL, "Run again", r->again);
    add_wrapped(out, "", REPORT_LIMITS);
}
