/*
 * A batch: several questions of one analyst that are planned together, charged
 * together or not at all, and answered together.
 *
 * Equal questions of a batch are charged once, and cached answers are free, so a
 * batch costs no more than its questions one by one. Its reply leaves when its
 * last answer would, and that time is fixed before any data is read.
 */
#ifndef CURATOR_BATCH_H
#define CURATOR_BATCH_H

#include "account/amount.h"
#include "curator/curator.h"

/* The most questions of a batch; the most values of its private answers, and the
   most bytes of its public ones, together. */
enum {
    BATCH_MOST = 64,
    BATCH_VALUES_MOST = 1 << 20,
    BATCH_PUBLIC_BYTES = 1 << 26,
};

/* One question: as in struct ask. */
struct ask_item {
    str sql;
    str epsilon, rho, within;
    bool jointly;
    const struct datum *params;
    size_t n_params;

    /* out: */
    struct answer *answer; /* NULL: none; freed by ask_batch_clear */
    struct answer again;   /* of a question that the batch asks more than once:
                              `answer` of the later ones, which borrows from the
                              first */
};

struct ask_batch_cost {
    char epsilon[AMOUNT_TEXT_MAX], rho[AMOUNT_TEXT_MAX];
    char delta[AMOUNT_TEXT_MAX]; /* up to which epsilon holds */
};

struct ask_batch {
    struct ask_item *items;
    size_t n;

    /* out: */
    size_t at;       /* the item that a failure is about; n: all of them */
    bool is_charged; /* something was charged, or may have been */
    struct ask_batch_cost cost; /* what is charged for it now */
    struct forecast forecast;   /* of curator_batch_explain */

    /* internal: the snapshot that the answers over public tables are from, kept
       when another thread asks the batch again (struct ask, check_point) */
    struct work_snapshot public_of;
};

/* Frees the answers. */
void ask_batch_clear(struct ask_batch *b);

/*
 * Answers all items or fails; `ask` has what they have in common (who, now, times,
 * `warned`), and its own text is not used. Above the charge: fails as
 * curator_answer does, with b->at; also CUSTOS_EINVAL (no item), CUSTOS_EOVERFLOW
 * (too many items or values), CUSTOS_EUNSUPPORTED (an EXPLAIN). Below it: the
 * first item that fails ends the batch; no charge is refunded. Answers that were
 * ready by then are in the items, to be stored, but must not be shown before the
 * reply leaves.
 */
CUSTOS_MUST_USE custos_status curator_batch(struct curator *c,
                                            const struct ask *ask,
                                            struct ask_batch *b,
                                            custos_err *err);

/*
 * Plans the batch, as curator_batch does, and charges nothing: the items' answers
 * are those to EXPLAIN, and cost and forecast are those of the whole batch. The
 * forecast of an item that is asked earlier in the batch says `stored`.
 */
CUSTOS_MUST_USE custos_status curator_batch_explain(struct curator *c,
                                                    const struct ask *ask,
                                                    struct ask_batch *b,
                                                    custos_err *err);

/* curator_store_answer for every item. */
void curator_store_batch(struct curator *c, struct ask_batch *b);

#endif
