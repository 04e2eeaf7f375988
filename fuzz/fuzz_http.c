/*
 * HTTP requests. The lines of the input are method, path, arguments
 * (name=value&...), Content-Type and Accept; the rest is the body. A request
 * must be routed to a task that its method allows, or be answered at once with
 * one of the expected statuses. A body must be decoded, or rejected with a
 * message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "http/api.h"
#include "http/console.h"
#include "wire/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { ARENA_MAX = 1 << 24 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static str
cut(str *rest, char mark)
{
    const char *end = rest->len ? memchr(rest->ptr, mark, rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    str part = {rest->ptr, len};

    rest->ptr += len + (end != NULL);
    rest->len -= len + (end != NULL);
    return part;
}

static void
add_arguments(struct http_request *r, str rest)
{
    while (rest.len && r->n_arguments <= HTTP_ARGUMENTS_MAX) {
        str value = cut(&rest, '&');
        str name = cut(&value, '=');

        if (r->n_arguments < HTTP_ARGUMENTS_MAX)
            r->arguments[r->n_arguments] = (struct http_argument){name, value};
        r->n_arguments++;
    }
}

static enum http_method
method_of(str word)
{
    return (enum http_method)(
        word.len ? (unsigned char)word.ptr[0] % (HTTP_OTHER + 1) : 0);
}

static bool
posts(enum http_task task)
{
    return task == TASK_QUERY || task == TASK_EXPLAIN ||
           task == TASK_OWNER_ACT || task == TASK_OWNER_RELOAD;
}

static bool
is_open(enum http_task task)
{
    return task == TASK_HEALTH || task == TASK_OPENAPI || task == TASK_LEARN;
}

/* Numbers in arguments must be accepted, or rejected with a message. */
static void
check_numbers(const struct http_request *r, enum http_task task)
{
    char epsilon[RISK_TEXT_MAX], delta[RISK_TEXT_MAX];
    char given[DIGITS_GIVEN_MAX];
    custos_risk *risk = NULL;
    struct http_reply reply;
    custos_err err = CUSTOS_ERR_INIT;

    http_reply_init(&reply);
    if (task == TASK_LEARN) {
        api_learn(r, &reply);
        require((reply.status == 200 || reply.status == 400) && reply.body.len);
    }
    http_reply_clear(&reply);
    if (task == TASK_RISK && !api_number(r, "epsilon", given, &err) &&
        risk_of_promise(given, NULL, &risk, epsilon, delta, &err))
        require(err.said[0] != '\0');
    custos_risk_free(risk);
}

/* The request must be answered at once, or be routed to a task that its method
   allows. The tasks of is_open, and no others, must be open to everybody. */
static void
check_route(const struct http_request *r)
{
    struct http_route route;
    struct http_reply reply;

    http_reply_init(&reply);
    if (http_route(r, &route, &reply)) {
        require(posts(route.task)
                    ? r->method == HTTP_POST
                    : r->method == HTTP_GET || r->method == HTTP_HEAD);
        require((route.access == ACCESS_OPEN) == is_open(route.task));
        require(route.form == FORM_JSON || route.task == TASK_QUERY);
        require(r->n_arguments <= HTTP_ARGUMENTS_MAX);
        check_numbers(r, route.task);
    } else {
        require(reply.status == 204 ||
                (reply.status == 200 && console_find(r->path)) ||
                (reply.status >= 400 && reply.status < 500 && reply.code &&
                 reply.body.len));
    }
    http_reply_clear(&reply);
}

static void
check_body(str body)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    custos_err err = CUSTOS_ERR_INIT;
    struct http_query q;
    struct http_batch batch;
    struct http_act act;
    custos_status st;
    size_t at;

    require(a != NULL);
    st = http_query_read(a, body, &q, &err);
    require(st ? err.said[0] != '\0' : q.sql.len > 0);
    for (size_t i = 0; !st && i < q.n_params; i++)
        require(q.params[i].type <= TYPE_TIMESTAMP);
    st = http_batch_read(a, body, &batch, &at, &err);
    require(st ? err.said[0] != '\0' : batch.n > 0 && batch.queries[0].sql.len);
    st = http_act_read(a, body, &act, &err);
    require(st ? err.said[0] != '\0' : act.name.len > 0);
    st = http_nothing_read(a, body, &err);
    require(!st || err.said[0] != '\0');
    arena_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    str rest = {(const char *)data, len};
    struct http_request r = {0};

    if (!len || len > 1 << 14)
        return 0;
    r.method = method_of(cut(&rest, '\n'));
    r.path = cut(&rest, '\n');
    add_arguments(&r, cut(&rest, '\n'));
    r.content_type = cut(&rest, '\n');
    r.accept = cut(&rest, '\n');
    r.body = rest;
    check_route(&r);
    check_body(r.body);
    return 0;
}
