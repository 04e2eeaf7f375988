/*
 * A request of HTTP as we look at it, a reply as we send it; no sockets here.
 */
#ifndef SERVE_HTTP_MESSAGE_H
#define SERVE_HTTP_MESSAGE_H

#include "base/error.h"
#include "base/str.h"
#include "custos.h"

enum http_method {
    HTTP_GET,
    HTTP_HEAD,
    HTTP_POST,
    HTTP_OPTIONS,
    HTTP_OTHER, /* no route has it */
};

enum {
    HTTP_ARGUMENTS_MAX = 8,
    HTTP_HEADERS_MAX = 8,
    HTTP_VALUE_MAX = 128,
    HTTP_REPLY_MAX = 1 << 30,
};

struct http_argument {
    str name, value; /* of ?name=value, unescaped */
};

/* Texts are borrowed; those of headers that were not sent are empty. */
struct http_request {
    enum http_method method;
    str path;
    struct http_argument arguments[HTTP_ARGUMENTS_MAX];
    size_t n_arguments; /* HTTP_ARGUMENTS_MAX + 1: too many */
    str authorization, content_type, accept, host;
    str body;
};

/* The value of an argument, or empty. */
str http_argument(const struct http_request *r, const char *name);

struct http_header {
    const char *name;
    char value[HTTP_VALUE_MAX];
};

struct http_reply {
    int status;
    const char *code; /* of the error; NULL: it is none */
    const char *type; /* of the body; NULL: there is none */
    const char *csp;  /* what a browser may load for it; NULL: nothing */
    struct buf body;
    bool secret; /* the body is wiped when it was sent */
    struct http_header headers[HTTP_HEADERS_MAX];
    size_t n_headers;
};

void http_reply_init(struct http_reply *r);
void http_reply_clear(struct http_reply *r);

/* One more header; values are ours and short. Cannot fail. */
void http_header(struct http_reply *r, const char *name, const char *format,
                 ...) CUSTOS_PRINTF(3, 4);

/*
 * {"error": {...}} instead of what the body was. Of a status of ours, with its
 * position in the text, in characters from 1 (text empty: none).
 */
void http_refuse(struct http_reply *r, const custos_err *err, str text);

/* Of HTTP itself: its own status and a code of the list below. */
#define HTTP_FAULT_LIST(X)                                                     \
    X(NOT_FOUND, 404, "08P01",                                                 \
      "there is no such address" HINT "see /v1/openapi.json")                  \
    X(METHOD, 405, "08P01",                                                    \
      "this address has no such method" HINT "see Allow")                      \
    X(ACCEPT, 406, "08P01",                                                    \
      "this address has no such form" HINT "ask for application/json, or for " \
      "text/csv of a query")                                                   \
    X(LENGTH, 413, "54000", "the request is too long")                         \
    X(TYPE, 415, "08P01", "the body must be application/json")                 \
    X(HOST, 421, "08P01",                                                      \
      "this server is not called by this name" HINT                            \
      "use its address, or have the "                                          \
      "owner allow the name by custos serve --http-host")                      \
    X(FRAME, 400, "08P01",                                                     \
      "the request does not say once and clearly how long its body is")        \
    X(ARGUMENT, 400, "22023",                                                  \
      "an argument that this address does not have, or cannot read" HINT       \
      "see "                                                                   \
      "/v1/openapi.json")                                                      \
    X(TOKEN, 401, "28P01",                                                     \
      "send a token that is in force: Authorization: Bearer custos_...")       \
    X(WAIT, 429, "28P01",                                                      \
      "too many attempts that failed" HINT "wait as long as Retry-After says") \
    X(OWNER, 403, "42501", "this is for the owner's token")                    \
    X(METRICS, 403, "42501",                                                   \
      "this token is for /metrics and /v1/health/deep alone")                  \
    X(ACT, 403, "42501",                                                       \
      "acts of the owner are for the machine that the server runs on: here "   \
      "HTTP is reached from others" HINT                                       \
      "run custos analyst and custos owner "                                   \
      "there")                                                                 \
    X(BUSY, 503, "53300", "too many questions wait" HINT "ask again soon")     \
    X(SHARE, 429, "53300",                                                     \
      "too many of your questions wait" HINT                                   \
      "ask again when some are answered")                                      \
    X(RATE, 429, "53400",                                                      \
      "you have made more requests than one may a minute" HINT                 \
      "ask again when "                                                        \
      "Retry-After says")                                                      \
    X(UNREAD, 429, "53200",                                                    \
      "too many replies of yours wait to be read" HINT "read them first")      \
    X(ENDING, 503, "57P01", "the server ends")                                 \
    X(SLOW, 504, "57014",                                                      \
      "the question took longer than the owner allows" HINT                    \
      "what it cost stays "                                                    \
      "charged")

enum http_fault {
#define HTTP_FAULT_ENUM(name, status, sqlstate, words) HTTP_FAULT_##name,
    HTTP_FAULT_LIST(HTTP_FAULT_ENUM)
#undef HTTP_FAULT_ENUM
};
void http_fault(struct http_reply *r, enum http_fault fault);

/* What it says. */
const char *http_fault_said(enum http_fault fault);

#endif
