/*
 * How a release decides what to measure: by AIM, by MST, or all tables that were
 * asked for. What a method needs, and whether its budget suffices, follows from
 * public facts, before the charge.
 */
#ifndef RELEASE_METHOD_H
#define RELEASE_METHOD_H

#include "release/measuring.h"
#include "synth/ask.h"
#include "synth/candidates.h"

enum release_method { METHOD_AUTO, METHOD_AIM, METHOD_MST, METHOD_TABLES };

/* With more columns, `auto` takes MST. */
enum { METHOD_AIM_COLUMNS = 24 };

/* The most bytes of a model. MST's is a tree of pairs, most of whose codes are
   merged, so that it rarely comes near its limit. Beside tables the model is a
   by-product. */
#define METHOD_AIM_BYTES ((size_t)80 << 20)
#define METHOD_MST_BYTES ((size_t)1 << 30)
#define METHOD_TABLES_BYTES ((size_t)16 << 20)

/* "aim" and so on; false if there is no such method. Empty: auto. */
bool method_find(str name, enum release_method *out);
const char *method_name(enum release_method m);

struct method {
    enum release_method is; /* not METHOD_AUTO */
    const struct domain *domain;
    struct workload workload;
    const struct forbidden *zeros; /* by the policy's constraints */
    size_t n_zeros;
    uint64_t l1, l2_squared; /* of a marginal, between neighbours */
    amount rho;
};

/* What can be said of a method before anything is spent. */
struct method_facts {
    size_t bytes_most; /* of the model */
    size_t
        rounds_most; /* measurements after those of single columns, or of all */
    double *
        sigma; /* the deviation of a cell of a table, where it is measured: of the
                      workload's tables, and then of the columns */
};

/*
 * Resolves METHOD_AUTO, and checks that the method can run; the facts are in `a`. May fail:
 * CUSTOS_EUNSUPPORTED, CUSTOS_ERANGE (the budget does not suffice for one
 * measurement), CUSTOS_EOVERFLOW (the model would be too large), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status method_check(struct method *m, arena *a,
                                           struct method_facts *out,
                                           custos_err *err);

/* Whole megabytes, rounded up. */
size_t megabytes_up(size_t bytes);

/* Runs it, below the charge. The generator is for decisions about released values
   only. May fail: as measuring_trusted. */
CUSTOS_MUST_USE custos_status method_run(const struct method *m,
                                         const struct trusted *t,
                                         custos_rng *rng, struct synthesis *out,
                                         custos_err *err);

#endif
