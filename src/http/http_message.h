/*
 * An HTTP request and a reply, without sockets.
 */
#ifndef HTTP_HTTP_MESSAGE_H
#define HTTP_HTTP_MESSAGE_H

#include "base/error.h"
#include "base/str.h"
#include "custos.h"

enum http_method {
    HTTP_GET,
    HTTP_HEAD,
    HTTP_POST,
    HTTP_OPTIONS,
    HTTP_OTHER, /* no route takes it */
};

enum {
    HTTP_ARGUMENTS_MAX = 8,
    HTTP_HEADERS_MAX = 8,
    HTTP_VALUE_MAX = 128,
    HTTP_REPLY_MAX = 1 << 30,
};

struct http_argument {
    str name, value; /* of ?name=value, decoded */
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
    const char *code; /* of the error; NULL: not an error */
    const char *type; /* of the body; NULL: there is no body */
    const char *csp;  /* Content-Security-Policy; NULL: may load nothing */
    struct buf body;
    struct http_header headers[HTTP_HEADERS_MAX];
    size_t n_headers;
};

void http_reply_init(struct http_reply *r);
void http_reply_clear(struct http_reply *r);

/* Adds a header. Values are our own and short. Cannot fail. */
void http_header(struct http_reply *r, const char *name, const char *format,
                 ...) CUSTOS_PRINTF(3, 4);

/*
 * Replaces the body by {"error": {...}}: the status, its message, and the
 * error's position in `text`, in characters from 1 (empty text: no position).
 */
void http_refuse(struct http_reply *r, const custos_err *err, str text);

/* The same for faults of HTTP itself: name, HTTP status, SQLSTATE, message. */
#define HTTP_FAULT_LIST(X)                                                     \
    X(NOT_FOUND, 404, "08P01",                                                 \
      "there is no such path" HINT "see /v1/openapi.json")                     \
    X(METHOD, 405, "08P01",                                                    \
      "this path does not take this method" HINT "see the Allow header")       \
    X(ACCEPT, 406, "08P01",                                                    \
      "this path has no such format" HINT                                      \
      "accept application/json, or text/csv for a query")                      \
    X(LENGTH, 413, "54000", "the request is too long")                         \
    X(TYPE, 415, "08P01", "the body must be application/json")                 \
    X(HOST, 421, "08P01",                                                      \
      "the Host header has a name that is not allowed" HINT                    \
      "use the server's address, or have the owner allow the name with "       \
      "custos serve --http-host")                                              \
    X(FRAME, 400, "08P01",                                                     \
      "the head of the request is ambiguous" HINT                              \
      "send Host and the length of the body at most once")                     \
    X(ARGUMENT, 400, "22023",                                                  \
      "unknown argument, or one with an invalid value" HINT                    \
      "see /v1/openapi.json")                                                  \
    X(TOKEN, 401, "28P01",                                                     \
      "a valid token is needed" HINT                                           \
      "send it as Authorization: Bearer custos_...")                           \
    X(WAIT, 429, "28P01",                                                      \
      "too many failed attempts" HINT "wait as long as Retry-After says")      \
    X(OWNER, 403, "42501", "this needs the owner's token")                     \
    X(METRICS, 403, "42501",                                                   \
      "this token is only for /metrics and /v1/health/deep")                   \
    X(ACT, 403, "42501",                                                       \
      "the owner's acts are not done by HTTP here, since other machines can "  \
      "reach it" HINT                                                          \
      "run custos analyst and custos owner on the server's machine")           \
    X(BUSY, 503, "53300",                                                      \
      "too many questions are waiting" HINT "ask again soon")                  \
    X(SHARE, 429, "53300",                                                     \
      "too many of your questions are waiting" HINT                            \
      "ask again when some are answered")                                      \
    X(RATE, 429, "53400",                                                      \
      "too many requests in a minute" HINT "ask again when Retry-After says")  \
    X(UNREAD, 429, "53200",                                                    \
      "too many of your replies are waiting to be read" HINT                   \
      "read them first")                                                       \
    X(ENDING, 503, "57P01", "the server is stopping")                          \
    X(SLOW, 504, "57014",                                                      \
      "the question took longer than the owner allows" HINT                    \
      "what it cost stays charged")

enum http_fault {
#define HTTP_FAULT_ENUM(name, status, sqlstate, words) HTTP_FAULT_##name,
    HTTP_FAULT_LIST(HTTP_FAULT_ENUM)
#undef HTTP_FAULT_ENUM
};
void http_fault(struct http_reply *r, enum http_fault fault);

/* The message and hint of a fault, with HINT between them. */
const char *http_fault_said(enum http_fault fault);

#endif
