/*
 * The curator through its front door: a store in a temporary folder, made by
 * `custos init` and asked by `custos shell`, like anyone's. The table has a row for
 * each person: a secret bit, an age, and public flags, one for each subset of the
 * people that is to be counted.
 */
#ifndef AUDIT_ATTACK_FRONT_DOOR_H
#define AUDIT_ATTACK_FRONT_DOOR_H

#include "audit/attack/least_squares.h"
#include "audit/stranger/process.h"

struct front_door {
    const char *command; /* borrowed */
    struct folder folder;
};

struct front_table {
    const struct subsets *subsets;
    const bool *secret;
    const char *epsilon, *delta; /* the store's budget */
};

/* Makes the store. May fail: CUSTOS_EIO; the folder is then removed. */
CUSTOS_MUST_USE custos_status front_open(struct front_door *f,
                                         const char *command,
                                         const struct front_table *table,
                                         custos_err *err);

/* Removes the folder. No-op if there is none. */
void front_close(struct front_door *f);

/* One question: writes SQL that ends with a semicolon, as one value named n. */
typedef void (*front_question)(size_t i, char *sql, size_t room);

/*
 * Asks n questions, each at this price, in one session. *answered is how many were
 * answered before the first that was not; their values are in `out`. May fail:
 * CUSTOS_EIO, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status front_ask(struct front_door *f,
                                        const char *epsilon,
                                        front_question question, size_t n,
                                        double *out, size_t *answered,
                                        custos_err *err);

#endif
