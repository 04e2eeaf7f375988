/*
 * Internal to batch.h: batch_plan.c plans a batch and adds up what it costs,
 * batch.c charges and runs it.
 */
#ifndef CURATOR_BATCH_INSIDE_H
#define CURATOR_BATCH_INSIDE_H

#include "curator/batch.h"
#include "curator/course.h"

enum entry_kind {
    ENTRY_PUBLIC,
    ENTRY_CACHED, /* this analyst has paid for it before */
    ENTRY_AGAIN,  /* the same question as an earlier entry */
    ENTRY_SHARED, /* somebody else has paid for it */
    ENTRY_RUN,
};

struct entry {
    enum entry_kind kind;
    struct ask asked;
    struct course k;
    struct answer_keys keys;
    size_t same; /* ENTRY_AGAIN: as which entry */
    int64_t class_us;
    struct course_request request;
    bool has_request;
    struct work work;
};

/* A batch in progress. */
struct progress {
    struct curator *c;
    const struct ask *ask;
    struct ask_batch *b;
    arena *a;
    struct entry *entries;
    size_t public_bytes; /* of the public answers so far */
    size_t running;      /* entries of kind ENTRY_RUN */
    int64_t class_us;    /* of all of them together */
};

/* Plans all items. The caller ends g, also after a failure. */
CUSTOS_MUST_USE custos_status batch_plan(struct progress *g, custos_err *err);
void batch_end(struct progress *g);

/* Does a step for every entry, up to the first that fails; b->at says which. */
CUSTOS_MUST_USE custos_status
batch_each(struct progress *g,
           custos_status (*step)(struct progress *g, size_t i, custos_err *err),
           custos_err *err);

/* Set class_us and running; and b->cost, from the sum of what is charged. *any:
   something is. */
void batch_add_classes(struct progress *g);
void batch_add_costs(const struct progress *g, struct charge *sum, bool *any);

#endif
