/*
 * Served stores that differ in one person, for an audit of a query: one store for
 * each target person, and a last one without any of them. Each of the others is
 * a neighbour of the last.
 */
#ifndef AUDIT_STRANGER_STORES_H
#define AUDIT_STRANGER_STORES_H

#include "audit/report.h"
#include "audit/stranger/data.h"
#include "audit/stranger/server.h"

enum { STORES_TARGETS_MAX = 8 };

struct stores_options {
    const struct schema *schema; /* borrowed until stores_stop */
    const char *program;         /* the command that serves them */
    const char *sql;             /* targets have the values it mentions */
    uint64_t seed;
    size_t people, targets; /* as in data_options; at most STORES_TARGETS_MAX */
    size_t analysts;
};

struct stores {
    struct stores_options options;
    struct stranger_server server[STORES_TARGETS_MAX + 1];
    size_t n; /* that are served */
    /* Pairs for an audit; a data set is the number of a store. */
    struct pair pair[STORES_TARGETS_MAX];
    double number[STORES_TARGETS_MAX + 1];
    struct neighbour neighbour[STORES_TARGETS_MAX + 1]; /* the same in words */
    struct buf words[STORES_TARGETS_MAX + 1];
    struct generated data;
};

/*
 * Makes the data and serves the first store, which can tell whether the query is
 * accepted. Replies leave as soon as they can. The caller stops the stores even
 * after a failure. May fail as data_make and stranger_start do.
 */
CUSTOS_MUST_USE custos_status stores_start(struct stores *s,
                                           const struct stores_options *options,
                                           custos_err *err);

/* Serves the others. May fail as stranger_start_beside does. */
CUSTOS_MUST_USE custos_status stores_add_neighbours(struct stores *s,
                                                    custos_err *err);

/* From now on replies leave at their public times. May fail as stranger_restart
   does. */
CUSTOS_MUST_USE custos_status stores_show_times(struct stores *s,
                                                custos_err *err);

/* The store that a data set of a pair stands for, in words. */
struct neighbour
stores_neighbour(const struct stores *s, const struct data *data);

/* Stops the servers. Words and pairs stay until stores_clear. */
void stores_stop(struct stores *s);
void stores_clear(struct stores *s);

#endif
