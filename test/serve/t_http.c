/*
 * The life of the HTTP listener: a daemon that was replaced ends with its last
 * connection, and not before the last job that refers to it, however reloads,
 * questions and hang-ups interleave. And who may read what all do.
 */
#include "support/support.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "http/api.h"
#include "http/http_inside.h"
#include "serve/listen.h"
#include "support/hospital.h"

static const char policy[] =
    "custos: 1\nbudget: {epsilon: 10, delta: 0}\n"
    "query: {epsilon: 0.01, max_epsilon: 1}\n"
    "tables:\n  people:\n    source: people.csv\n    unit: row\n"
    "    columns: {age: {type: integer, range: [0, 100]}}\n"
    "analysts:\n  ann: {}\n";

static struct test_store files;
static char token[CREDENTIAL_TOKEN_MAX];

static struct {
    struct counts counts;
    struct serve_parts parts;
    struct listening at;
    struct http *web;
    atomic_bool stops;
} server;

static void
server_start(void)
{
    const struct workers_options workers = {.threads = 2, .waiting_max = 64};
    str none = str_of("");
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    memset(&server, 0, sizeof server);
    serve_limits_default(&server.parts.limits);
    server.parts.counts = &server.counts;
    server.parts.throttle = throttle_new(NULL);
    server.parts.verified = verified_new();
    if (curator_open(files.store, &server.parts.curator, &err) ||
        credential_token_new(token, &err) ||
        credential_set(curator_ledger(server.parts.curator), str_of("ann"),
                       CREDENTIAL_NEW, none, str_of(token), 0, 1, &r, &err) ||
        workers_new(server.parts.curator, &workers, &server.parts.workers,
                    &err) ||
        listen_open("127.0.0.1:0", "http", &server.at, &err) ||
        http_start(&server.parts, server.at.fd, NULL, NULL, &server.web, &err))
        fail_msg("%s", err.said);
}

static void
server_end(void)
{
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    http_quiesce(server.web);
    assert_true(workers_stop(server.parts.workers, 10000));
    http_stop(server.web);
    workers_free(server.parts.workers);
    assert_int_equal(credential_revoke(curator_ledger(server.parts.curator),
                                       str_of("ann"), 2, &r, &err),
                     CUSTOS_OK);
    verified_free(server.parts.verified);
    throttle_free(server.parts.throttle);
    curator_close(server.parts.curator);
    close(server.at.fd);
}

static int
connect_here(void)
{
    struct sockaddr_storage at;
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    getsockname(server.at.fd, (struct sockaddr *)&at, &len);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, len), 0);
    return fd;
}

/* Sends one request; reads the reply, or hangs up before it comes. */
static bool
request(bool takes)
{
    char text[512];
    int fd = connect_here();
    bool good = false;
    ssize_t n;

    snprintf(text, sizeof text,
             "GET /v1/budget HTTP/1.1\r\nHost: localhost\r\n"
             "Connection: close\r\nAuthorization: Bearer %s\r\n\r\n",
             token);
    n = send(fd, text, strlen(text), MSG_NOSIGNAL);
    if (n > 0 && takes && (n = recv(fd, text, sizeof text - 1, 0)) > 0) {
        text[n] = '\0';
        good = strstr(text, "HTTP/1.1 200") == text;
        while (recv(fd, text, sizeof text, 0) > 0)
            ;
    }
    close(fd);
    return good;
}

/* The HTTP status of GET path with ann's token. */
static int
status_of(const char *path)
{
    char text[512];
    int fd = connect_here(), status = 0;
    size_t len = 0;
    ssize_t n;

    snprintf(text, sizeof text,
             "GET %s HTTP/1.1\r\nHost: localhost\r\n"
             "Connection: close\r\nAuthorization: Bearer %s\r\n\r\n",
             path, token);
    assert_true(send(fd, text, strlen(text), MSG_NOSIGNAL) > 0);
    while (len + 1 < sizeof text &&
           (n = recv(fd, text + len, sizeof text - 1 - len, 0)) > 0)
        len += (size_t)n;
    text[len] = '\0';
    assert_int_equal(sscanf(text, "HTTP/1.1 %d", &status), 1);
    close(fd);
    return status;
}

/* Load and health of all are the owner's, and of whoever has a metrics token. */
static void
analysts_do_not_watch(void **state)
{
    (void)state;
    server_start();
    assert_int_equal(status_of("/v1/budget"), 200);
    assert_int_equal(status_of("/metrics"), 403);
    assert_int_equal(status_of("/v1/health/deep"), 403);
    assert_int_equal(status_of("/v1/owner/analysts"), 403);
    server_end();
}

static void *
ask_on(void *ctx)
{
    size_t *good = ctx;

    for (size_t i = 0; !server.stops; i++)
        *good += request(i % 4 != 3);
    return NULL;
}

static void
renewing_while_questions_run(void **state)
{
    enum { ASKERS = 3, RENEWALS = 60 };
    size_t good[ASKERS] = {0};
    pthread_t threads[ASKERS];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    server_start();
    for (size_t i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_on, &good[i]),
                         0);
    for (size_t i = 0; i < RENEWALS; i++) {
        assert_int_equal(
            http_renew(&server.web, server.at.fd, NULL, NULL, &err), CUSTOS_OK);
        usleep(2000);
    }
    server.stops = true;
    for (size_t i = 0; i < ASKERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(good[i] > 0);
    }
    server_end();
}

/* A worker that fails, for the test of deep health. */
static custos_status
ping(void *ctx, custos_err *err)
{
    (void)ctx;
    return custos_fail(err, CUSTOS_EENGINE, "no worker answers");
}

static void
deep_health_says_what_fails(void **state)
{
    struct http_reply good, bad;

    (void)state;
    server_start();
    http_reply_init(&good);
    http_reply_init(&bad);
    api_health(&server.parts, server.parts.curator, &good);
    assert_int_equal(good.status, 200);
    assert_non_null(strstr(buf_text(&good.body), "{\"status\":\"ok\""));
    server.parts.worker_ping = ping;
    api_health(&server.parts, server.parts.curator, &bad);
    assert_int_equal(bad.status, 503);
    assert_non_null(strstr(buf_text(&bad.body), "{\"status\":\"failing\""));
    assert_non_null(strstr(buf_text(&bad.body), "\"ledger\":{\"ok\":true"));
    assert_non_null(
        strstr(buf_text(&bad.body),
               "\"worker\":{\"ok\":false,\"said\":\"no worker answers\"}}"));
    http_reply_clear(&good);
    http_reply_clear(&bad);
    server_end();
}

static bool
is_listed(const struct http *h)
{
    for (const struct http *at = server.web; at; at = at->older)
        if (at == h)
            return true;
    return false;
}

/*
 * Simulates a job that stays between the last two statements of job_done as
 * long as the test wants.
 */
static void
a_job_keeps_its_daemon(void **state)
{
    struct http *old;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    server_start();
    assert_true(request(true));
    old = server.web;
    atomic_fetch_add(&old->jobs, 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(
            http_renew(&server.web, server.at.fd, NULL, NULL, &err), CUSTOS_OK);
        usleep(300 * 1000); /* longer than a turn of the loop */
        assert_true(is_listed(old));
        assert_false(old->over);
    }
    atomic_fetch_sub(&old->jobs, 1);
    while (!old->over)
        usleep(1000);
    assert_int_equal(http_renew(&server.web, server.at.fd, NULL, NULL, &err),
                     CUSTOS_OK);
    assert_false(is_listed(old));
    assert_true(request(true));
    server_end();
}

static int
set_up(void **state)
{
    (void)state;
    test_store_write(&files, policy, "people.csv", "age\n1\n2\n3\n", NULL);
    test_store_init(&files);
    return 0;
}

static int
clean_up(void **state)
{
    (void)state;
    test_store_remove(&files);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renewing_while_questions_run),
        cmocka_unit_test(deep_health_says_what_fails),
        cmocka_unit_test(analysts_do_not_watch),
        cmocka_unit_test(a_job_keeps_its_daemon),
    };

    return cmocka_run_group_tests(tests, set_up, clean_up);
}
