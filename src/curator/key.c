#include "curator/key.h"

#include "base/error.h"
#include "curator/shared_state.h"

enum { TEXT_MAX = 1 << 20 };

/* Hashes the length before the content, so that two different lists of texts
   never give the same bytes. */
static void
hash_text(struct sha256 *h, str text)
{
    uint64_t len = text.len;

    sha256_add(h, &len, sizeof len);
    sha256_add(h, text.ptr, text.len);
}

/* Which outputs are one array: their canonical text does not say. Nothing for
   other queries, so that stored keys stay valid. */
static void
add_arrays(const struct query *q, struct buf *text)
{
    for (size_t i = 0; i < q->n_targets; i++) {
        const struct array_place *array = &q->targets[i].array;

        if (array->n == 0)
            continue;
        buf_printf(text, "array %zu %zu %zu ", i, array->at, array->n);
        buf_add(text, array->name.ptr, array->name.len);
        buf_add(text, "", 1);
    }
}

/*
 * THEOREM  stored-answer
 *   Giving the same answer again is post-processing of the first release: it
 *   costs nothing.
 * SOURCE   Dwork, Roth 2014, proposition 2.1
 * NEEDS    the key covers all that a release depends on: tree, price, policy,
 *          data version, the name of the unit; and the analyst. If the policy
 *          shares answers, there is a second key without an analyst: a hit on
 *          it reveals that somebody asked, and costs the asker's own budget.
 * GIVES    two questions have equal keys if and only if they are equal, except
 *          for collisions of SHA-256.
 * FAILS    CUSTOS_EOVERFLOW: the query is too long.
 * TESTED   the_same_question_is_free another_question_is_charged
 *          rule_13_the_key_is_all_of_the_question
 *          rule_13_shared_answers_cost_who_asks
 */
static custos_status
answer_key(const struct curator *c, str who, const struct ask *ask,
           const struct query *q, const struct plan *p,
           uint8_t key[SHA256_BYTES], custos_err *err)
{
    uint64_t version = engine_version(c->engine);
    custos_status st = CUSTOS_OK;
    struct sha256 h;
    struct buf text;

    buf_init(&text, NULL, TEXT_MAX);
    sql_print(q, &text);
    buf_add(&text, "", 1);
    rat_write(&p->epsilon, &text);
    buf_add(&text, "", 1);
    rat_write(&p->delta, &text);
    buf_add(&text, "", 1);
    if (p->in_rho) { /* not otherwise, so that stored keys stay valid */
        rat_write(&p->rho, &text);
        buf_add(&text, "", 1);
    }
    add_arrays(q, &text);
    if (text.failed) {
        st = custos_fail(err, CUSTOS_EOVERFLOW, "the query is too long");
    } else {
        sha256_init(&h);
        hash_text(&h, who);
        hash_text(&h, p->unit); /* remarks name it for some analysts only */
        hash_text(&h, (str){text.ptr, text.len});
        hash_text(&h, ask->within);
        hash_text(&h, str_of(ask->jointly ? "jointly" : ""));
        sha256_add(&h, c->snapshot->policy->id, sizeof c->snapshot->policy->id);
        sha256_add(&h, &version, sizeof version);
        sha256_end(&h, key);
    }
    buf_clear(&text);
    return st;
}

custos_status
answer_keys_make(const struct curator *c, const struct ask *ask,
                 const struct query *q, const struct plan *p,
                 struct answer_keys *out, custos_err *err)
{
    custos_status st = answer_key(c, ask->who, ask, q, p, out->own, err);

    return st ? st : answer_key(c, str_of(""), ask, q, p, out->shared, err);
}
