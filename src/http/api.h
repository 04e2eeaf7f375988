/*
 * Writes the replies of the HTTP API, as JSON or CSV, from the curator's
 * results. All of these functions but api_learn run in a worker thread; c is that
 * thread's handle of the curator.
 */
#ifndef HTTP_API_H
#define HTTP_API_H

#include "http/http_route.h"
#include "report/risk.h"
#include "serve/parts.h"
#include "serve/question.h"

/* The body of the reply to a query. Numbers are text, with every digit. */
void api_answer(const struct question *q, enum http_form form,
                struct http_reply *out);

/* The reply to EXPLAIN: the lines of the plan, and the columns and price of
   `sql`, the query that it explains. */
void api_explained(const struct question *q, struct curator *c, str sql,
                   arena *a, struct http_reply *out);

/* The replies to a batch, and to the plan of one. The error of a query names it by
   its number. */
void api_batch(struct question *q, struct http_reply *out);
void api_batch_explained(struct question *q, struct curator *c, arena *a,
                         struct http_reply *out);

/* Puts "query 3: " before the message, for the query with this index. */
void api_name_query(size_t at, custos_err *err);

/*
 * The other routes. `who` is the analyst's name; it is empty for the owner, who
 * sees everything. A failure is written as an error reply.
 */
void
api_budget(struct curator *c, str who, int64_t now, struct http_reply *out);
void api_schema(struct curator *c, str who, struct http_reply *out);
void api_ledger(struct curator *c, str who, const struct http_request *r,
                struct http_reply *out);
void api_risk(struct curator *c, str who, const struct http_request *r,
              struct http_reply *out);

/* Checks that the ledger can commit and that worker processes answer. If not,
   the status is 503. */
void api_health(const struct serve_parts *parts, struct curator *c,
                struct http_reply *out);

/* Reports whose token the request came with. */
void api_me(str who, struct http_reply *out);

/* One question on a toy table; needs neither a token nor a store. */
void api_learn(const struct http_request *r, struct http_reply *out);

/* Copies the argument `name` as a C string; the caller parses the number. May
   fail: CUSTOS_EPARSE. */
CUSTOS_MUST_USE custos_status api_number(const struct http_request *r,
                                         const char *name,
                                         char out[DIGITS_GIVEN_MAX],
                                         custos_err *err);

/* `who` as in api_budget. */
void
api_history(struct curator *c, str who, int64_t now, struct http_reply *out);
void api_verify(struct verified *v, struct curator *c, str who,
                struct http_reply *out);

/* The owner's routes; `who` is the credential that the request came with. */
void api_owner(const struct serve_parts *parts, struct curator *c,
               const struct credential *who, enum http_task task,
               const struct http_request *r, struct http_reply *out);

#endif
