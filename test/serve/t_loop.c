/*
 * The loop with real sockets and a real store. The tests can stop the clock of
 * the worker threads: then a charged answer waits for its response step as long
 * as the test wants, and what happens meanwhile does not depend on chance.
 */
#include "support/support.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pg/loop.h"
#include "serve/clock.h"
#include "serve/listen.h"
#include "support/hospital.h"
#include "support/session_fake.h"

static const char policy[] =
    "custos: 1\nbudget: {epsilon: 10, delta: 0}\n"
    "query: {epsilon: 0.01, max_epsilon: 1}\n"
    "tables:\n  people:\n    source: people.csv\n    unit: row\n"
    "    columns: {age: {type: integer, range: [0, 100]}}\n"
    "analysts:\n  ann: {}\n  bob: {}\n";

enum { REQUESTS = 20 }; /* of an analyst in a minute */

static struct test_store files;
static struct scram_verifier verifier;
static atomic_bool stopped; /* the worker threads' clock */

static int64_t
stopping_clock(void)
{
    return atomic_load(&stopped) ? 0 : steady_us();
}

static struct server {
    struct counts counts;
    struct serve_parts parts;
    struct listening at;
    int signals[2];
    struct loop *loop;
    pthread_t thread;
} server;

static void *
run(void *ctx)
{
    struct server *s = ctx;

    loop_run(s->loop);
    return NULL;
}

static void
open_doors(struct curator *c)
{
    static const char *const names[] = {"ann", "bob"};
    struct buf text;
    custos_err err = CUSTOS_ERR_INIT;

    buf_init(&text, NULL, 1000);
    assert_int_equal(scram_verifier_make(str_of("pencil"),
                                         (const uint8_t *)"0123456789abcdef",
                                         16, 4096, &verifier, &err),
                     CUSTOS_OK);
    scram_verifier_write(&verifier, &text);
    for (size_t i = 0; i < 2; i++) {
        char token[CREDENTIAL_TOKEN_MAX];
        struct receipt r;

        assert_int_equal(credential_token_new(token, &err), CUSTOS_OK);
        (void)!credential_set(curator_ledger(c), str_of(names[i]),
                              CREDENTIAL_NEW, str_of(buf_text(&text)),
                              str_of(token), 0, 1, &r, &err);
    }
    buf_clear(&text);
}

static void
server_start(struct serve_limits limits)
{
    const struct share_limits shares = {
        .bytes = {[SHARE_MESSAGES] = 1 << 20, [SHARE_PREPARED] = 1 << 20},
        .requests = REQUESTS,
    };
    const struct workers_options workers = {.threads = 2,
                                            .waiting_max = 8,
                                            .steps = true,
                                            .now_us = stopping_clock};
    struct loop_options options = {
        .parts = &server.parts, .owner_fd = -1, .cache_bytes = 1 << 20};
    custos_err err = CUSTOS_ERR_INIT;

    server = (struct server){.parts.limits = limits};
    server.parts.counts = &server.counts;
    server.parts.throttle = throttle_new(NULL);
    server.parts.shares = shares_new(&shares);
    atomic_store(&stopped, false);
    server.parts.curator = test_open(&files);
    open_doors(server.parts.curator);
    if (workers_new(server.parts.curator, &workers, &server.parts.workers,
                    &err) ||
        listen_open("127.0.0.1:0", "pg", &server.at, &err) ||
        pipe2(server.signals, O_NONBLOCK | O_CLOEXEC))
        fail_msg("%s", err.said);
    options.listen_fd = server.at.fd;
    options.signals_fd = server.signals[0];
    if (loop_new(&options, &server.loop, &err))
        fail_msg("%s", err.said);
    assert_int_equal(pthread_create(&server.thread, NULL, run, &server), 0);
}

static void
server_tell(int signal)
{
    struct signalfd_siginfo info = {.ssi_signo = (uint32_t)signal};

    assert_int_equal(write(server.signals[1], &info, sizeof info), sizeof info);
}

static void
server_end(void)
{
    pthread_join(server.thread, NULL);
    assert_true(workers_stop(server.parts.workers, 10000));
    loop_free(server.loop);
    workers_free(server.parts.workers);
    throttle_free(server.parts.throttle);
    assert_int_equal(shares_bytes(server.parts.shares, SHARE_MESSAGES), 0);
    shares_free(server.parts.shares);
    curator_close(server.parts.curator);
    close(server.at.fd);
    close(server.signals[0]);
    close(server.signals[1]);
}

static struct serve_limits
usual(void)
{
    struct serve_limits limits;

    serve_limits_default(&limits);
    return limits;
}

/* --------------------------------------------------------------- client -- */

struct client {
    int fd;
    struct buf got;
    uint32_t process, secret;
};

static void
client_send(struct client *c, char type, const char *format, ...)
{
    struct buf out;
    va_list args;

    buf_init(&out, NULL, 1 << 20);
    va_start(args, format);
    fake_message(&out, type, format, args);
    va_end(args);
    assert_int_equal(send(c->fd, out.ptr, out.len, MSG_NOSIGNAL), out.len);
    buf_clear(&out);
}

static uint32_t
number_at(const char *p)
{
    uint32_t n;

    memcpy(&n, p, 4);
    return ntohl(n);
}

/* Reads up to a message of this type or the end. True if the message came. */
static bool
client_until(struct client *c, char type)
{
    size_t at = 0;

    for (;;) {
        struct pollfd ready = {.fd = c->fd, .events = POLLIN};
        char bytes[4096];
        ssize_t n;

        while (c->got.len >= at + 5 &&
               c->got.len >= at + 1 + number_at(c->got.ptr + at + 1)) {
            const char *p = c->got.ptr + at;

            if (*p == 'K') {
                c->process = number_at(p + 5);
                c->secret = number_at(p + 9);
            }
            at += 1 + number_at(p + 1);
            if (*p == type)
                return true;
        }
        if (poll(&ready, 1, 20000) <= 0)
            fail_msg("the server says nothing");
        n = recv(c->fd, bytes, sizeof bytes, 0);
        if (n <= 0)
            return false;
        buf_add(&c->got, bytes, (size_t)n);
    }
}

/* What has been received so far. */
static const char *
client_said(struct client *c, char text[4096])
{
    fake_words(c->got.ptr, c->got.len, text);
    c->got.len = 0;
    return text;
}

static void
expect(struct client *c, char until, const char *words)
{
    char text[4096];

    client_until(c, until);
    assert_string_equal(client_said(c, text), words);
}

static void
client_open(struct client *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    *c = (struct client){.fd = socket(AF_INET, SOCK_STREAM, 0)};
    buf_init(&c->got, NULL, 1 << 24);
    to.sin_port =
        htons((uint16_t)strtoul(strchr(server.at.text, ':') + 1, NULL, 10));
    assert_int_equal(connect(c->fd, (struct sockaddr *)&to, sizeof to), 0);
}

static void
client_login(struct client *c, const char *user)
{
    const char *first = "n,,n=,r=abcdefghijklmnop";
    char server_first[512];
    struct buf last;
    char text[4096];

    client_open(c);
    client_send(c, 0, "4ss1", 196608u, "user", user, 0u);
    assert_true(client_until(c, 'R'));
    c->got.len = 0;
    client_send(c, 'p', "s4b", "SCRAM-SHA-256", (uint32_t)strlen(first), first,
                (int)strlen(first));
    assert_true(client_until(c, 'R'));
    snprintf(server_first, sizeof server_first, "%.*s", (int)(c->got.len - 9),
             c->got.ptr + 9);
    c->got.len = 0;
    buf_init(&last, NULL, 1 << 12);
    fake_final(&verifier, "biws", "pencil", server_first, &last);
    client_send(c, 'p', "b", buf_text(&last), (int)last.len);
    buf_clear(&last);
    if (client_until(c, 'Z'))
        assert_string_equal(client_said(c, text), "R12 R0 Z:I");
}

/*
 * Asks while the worker threads' clock is stopped; returns when the work on the
 * question has begun.
 */
static void
client_ask_held(struct client *c, const char *sql)
{
    uint64_t before = server.counts.questions_total;

    atomic_store(&stopped, true);
    client_send(c, 'Q', "s", sql);
    while (server.counts.questions_total == before)
        usleep(1000);
}

/* The server sends nothing to this client for a while. */
static void
client_says_nothing(const struct client *c)
{
    struct pollfd ready = {.fd = c->fd, .events = POLLIN};

    assert_int_equal(poll(&ready, 1, 50), 0);
}

static void
client_close(struct client *c)
{
    close(c->fd);
    buf_clear(&c->got);
}

static void
cancel(uint32_t process, uint32_t secret)
{
    struct client c;

    client_open(&c);
    client_send(&c, 0, "444", 80877102u, process, secret);
    assert_false(client_until(&c, 'Z'));
    client_close(&c);
}

/* ---------------------------------------------------------------- tests -- */

static void
clients_ask_over_sockets(void **state)
{
    struct client a, b;

    (void)state;
    server_start(usual());
    client_login(&a, "ann");
    client_login(&b, "bob");
    for (int i = 0; i < 3; i++) {
        client_send(&a, 'Q', "s", "SELECT count(*) FROM people");
        client_send(&b, 'Q', "s", "SELECT sum(age) FROM people; SHOW TimeZone");
        expect(&a, 'Z', "N:00000 T D C:SELECT_1 Z:I");
        expect(&b, 'Z', "N:00000 T D C:SELECT_1 T D C:SELECT_1 Z:I");
    }
    assert_int_equal(server.counts.answers_charged_total, 2);
    assert_int_equal(server.counts.answers_stored_total, 4);
    client_close(&b);
    server_tell(SIGTERM);
    expect(&a, 'Z', "E:57P01");
    server_end();
    client_close(&a);
}

/* After too many wrong cancel keys from an address the right one is ignored. */
static void
wrong_keys_end_cancels(void **state)
{
    struct client a;

    (void)state;
    server_start(usual());
    client_login(&a, "ann");
    client_ask_held(&a, "SELECT count(*) FROM people WHERE age > 2");
    for (uint32_t i = 1; i <= GATE_CANCELS; i++)
        cancel(a.process, a.secret + i);
    cancel(a.process, a.secret);
    assert_int_equal(server.counts.cancels_wrong_total, GATE_CANCELS);
    assert_int_equal(server.counts.cancels_ignored_total, 1);
    assert_int_equal(server.counts.cancels_total, 0);
    atomic_store(&stopped, false);
    expect(&a, 'Z', "N:00000 T D C:SELECT_1 Z:I");
    server_tell(SIGTERM);
    expect(&a, 'Z', "E:57P01");
    server_end();
    client_close(&a);
}

/* Cancels a charged answer that waits for its step. */
static void
only_the_right_secret_cancels(void **state)
{
    struct client a;
    char text[4096];

    (void)state;
    server_start(usual());
    client_login(&a, "ann");
    client_ask_held(&a, "SELECT count(*) FROM people WHERE age > 1");
    cancel(a.process, a.secret + 1);
    cancel(a.process + 65536, a.secret);
    cancel(a.process + 1, a.secret);
    assert_int_equal(a.got.len, 0);
    assert_int_equal(server.counts.cancels_total, 0);
    cancel(a.process, a.secret);
    cancel(a.process, a.secret);
    assert_int_equal(server.counts.cancels_total, 1);
    client_says_nothing(&a); /* its time has not come */
    atomic_store(&stopped, false);
    expect(&a, 'Z', "E:57014 Z:I");
    /* the charge remains, and the session continues */
    client_send(&a, 'Q', "s", "SELECT count(*) FROM people");
    client_until(&a, 'Z');
    client_said(&a, text);
    assert_string_equal(text, "N:00000 T D C:SELECT_1 Z:I");
    server_tell(SIGTERM);
    server_end();
    client_close(&a);
}

static void
a_stop_waits_for_what_runs(void **state)
{
    struct client a, b;

    (void)state;
    server_start(usual());
    client_login(&a, "ann");
    client_login(&b, "bob");
    client_ask_held(&a, "SELECT count(*) FROM people WHERE age > 2");
    server_tell(SIGTERM);
    expect(&b, 'Z', "E:57P01");
    atomic_store(&stopped, false);
    expect(&a, 'X', "N:00000 T D C:SELECT_1 Z:I E:57P01");
    server_end();
    client_close(&a);
    client_close(&b);
}

static void
a_second_signal_ends_it_at_once(void **state)
{
    struct client a;

    (void)state;
    server_start(usual());
    client_login(&a, "ann");
    client_ask_held(&a, "SELECT count(*) FROM people WHERE age > 3");
    server_tell(SIGTERM);
    server_tell(SIGTERM);
    expect(&a, 'X', "E:57P01");
    atomic_store(&stopped, false);
    server_end();
    client_close(&a);
}

static void
limits_of_time_and_number(void **state)
{
    struct serve_limits limits = usual();
    struct client a, b, c;

    (void)state;
    limits.query_ms = 700;
    limits.connections = 2;
    limits.connections_per_analyst = 1;
    server_start(limits);
    client_login(&a, "ann");
    client_login(&b, "ann");
    expect(&b, 'X', "E:53300");
    client_close(&b);
    client_login(&b, "bob");
    client_login(&c, "bob");
    expect(&c, 'X', "E:53300");
    client_close(&c);
    client_ask_held(&a, "SELECT count(*) FROM people WHERE age > 4");
    while (!server.counts.timeouts_total)
        usleep(1000);
    client_says_nothing(&a);
    atomic_store(&stopped, false);
    expect(&a, 'Z', "E:57014 Z:I");
    assert_int_equal(server.counts.timeouts_total, 1);
    server_tell(SIGTERM);
    server_end();
    client_close(&a);
    client_close(&b);
}

/*
 * With more unauthenticated connections than the limit, analysts can still log
 * in.
 */
static void
strangers_keep_nobody_out(void **state)
{
    struct serve_limits limits = usual();
    struct client crowd[80], a;

    (void)state;
    limits.connections = 2;
    server_start(limits);
    for (size_t i = 0; i < COUNT_OF(crowd); i++)
        client_open(&crowd[i]);
    client_login(&a, "ann");
    client_send(&a, 'Q', "s", "SHOW TimeZone");
    expect(&a, 'Z', "T D C:SELECT_1 Z:I");
    expect(&crowd[0], 'E', "E:53300");
    server_tell(SIGTERM);
    server_end();
    client_close(&a);
    for (size_t i = 0; i < COUNT_OF(crowd); i++)
        client_close(&crowd[i]);
}

/*
 * Sending one byte costs nothing, so a new client is not evicted for having
 * sent none.
 */
static void
one_who_has_just_come_stays(void **state)
{
    struct serve_limits limits = usual();
    struct client crowd[3], fresh, next;

    (void)state;
    limits.strangers_per_address = 4;
    server_start(limits);
    for (size_t i = 0; i < COUNT_OF(crowd); i++) {
        client_open(&crowd[i]);
        assert_int_equal(send(crowd[i].fd, "", 1, MSG_NOSIGNAL), 1);
    }
    client_open(&fresh);
    client_open(&next);
    expect(&crowd[0], 'E', "E:53300");
    client_says_nothing(&fresh);
    server_tell(SIGTERM);
    server_end();
    client_close(&fresh);
    client_close(&next);
    for (size_t i = 0; i < COUNT_OF(crowd); i++)
        client_close(&crowd[i]);
}

/* Silent clients are evicted before one that has begun to log in. */
static void
the_silent_make_room_first(void **state)
{
    struct serve_limits limits = usual();
    struct client first, crowd[3], late;

    (void)state;
    limits.strangers_per_address = 3;
    server_start(limits);
    client_open(&first);
    client_send(&first, 0, "4ss1", 196608u, "user", "ann", 0u);
    assert_true(client_until(&first, 'R'));
    for (size_t i = 0; i < COUNT_OF(crowd) - 1; i++)
        client_open(&crowd[i]);
    usleep(1200000); /* they are silent, not just slow */
    client_open(&crowd[COUNT_OF(crowd) - 1]);
    expect(&crowd[0], 'E', "E:53300");
    client_open(&late);
    expect(&crowd[1], 'E', "E:53300");
    client_says_nothing(&first);
    assert_int_equal(server.counts.strangers_evicted_total, 2);
    server_tell(SIGTERM);
    server_end();
    client_close(&first);
    client_close(&late);
    for (size_t i = 0; i < COUNT_OF(crowd); i++)
        client_close(&crowd[i]);
}

static void
an_analyst_asks_so_often_a_minute(void **state)
{
    struct client a, b;

    (void)state;
    server_start(usual());
    client_login(&a, "ann");
    client_login(&b, "bob");
    for (int i = 0; i < REQUESTS; i++) {
        client_send(&a, 'Q', "s", "SHOW custos.budget");
        expect(&a, 'Z', "T D C:SELECT_1 Z:I");
    }
    client_send(&a, 'Q', "s", "SHOW custos.budget");
    expect(&a, 'Z', "E:53400 Z:I");
    assert_int_equal(server.counts.requests_refused_total, 1);
    client_send(&a, 'Q', "s", "SHOW TimeZone");
    expect(&a, 'Z', "T D C:SELECT_1 Z:I");
    client_send(&b, 'Q', "s", "SHOW custos.budget");
    expect(&b, 'Z', "T D C:SELECT_1 Z:I");
    server_tell(SIGTERM);
    server_end();
    client_close(&a);
    client_close(&b);
}

/*
 * A client that leaves while asking leaks nothing, and nobody gets its answer.
 */
static void
who_goes_while_asking_is_forgotten(void **state)
{
    struct client a, b;

    (void)state;
    server_start(usual());
    client_login(&b, "bob");
    for (int i = 0; i < 5; i++) {
        char sql[64];

        client_login(&a, "ann");
        snprintf(sql, sizeof sql, "SELECT count(*) FROM people WHERE age > %d",
                 i + 10);
        client_ask_held(&a, sql);
        client_close(&a);
        client_send(&b, 'Q', "s", "SHOW TimeZone");
        expect(&b, 'Z', "T D C:SELECT_1 Z:I");
        atomic_store(&stopped, false);
    }
    server_tell(SIGTERM);
    server_end();
    client_close(&b);
}

static int
begin(void **state)
{
    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv", "age\n10\n20\n30\n", NULL);
    test_store_init(&files);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    test_store_remove(&files);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_ask_over_sockets),
        cmocka_unit_test(only_the_right_secret_cancels),
        cmocka_unit_test(wrong_keys_end_cancels),
        cmocka_unit_test(a_stop_waits_for_what_runs),
        cmocka_unit_test(a_second_signal_ends_it_at_once),
        cmocka_unit_test(limits_of_time_and_number),
        cmocka_unit_test(strangers_keep_nobody_out),
        cmocka_unit_test(one_who_has_just_come_stays),
        cmocka_unit_test(the_silent_make_room_first),
        cmocka_unit_test(an_analyst_asks_so_often_a_minute),
        cmocka_unit_test(who_goes_while_asking_is_forgotten),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
