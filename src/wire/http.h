/*
 * Decodes the bodies of HTTP requests.
 */
#ifndef WIRE_HTTP_H
#define WIRE_HTTP_H

#include "base/datum.h"

/*
 * {"sql": "...", "epsilon": 0.1, "rho": 0.005, "within": "2%",
 *  "jointly": false, "cautious": false, "params": [1, "a", null, true]}
 * epsilon, rho and within may be numbers or texts; all but sql may be left out.
 */
struct http_query {
    str sql;
    str epsilon, rho, within; /* empty: not given */
    bool jointly;
    bool cautious;              /* reject a query with a warning */
    const struct datum *params; /* numbers: TYPE_INT or TYPE_DECIMAL */
    size_t n_params;
};

/*
 * Decodes a body into the arena. May fail: CUSTOS_ESYNTAX (not JSON),
 * CUSTOS_EINVAL (not an object, an unknown field, a value that its field does not
 * take, or no query), CUSTOS_EOVERFLOW (nested too deeply), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status http_query_read(arena *a, str body,
                                              struct http_query *out,
                                              custos_err *err);

/*
 * {"queries": [{"sql": "...", "epsilon": 0.1}, ...], "cautious": false}: a batch
 * of queries, each without `cautious` of its own. Fails like http_query_read;
 * *at: the index of the query that is wrong, or SIZE_MAX.
 */
struct http_batch {
    struct http_query *queries;
    size_t n;
    bool cautious;
};
CUSTOS_MUST_USE custos_status http_batch_read(arena *a, str body,
                                              struct http_batch *out,
                                              size_t *at, custos_err *err);

/*
 * {"act": "add", "name": "ana"}: an act of the owner on an analyst's credentials.
 * Fails like http_query_read.
 */
enum http_act_kind { HTTP_ACT_ADD, HTTP_ACT_ROTATE, HTTP_ACT_REVOKE };
struct http_act {
    enum http_act_kind kind;
    str name; /* never empty: that would be the owner */
};
CUSTOS_MUST_USE custos_status http_act_read(arena *a, str body,
                                            struct http_act *out,
                                            custos_err *err);

/* {}: an act without arguments. */
CUSTOS_MUST_USE custos_status http_nothing_read(arena *a, str body,
                                                custos_err *err);

#endif
