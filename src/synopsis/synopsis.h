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
    str epsilon, delta, rho; /* (epsilon, delta) is the promise; rho the price */
    str adjacency;           /* "add-remove" or "change-one" */
    str unit;                /* whose data is protected, as analysts see it */
    uint64_t rows_per_unit;  /* the most rows of a unit that count */
    str method;              /* "aim", "mst" or "tables" */
    str theorems;            /* ids, separated by blanks */
    uint64_t receipt;        /* the row of the charge in the ledger */
    str receipt_hash;        /* of that row, in hexadecimal digits */
    str version;             /* of custos */
};

struct synopsis {
    struct synopsis_facts facts;
    struct schema *schema;
    struct released *released;
    const struct colset *workload; /* the tables that were asked for */
    size_t n_workload;
    struct model *model; /* fitted; of the codes of the last coding */
    /* How the codes of the last coding become those of the schema again. */
    double **share; /* by column and code of the schema: the probability of it,
                       given the code of the last coding that it is in */
};

#endif
