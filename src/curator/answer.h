/*
 * From released values to an answer, and an answer as bytes. Everything here
 * is after noise: it may depend on released values in any way.
 */
#ifndef CURATOR_ANSWER_H
#define CURATOR_ANSWER_H

#include "curator/curator.h"
#include "curator/ledger_writer.h"

/* Memory of a query, and of its answer. */
#define QUERY_BYTES ((size_t)1 << 30)
#define ANSWER_BYTES ((size_t)1 << 30)
#define KEEP_BYTES_MAX ((size_t)1 << 28) /* of a stored answer */

/*
 * Is there room for the answer to a private plan, whatever is released? Called
 * above the charge, and depends on the plan alone. Where groups come from the
 * data, lowers plan->cells, the most that are shown, to what there is room for.
 * May fail: CUSTOS_EOVERFLOW, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status answer_limit_size(arena *a, struct plan *p,
                                                custos_err *err);

/* What the mechanisms released: for every part, part_width values a group.
   Quantiles: all estimates, then all low ends, then all high ends. */
struct released {
    size_t cells;
    custos_int **values;
    struct datum *keys; /* of chosen groups, n_keys each; NULL: the plan's */
    size_t more;        /* groups that were chosen and are not shown */
};

/* Room for so many groups, in a; false without memory. */
bool released_take(arena *a, const struct plan *p, size_t cells,
                   struct released *out);

/* On success the caller owns *out. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status answer_of_released(const struct plan *p,
                                                 const struct released *r,
                                                 const struct receipt *receipt,
                                                 struct answer **out,
                                                 custos_err *err);
CUSTOS_MUST_USE custos_status answer_of_rows(const struct plan *p,
                                             const struct engine_rows *rows,
                                             struct answer **out,
                                             custos_err *err);
/* `more` is one more line after those of the plan, unless it is NULL. */
CUSTOS_MUST_USE custos_status answer_of_explain(const struct plan *p,
                                                const char *more,
                                                struct answer **out,
                                                custos_err *err);

/* An empty answer with an arena of its own and room for its columns. */
CUSTOS_MUST_USE custos_status answer_new(size_t n_columns, struct answer **out,
                                         custos_err *err);

/* Adds a remark; without memory, none. */
void answer_remark(struct answer *answer, const char *sentence);

/* Columns of a plan's outputs. */
CUSTOS_MUST_USE custos_status answer_for(const struct plan *p,
                                         struct answer **out, custos_err *err);

/*
 * An answer as bytes: its cost, remarks and rows, without the receipt. They are
 * unpacked into an empty answer whose arena they live in; false where they are
 * not an answer.
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
 * Stores an answer in the ledger under a key, and finds it again: the same bytes,
 * so the same answer. answer_find: CUSTOS_ENAME when there is none. An answer
 * larger than the ledger takes is not stored: CUSTOS_EOVERFLOW. Older ones are
 * dropped for it, as the policy says (`storage:`); asked again, they are charged
 * again.
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
