/*
 * What EXPLAIN claims about a query, read from its text as an analyst reads it.
 */
#ifndef AUDIT_CURATOR_CLAIMS_H
#define AUDIT_CURATOR_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLAIMS_MAX = 200, LAYERS_MAX = 32 };

/* One number to which noise is added, in each group. */
struct part_claim {
    double l1;      /* how far one person can move it, over all groups */
    double epsilon; /* its share of the price; 0 if it has none of its own */
    bool centred;   /* a constant was subtracted from each value */
};

/* The tables of GROUPING SETS: parts of the same table stand side by side, one for
   each count or sum that all tables have. */
struct table_claims {
    size_t n;        /* 0: other queries */
    size_t shown;    /* those of which EXPLAIN says how much they deviate */
    size_t n_layers; /* counts and sums */
    double deviation[LAYERS_MAX]; /* the largest of any table */
};

struct claims {
    struct table_claims tables;
    struct part_claim part[CLAIMS_MAX];
    size_t n_parts;
    bool has_rows; /* one of the parts is the number of rows */
    bool protects; /* somebody: the query reads private rows, and is charged */
    bool groups_public;     /* all groups are shown */
    bool groups_discovered; /* only those of several people are */
    bool
        bound_chosen; /* a bound on rows is drawn first: claims are for several */
    bool draws;       /* some numbers are drawn, not sums with noise */
};

/* Reads one line after another, in order. */
void claims_read(struct claims *claims, const char *line);

#endif
