/*
 * One request and its reply. What can be refused by the head alone is refused
 * at once; else the body is read up to its limit and a worker thread does the
 * rest.
 */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>

#include "base/base.h"
#include "http/http_access.h"
#include "http/http_host.h"
#include "http/http_inside.h"
#include "serve/clock.h"
#include "serve/reply_clock.h"

/* -------------------------------------------------------- request's head -- */

static str
head_value(struct MHD_Connection *c, const char *name)
{
    return str_of(MHD_lookup_connection_value(c, MHD_HEADER_KIND, name));
}

static enum MHD_Result
add_argument(void *ctx, enum MHD_ValueKind kind, const char *name,
             const char *value)
{
    struct http_request *r = ctx;

    (void)kind;
    if (r->n_arguments < HTTP_ARGUMENTS_MAX)
        r->arguments[r->n_arguments] =
            (struct http_argument){str_of(name), str_of(value)};
    if (r->n_arguments <= HTTP_ARGUMENTS_MAX)
        r->n_arguments++;
    return MHD_YES;
}

static enum http_method
method_of(const char *name)
{
    return !strcmp(name, "GET")       ? HTTP_GET
           : !strcmp(name, "HEAD")    ? HTTP_HEAD
           : !strcmp(name, "POST")    ? HTTP_POST
           : !strcmp(name, "OPTIONS") ? HTTP_OPTIONS
                                      : HTTP_OTHER;
}

static void
head_read(struct exchange *x, const char *url, const char *method)
{
    struct http_request *r = &x->request;

    r->method = method_of(method);
    r->path = str_of(url);
    r->authorization = head_value(x->connection, "Authorization");
    r->content_type = head_value(x->connection, "Content-Type");
    r->accept = head_value(x->connection, "Accept");
    r->host = head_value(x->connection, "Host");
    MHD_get_connection_values(x->connection, MHD_GET_ARGUMENT_KIND,
                              add_argument, r);
}

void
exchange_address(struct MHD_Connection *c, char text[INET6_ADDRSTRLEN])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info ? info->client_addr : NULL;
    const void *at = NULL;

    if (a && a->sa_family == AF_INET)
        at = &((const struct sockaddr_in *)(const void *)a)->sin_addr;
    else if (a && a->sa_family == AF_INET6)
        at = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    if (!at || !inet_ntop(a->sa_family, at, text, INET6_ADDRSTRLEN))
        text[0] = 0;
}

/* Checks the credential; if it is not valid, rejects the request before its body
   is read. */
static void
credential_pass(struct exchange *x)
{
    char peer[INET6_ADDRSTRLEN];

    if (x->work.route.access == ACCESS_OPEN)
        return;
    exchange_address(x->connection, peer);
    if (!http_authenticate(x->http->parts, x->http->curator, &x->request, peer,
                           x->work.route.access, &x->work.question.who,
                           &x->reply)) {
        x->answered = true;
        return;
    }
    x->link->known = true;
    x->share =
        share_hold(x->http->parts->shares, str_of(x->work.question.who.name));
    x->work.share = x->share;
}

void
exchange_refuse(struct exchange *x, enum http_fault fault)
{
    http_fault(&x->reply, fault);
    x->answered = true;
}

/* ------------------------------------------------------------- the reply -- */

static void
add_headers(struct MHD_Response *r, const struct exchange *x)
{
    static const char *const always[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
    };

    for (size_t i = 0; i < COUNT_OF(always); i++)
        MHD_add_response_header(r, always[i][0], always[i][1]);
    MHD_add_response_header(r, "Content-Security-Policy",
                            x->reply.csp
                                ? x->reply.csp
                                : "default-src 'none'; frame-ancestors 'none'");
    if (x->http->cert)
        MHD_add_response_header(r, "Strict-Transport-Security",
                                "max-age=31536000");
    if (x->reply.type)
        MHD_add_response_header(r, "Content-Type", x->reply.type);
    for (size_t i = 0; i < x->reply.n_headers; i++)
        MHD_add_response_header(r, x->reply.headers[i].name,
                                x->reply.headers[i].value);
    if (x->http->quiesced)
        MHD_add_response_header(r, "Connection", "close");
}

/* The reply's body belongs to x until the request has completed. */
static enum MHD_Result
reply_send(struct exchange *x)
{
    struct buf *body = &x->reply.body;
    struct MHD_Response *r = MHD_create_response_from_buffer(
        body->len, body->ptr, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result done;

    if (!r)
        return MHD_NO;
    add_headers(r, x);
    http_status_count(&x->http->status, &x->reply);
    link_sends(x->http, x->link, steady_us());
    done = MHD_queue_response(x->connection, (unsigned)x->reply.status, r);
    MHD_destroy_response(r);
    return done;
}

/* ------------------------------------------------------------------ jobs -- */

static void
running_add(struct exchange *x)
{
    struct http *h = x->http;

    pthread_mutex_lock(&h->lock);
    x->next = h->running;
    if (x->next)
        x->next->prev = x;
    h->running = x;
    pthread_mutex_unlock(&h->lock);
}

/*
 * Hands the job back. Called by a worker thread or the releaser, or by job_start
 * if the job was refused. Once the connection is resumed, x may be freed. The
 * library still uses the daemon then, so the daemon and h live until h->jobs is
 * 0.
 */
static void
job_done(struct job *j)
{
    struct exchange *x = (struct exchange *)(void *)j;
    struct MHD_Connection *c = x->connection;
    struct http *h = x->http;

    exchange_count(x, x->body.room + x->reply.body.room);
    pthread_mutex_lock(&h->lock);
    if (x->prev)
        x->prev->next = x->next;
    else
        h->running = x->next;
    if (x->next)
        x->next->prev = x->prev;
    x->answered = true;
    pthread_mutex_unlock(&h->lock);
    MHD_resume_connection(c);
    (void)!eventfd_write(h->wake, 1); /* the library's own wake-up comes late */
    atomic_fetch_sub(&h->jobs, 1);
}

/* The owner's requests other than questions, and the deep health check, have a
   lane of their own. */
static void
choose_lane(struct exchange *x)
{
    struct job *j = &x->work.question.job;
    enum http_task task = x->work.route.task;

    j->who = str_of(x->work.question.who.name);
    j->lane =
        j->who.len || task <= TASK_BATCH_EXPLAIN ? LANE_QUESTIONS : LANE_OWNER;
}

static void
job_start(struct exchange *x)
{
    struct http *h = x->http;

    x->work.request = &x->request;
    x->work.parts = h->parts;
    x->work.reply = &x->reply;
    x->work.question.job.done = job_done;
    x->work.question.job.asked_us = reply_clock_us();
    x->request.body = (str){buf_text(&x->body), x->body.len};
    x->link->until_us = 0;
    MHD_suspend_connection(x->connection);
    choose_lane(x);
    atomic_fetch_add(&h->jobs, 1);
    running_add(x);
    x->refused = workers_submit(h->parts->workers, &x->work.question.job);
    if (x->refused == SUBMIT_TAKEN)
        return;
    x->work.question.job.stopped = true;
    if (x->refused == SUBMIT_SHARE_FULL)
        COUNT_ONE(h->parts->counts, busy_share_total);
    else
        COUNT_ONE(h->parts->counts, busy_total);
    job_done(&x->work.question.job);
}

/* Writes the replies that a worker thread could not write. A request that took
   too long gets the same reply however far it had come. */
static void
job_finish(struct exchange *x)
{
    static const custos_err no_memory = {.size = sizeof no_memory,
                                         .code = CUSTOS_ENOMEM,
                                         .at = -1,
                                         .said = "out of memory"};

    http_work_report(&x->work, x->http->parts->counts);
    if (x->dropped == DROP_SLOW) {
        http_fault(&x->reply, HTTP_FAULT_SLOW);
    } else if (x->work.question.job.stopped) {
        http_header(&x->reply, "Retry-After", "1");
        http_fault(&x->reply, x->http->quiesced ? HTTP_FAULT_ENDING
                              : x->refused == SUBMIT_SHARE_FULL
                                  ? HTTP_FAULT_SHARE
                                  : HTTP_FAULT_BUSY);
    } else if (x->reply.body.failed || !x->reply.body.len) {
        http_refuse(&x->reply, &no_memory, str_of(""));
    }
}

/* -------------------------------------------------------------- requests -- */

static struct exchange *
exchange_new(struct http *h, struct MHD_Connection *c, const char *url,
             const char *method)
{
    struct exchange *x = calloc(1, sizeof *x);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    if (!x || !info || !info->socket_context) {
        free(x);
        return NULL;
    }
    x->http = h;
    x->connection = c;
    x->link = info->socket_context;
    http_work_init(&x->work);
    http_reply_init(&x->reply);
    buf_init(&x->body, NULL, h->parts->limits.message_bytes + 1);
    head_read(x, url, method);
    return x;
}

/* How often a head gives the length of its body, and its host. */
struct head {
    size_t frames, hosts;
    bool odd; /* a header's name contains a blank */
};

static enum MHD_Result
head_count(void *ctx, enum MHD_ValueKind kind, const char *name,
           const char *value)
{
    struct head *h = ctx;

    (void)kind;
    h->odd |= name[strcspn(name, " \t")] != '\0';
    if (!strcasecmp(name, "Content-Length"))
        h->frames += 1;
    else if (!strcasecmp(name, "Transfer-Encoding"))
        h->frames += value && !strcasecmp(value, "chunked") ? 1 : 2;
    else if (!strcasecmp(name, "Host"))
        h->hosts += 1;
    return MHD_YES;
}

/* False: the head can be read in two ways. A proxy between us and the client may
   read it in the other way, and take the end of a body for somebody else's request
   (request smuggling). */
static bool
is_read_one_way(struct exchange *x)
{
    struct head h = {0};

    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, head_count, &h);
    return h.frames <= 1 && h.hosts <= 1 && !h.odd;
}

/* Decides all that can be decided from the head alone. */
static void
exchange_begin(struct exchange *x)
{
    str text = head_value(x->connection, "Content-Length");
    unsigned long long length = text.len ? strtoull(text.ptr, NULL, 10) : 0;

    if (!is_read_one_way(x)) {
        http_header(&x->reply, "Connection", "close");
        exchange_refuse(x, HTTP_FAULT_FRAME);
        x->endless = true;
        return;
    }
    if (!http_host_allowed(&x->http->parts->hosts, x->request.host))
        exchange_refuse(x, HTTP_FAULT_HOST);
    else if (!http_route(&x->request, &x->work.route, &x->reply))
        x->answered = true;
    else
        credential_pass(x);
    if (!x->answered && length > x->http->parts->limits.message_bytes)
        exchange_refuse(x, HTTP_FAULT_LENGTH);
    x->endless = (x->answered || !x->work.route.takes_body) &&
                 body_is_endless(x, length);
    if (x->endless && !x->answered)
        exchange_refuse(x, HTTP_FAULT_LENGTH);
}

enum MHD_Result
exchange_answer(void *ctx, struct MHD_Connection *c, const char *url,
                const char *method, const char *version, const char *upload,
                size_t *upload_bytes, void **state)
{
    struct http *h = ctx;
    struct exchange *x = *state;

    (void)version;
    if (!x) {
        *state = x = exchange_new(h, c, url, method);
        if (!x)
            return MHD_NO;
        exchange_begin(x);
        return x->endless ? reply_send(x) : MHD_YES;
    }
    if (*upload_bytes) {
        size_t n = *upload_bytes;

        *upload_bytes = 0;
        return body_take(x, upload, n);
    }
    if (x->work.question.job.done)
        job_finish(x);
    else if (!x->answered)
        x->answered =
            http_status_answer(&h->status, x->work.route.task, &x->request,
                               h->parts, steady_us(), &x->reply);
    if (x->answered || !exchange_may_ask(x, steady_us()))
        return reply_send(x);
    job_start(x);
    return MHD_YES;
}

void
exchange_end(void *ctx, struct MHD_Connection *c, void **state,
             enum MHD_RequestTerminationCode code)
{
    struct http *h = ctx;
    struct exchange *x = *state;

    (void)c;
    (void)code;
    if (!x)
        return;
    x->link->until_us = steady_us() + h->parts->limits.login_ms * 1000;
    x->link->sending = false;
    exchange_count(x, 0);
    share_drop(x->share);
    http_work_clear(&x->work);
    http_reply_clear(&x->reply);
    buf_clear(&x->body);
    free(x);
    *state = NULL;
}
