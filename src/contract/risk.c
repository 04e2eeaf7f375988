/* What a promise means for one person. */
#include "contract/contract.h"

static void
add_sentence(void *ctx, const char *under, const char *sentence)
{
    (void)under;
    json_add_text(ctx, NULL, str_of(sentence));
}

void
contract_risk(struct json *j, const struct risk_told *t)
{
    const custos_risk_facts *f = &t->facts;

    json_add_text(j, "epsilon", str_of(t->epsilon));
    json_add_text(j, "delta", str_of(t->delta));
    json_add_text(j, "success", str_of(f->guess));
    json_add_text(j, "posterior", str_of(f->posterior_most));
    json_add_text(j, "missed", str_of(t->missed));
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
