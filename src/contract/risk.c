/* What a promise means for one person. */
#include "contract/contract.h"

static void
add_sentence(void *ctx, const char *under, const char *sentence)
{
    (void)under;
    json_add_text(ctx, NULL, str_of(sentence));
}

/* Bounds that depend on how many people are in the data. */
static void
add_people(struct json *j, const custos_risk_facts *f)
{
    json_add_text_or_null(j, "exposed", str_of(f->exposed));
    if (f->exposed[0])
        json_add_bool(j, "delta_too_large", f->delta_too_large);
    else
        json_add_null(j, "delta_too_large");
}

void
contract_risk(struct json *j, const struct risk_told *t)
{
    const custos_risk_facts *f = &t->facts;

    json_add_text(j, "epsilon", str_of(t->epsilon));
    json_add_text(j, "delta", str_of(t->delta));
    json_add_text(j, "success", str_of(f->guess));
    json_add_text(j, "advantage", str_of(f->advantage));
    json_add_text(j, "posterior", str_of(f->posterior_most));
    json_add_text(j, "posterior_least", str_of(f->posterior_least));
    json_add_text(j, "posterior_shift", str_of(f->posterior_shift));
    json_add_text(j, "utility_factor", str_of(f->utility_factor));
    json_add_text(j, "missed", str_of(t->missed));
    add_people(j, f);
    json_begin_list(j, "sentences");
    risk_sentences(t, add_sentence, j);
    json_end(j);
    json_begin_list(j, "corners");
    for (size_t i = 0; i < t->n_corners; i++) {
        json_begin(j, NULL);
        json_add_text(j, "fpr", str_of(t->corners[i].fpr));
        json_add_text(j, "fnr", str_of(t->corners[i].fnr));
        json_end(j);
    }
    json_end(j);
}
