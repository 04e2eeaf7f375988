/*
 * The mechanisms of libcustos as targets, by name, met through custos.h alone: a
 * user's options, the claim that the mechanism's own facts make, and neighbours
 * that are natural for it.
 */
#ifndef AUDIT_LIBRARY_LIBRARY_H
#define AUDIT_LIBRARY_LIBRARY_H

#include "audit/audit.h"
#include "audit/patterns.h"

/* NULL: the mechanism's default. A mechanism ignores what it has no use for. */
struct library_options {
    const char *epsilon; /* "1" by default */
    const char *delta;   /* "1e-5" by default, where there is one */
    const char *rho;     /* "1/8" by default, where there is one */
};

/* A mechanism made; it may be moved as long as `target` is not in use. */
struct library_target {
    struct audit_target target;
    struct claim claim;
    struct pairs pairs;
    void *handle; /* owned; target.self */
    void (*clear)(void *handle);
};

struct library_entry {
    const char *name;
    const char *about; /* one line */
    bool uses_delta, uses_rho;
    unsigned slowness; /* it is given so many times fewer outputs: it computes
                          its noise law anew for each; 0 means 1 */
    custos_status (*make)(const struct library_options *options,
                          struct library_target *out, custos_err *err);
};

extern const struct library_entry library_entries[];
extern const size_t library_n_entries;

/* The outputs to draw where a fast mechanism gets n; not below 200. */
uint64_t library_samples(const struct library_entry *entry, uint64_t n);

/* NULL if there is none. */
const struct library_entry *library_find(const char *name);

/*
 * Makes a mechanism. May fail: CUSTOS_ENAME (with the nearest name), as the
 * mechanism's own _new, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status
library_make(const char *name, const struct library_options *options,
             struct library_target *out, custos_err *err);

void library_clear(struct library_target *target);

#endif
