/*
 * The report for programs: Audit in src/contract/contract.txt.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "audit/report.h"

/* As text, so that no reader loses digits; null if it is not finite. */
static void
add_double(struct json *j, const char *name, double x)
{
    char text[REPORT_NUMBER_MAX];

    snprintf(text, sizeof text, "%.17g", x);
    if (isfinite(x))
        json_add_text(j, name, str_of(text));
    else
        json_add_null(j, name);
}

static void
add_neighbour(struct json *j, const char *name, const struct neighbour *n,
              const struct data *data)
{
    struct buf text;
    size_t rows;

    buf_init(&text, NULL, 1 << 16);
    rows = report_neighbour(n, data, &text);
    json_begin(j, name);
    json_add_count(j, "rows", rows);
    json_add_text(j, "values", str_of(buf_text(&text)));
    json_end(j);
    buf_clear(&text);
}

static void
add_bars(struct json *j, const struct finding *f)
{
    json_begin_list(j, "bars");
    for (size_t i = 0; i < f->n_bars; i++) {
        const struct bar *b = &f->bars[i];

        json_begin(j, NULL);
        add_double(j, "least", b->least);
        add_double(j, "most", b->most);
        json_add_count(j, "a", b->a);
        json_add_count(j, "b", b->b);
        json_add_bool(j, "in_event", b->in_event);
        json_end(j);
    }
    json_end(j);
}

static void
add_evidence(struct json *j, const struct report *r)
{
    const struct finding *f = r->finding;

    json_begin(j, "pair");
    json_add_text(j, "name", str_of(f->pair.name));
    add_neighbour(j, "a", &r->a, &f->pair.a);
    add_neighbour(j, "b", &r->b, &f->pair.b);
    json_end(j);
    json_add_text(j, "event", str_of(f->event));
    json_add_text(j, "feature", str_of(f->feature));
    json_add_count(j, "hits", f->hits);
    json_add_count(j, "other_hits", f->other_hits);
    json_add_count(j, "samples", f->n);
    add_double(j, "p_low", f->p_low);
    add_double(j, "other_high", f->other_high);
}

void
report_json(const struct report *r, struct json *j)
{
    const struct finding *f = r->finding;
    char seed[24];

    json_add_text(j, "target", str_of(r->title));
    json_add_bool(j, "refuted", f->refuted);
    add_double(j, "epsilon", f->epsilon);
    add_double(j, "mu", f->mu);
    add_double(j, "rho", f->rho);
    json_begin(j, "claim");
    add_double(j, "epsilon", f->claim.epsilon);
    add_double(j, "delta", f->claim.delta);
    add_double(j, "mu", f->claim.mu);
    add_double(j, "rho", f->claim.rho);
    json_end(j);
    add_double(j, "level", f->level);
    add_evidence(j, r);
    json_add_count(j, "pairs", f->pairs);
    json_add_count(j, "finalists", f->finalists);
    json_add_count(j, "search", f->search);
    snprintf(seed, sizeof seed, "%" PRIu64, f->seed);
    json_add_text(j, "seed", str_of(seed));
    json_add_seconds(j, "seconds", (int64_t)(f->seconds * 1e6));
    add_bars(j, f);
    json_add_text(j, "again", str_of(r->again));
    json_add_text_or_null(j, "note", str_of(r->note));
    json_add_text(j, "limits", str_of(REPORT_LIMITS));
}
