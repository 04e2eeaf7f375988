/*
 * One SQL query, asked of several stores, as a target of an audit. A data set is
 * one number: which store. An output is everything that a reply shows: its
 * numbers in the order of the rows' keys, then those of its notices, and as the
 * code a hash of the rest: SQLSTATE and message, the list of groups, which cells
 * are NULL, columns and notices. The time of a reply counts only if the target
 * is timed: then the servers must answer at their public times, as the stores'
 * owner runs them.
 */
#ifndef AUDIT_STRANGER_QUERY_H
#define AUDIT_STRANGER_QUERY_H

#include "audit/audit.h"
#include "audit/stranger/client.h"
#include "audit/stranger/server.h"

struct query_target_options {
    const char *sql; /* one statement; borrowed */
    enum client_unit unit;
    double price;
    const struct stranger_server *servers; /* borrowed */
    size_t n_servers;
    bool timed;
    unsigned lanes;        /* connections made in advance to each store: the
                              threads of the audit */
    uint64_t first_serial; /* above all that earlier targets used; from 1 */
};

struct query_target;

/*
 * Asks every store a few times to learn how many numbers a reply has. May fail:
 * CUSTOS_ENOMEM, CUSTOS_EDENIED, and CUSTOS_EINVAL with a message for the user:
 * the query is rejected for reasons that have nothing to do with data, or is
 * answered from the cache even at a new price.
 */
CUSTOS_MUST_USE custos_status
query_target_new(const struct query_target_options *options,
                 struct query_target **out, custos_err *err);
void query_target_free(struct query_target *q);

const struct audit_target *query_target_get(const struct query_target *q);

/* The next serial number that no question has had yet. */
uint64_t query_target_serial(const struct query_target *q);

/*
 * The price that EXPLAIN states, as a claim: epsilon and delta, or rho. Fails as
 * query_target_new does.
 */
CUSTOS_MUST_USE custos_status query_claim(const struct stranger_server *server,
                                          const char *sql,
                                          enum client_unit unit, double price,
                                          struct claim *out, custos_err *err);

#endif
