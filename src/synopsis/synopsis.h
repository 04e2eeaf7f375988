/*
 * A synopsis: what a release has released, in one file that answers later, without
 * the data and at no cost (the reconstruction procedure of Dwork and Roth 2014,
 * section 2.1). It has the public schema, all noisy tables, the fitted model and
 * the receipt.
 */
#ifndef SYNOPSIS_SYNOPSIS_H
#define SYNOPSIS_SYNOPSIS_H

#include "synth/model.h"
#include "synth/released.h"
#include "synth/schema.h"

/* What the release promises and cost, as exact texts, and how it was made. */
struct synopsis_facts {
    str epsilon, delta,
        rho;                /* (epsilon, delta) is the promise; rho the price */
    str adjacency;          /* "add-remove" or "change-one" */
    str unit;               /* whose data is protected, as analysts see it */
    uint64_t rows_per_unit; /* the most rows of a unit that count */
    str method;             /* "aim", "mst" or "tables" */
    str theorems;           /* ids, separated by blanks */
    uint64_t receipt;       /* the row of the charge in the ledger */
    str receipt_hash;       /* of that row, in hexadecimal digits */
    str version;            /* of custos */
};

struct synopsis {
    struct synopsis_facts facts;
    struct schema *schema;
    struct released *released;
    const struct colset *workload; /* the tables that were asked for */
    size_t n_workload;
    struct model
        *model; /* fitted; of the codes of the last coding; NULL: none */
    /* How the codes of the last coding become those of the schema again. */
    double **share; /* by column and code of the schema: the probability of it,
                       given the code of the last coding that it is in; NULL: the
                       last coding has the codes of the schema */
};

/* The largest file. */
#define SYNOPSIS_BYTES_MAX ((size_t)1 << 30)

/* What the model of a small file can take: those of AIM, whose trees have at most
   80 MB, with their separators. */
#define SYNOPSIS_MODEL_BYTES ((size_t)320 << 20)

/*
 * Writes a synopsis to a new file, synced. Equal synopses give equal files. May
 * fail: CUSTOS_EIO (also if the file exists), CUSTOS_EOVERFLOW (it would be larger
 * than SYNOPSIS_BYTES_MAX), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status synopsis_write(const struct synopsis *s,
                                             const char *path, custos_err *err);

/*
 * Reads a file that synopsis_write has written. All but the model, which
 * synopsis_close frees, lives in the arena. The model answers as the one that was
 * written, but cannot be fitted further. A file that was damaged or made by somebody
 * else takes no more memory than about 30 times its size and, for its model,
 * SYNOPSIS_MODEL_BYTES.
 * May fail: CUSTOS_ENAME (no such file), CUSTOS_EIO, CUSTOS_ECORRUPT (it is no
 * synopsis, or damaged), CUSTOS_EOVERFLOW (too large), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status synopsis_read(arena *a, const char *path,
                                            struct synopsis **out,
                                            custos_err *err);
void synopsis_close(struct synopsis *s);

#endif
