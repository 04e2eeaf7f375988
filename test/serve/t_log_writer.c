/*
 * The writer of the log: logging never waits for the reader of the log, and
 * dropped lines are counted and reported.
 */
#include "serve/log_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/log.h"
#include "support/support.h"

/* Reads until the end or a pause. */
static size_t
drain(int fd, char *out, size_t size)
{
    size_t n = 0;
    ssize_t got;

    while (n < size - 1 && (got = read(fd, out + n, size - 1 - n)) > 0)
        n += (size_t)got;
    out[n] = '\0';
    return n;
}

static size_t
lines_of(const char *text, const char *what)
{
    size_t n = 0;

    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void
lines_come_in_order(void **state)
{
    static char text[1 << 16];
    _Atomic uint64_t dropped = 0;
    const char *at;
    custos_err err = CUSTOS_ERR_INIT;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(log_writer_start(ends[1], &dropped, &err), CUSTOS_OK);
    for (int i = 0; i < 100; i++) {
        struct log_line l;

        log_begin(&l, "test");
        log_int(&l, "n", i);
        log_end(&l, ends[1]);
    }
    log_writer_stop();
    close(ends[1]);
    drain(ends[0], text, sizeof text);
    close(ends[0]);
    at = text;
    for (int i = 0; i < 100; i++) {
        char want[32];

        snprintf(want, sizeof want, " event=test n=%d\n", i);
        at = strstr(at, want);
        assert_non_null(at);
    }
    assert_int_equal(dropped, 0);
    assert_int_equal(lines_of(text, "\n"), 100);
}

/* How many dropped lines the whole lines of the text report; there is one such
   line for each gap. */
static uint64_t
reported(const char *text)
{
    static const char gap[] = " event=log dropped=";
    uint64_t sum = 0;

    for (const char *at = text; (at = strstr(at, gap));) {
        at += strlen(gap);
        if (strchr(at, '\n'))
            sum += strtoull(at, NULL, 10);
    }
    return sum;
}

/*
 * More lines than pipe and queue can hold, and nobody reads: every call
 * returns.
 */
static void
fill_up(int ends[2])
{
    static char text[4 * LOG_QUEUE_BYTES];
    char blanks[300];
    _Atomic uint64_t dropped = 0;
    enum { LINES = 3000 };
    uint64_t lost;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n;

    memset(blanks, 'x', sizeof blanks);
    assert_int_equal(log_writer_start(ends[1], &dropped, &err), CUSTOS_OK);
    for (int i = 0; i < LINES; i++) {
        struct log_line l;

        log_begin(&l, "test");
        log_text(&l, "blanks", (str){blanks, sizeof blanks});
        log_end(&l, ends[1]);
    }
    lost = dropped;
    assert_true(lost > 0 && lost < LINES);
    /* the rest is read, and the gap is reported */
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    memset(text, 0, sizeof text);
    for (n = 0; n < sizeof text - 1 && reported(text) < lost;) {
        size_t more = drain(ends[0], text + n, sizeof text - n);

        n += more;
        if (!more)
            usleep(1000);
    }
    log_writer_stop();
    assert_int_equal(dropped, lost);
    assert_int_equal(reported(text), lost);
    assert_int_equal(lines_of(text, " event=test "), LINES - lost);
    close(ends[0]);
    close(ends[1]);
}

static void
a_full_pipe_holds_nobody(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    fill_up(ends);
}

/* Standard error under systemd is a socket. */
static void
a_full_socket_holds_nobody(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    fill_up(ends);
}

/* Stopping does not wait for a reader either. */
static void
it_stops_while_nobody_reads(void **state)
{
    _Atomic uint64_t dropped = 0;
    custos_err err = CUSTOS_ERR_INIT;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    assert_int_equal(log_writer_start(ends[1], &dropped, &err), CUSTOS_OK);
    for (int i = 0; i < 1000; i++) {
        struct log_line l;

        log_begin(&l, "test");
        log_end(&l, ends[1]);
    }
    log_writer_stop();
    assert_false(log_writer_put(ends[1], "x\n", 2));
    log_writer_stop();
    close(ends[0]);
    close(ends[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_in_order),
        cmocka_unit_test(a_full_pipe_holds_nobody),
        cmocka_unit_test(a_full_socket_holds_nobody),
        cmocka_unit_test(it_stops_while_nobody_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
