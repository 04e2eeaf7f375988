/*
 * Makes an answer from released values, and packs it as bytes. Everything here
 * is after noise: it may depend on released values in any way.
 */
#ifndef CURATOR_ANSWER_H
#define CURATOR_ANSWER_H

#include "curator/curator.h"
#include "curator/ledger_writer.h"

#define KEEP_BYTES_MAX ((size_t)1 << 28) /* largest stored answer */

/* What the mechanisms released: for each part, part_width values per group. For
   quantiles, in each group, what box_release gives, or one number for each rank
   if there are no error bars. */
struct released {
    size_t cells;  /* of the plan's own space */
    i128 **values; /* by part of the plan; by layer of plan->marginals, when
                           the tables have been made */
    struct datum *keys; /* of discovered groups, n_keys each; NULL: public keys,
                           as in the plan */
    size_t more;        /* groups that were selected but are not shown */
};

/* Makes room in `a` for the values of a stage, `cells` for each of its parts; false
   without memory. */
bool released_take(arena *a, const struct stage *s, size_t cells,
                   struct released *out);

/* Makes the answer from released values. On success the caller owns *out. May
   fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status answer_of_released(const struct plan *p,
                                                 const struct released *r,
                                                 const struct receipt *receipt,
                                                 struct answer **out,
                                                 custos_err *err);
CUSTOS_MUST_USE custos_status answer_of_rows(const struct plan *p,
                                             const struct engine_rows *rows,
                                             struct answer **out,
                                             custos_err *err);
/* Makes the answer to EXPLAIN: the lines of the plan, then those of `more`. */
CUSTOS_MUST_USE custos_status answer_of_explain(const struct plan *p,
                                                const char *more,
                                                struct answer **out,
                                                custos_err *err);

/* An empty answer with an arena of its own and room for its columns. */
CUSTOS_MUST_USE custos_status answer_new(size_t n_columns, struct answer **out,
                                         custos_err *err);

/* Adds a remark; without memory, none. */
void answer_remark(struct answer *answer, const char *sentence);

/* An empty answer with the columns of a plan's outputs. */
CUSTOS_MUST_USE custos_status answer_for(const struct plan *p,
                                         struct answer **out, custos_err *err);

/*
 * An answer as bytes: its cost, remarks and rows, without the receipt.
 * answer_unpack fills an empty answer, in its arena; false if the bytes are not
 * an answer.
 */
void answer_pack(const struct answer *answer, struct buf *out);
CUSTOS_MUST_USE bool answer_unpack(str bytes, struct answer *answer);

/* An answer on its way into the ledger: its bytes, and its keys. */
struct answer_to_store {
    str bytes;
    struct ledger_retention retention;
    bool is_shared;
    uint8_t own[32], shared[32];
};

/*
 * answer_store stores an answer in the ledger under a key; answer_find gets the
 * same bytes, and so the same answer, again. answer_find: CUSTOS_ENAME if there
 * is none. answer_store: CUSTOS_EOVERFLOW if the answer is too large for the
 * ledger. Older answers are dropped to make room, as the policy's `storage:`
 * says; asking for them again is charged again.
 */
CUSTOS_MUST_USE custos_status answer_store(struct ledger_writer *t,
                                           const uint8_t key[32],
                                           const struct answer *answer,
                                           const struct policy *policy,
                                           custos_err *err);
CUSTOS_MUST_USE custos_status answer_find(struct ledger *l,
                                          const uint8_t key[32],
                                          struct answer **out, custos_err *err);

#endif
