/*
 * Messages to systemd, received by a socket of the test.
 */
#include "serve/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/support.h"

/* A socket with an abstract name. */
static int
listen_abstract(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    char name[64];

    snprintf(name, sizeof name, "@custos-notify-%d", (int)getpid());
    memcpy(at.sun_path, name, strlen(name));
    at.sun_path[0] = '\0';
    assert_int_equal(bind(fd, (struct sockaddr *)&at,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                                      strlen(name))),
                     0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

static void
expect(int fd, const char *want)
{
    char got[64];
    ssize_t n = recv(fd, got, sizeof got - 1, 0);

    got[n > 0 ? n : 0] = '\0';
    assert_string_equal(got, want);
}

static void
states_are_sent_as_they_are(void **state)
{
    int fd = listen_abstract();
    struct notify n;

    (void)state;
    unsetenv("WATCHDOG_USEC");
    notify_open(&n);
    assert_true(n.fd >= 0);
    notify_say(&n, "READY=1");
    expect(fd, "READY=1");
    notify_alive(&n, 1000000);
    expect(fd, "");
    notify_close(&n);
    notify_say(&n, "STOPPING=1");
    expect(fd, "");
    close(fd);
}

static void
the_watchdog_is_fed_twice_in_its_time(void **state)
{
    int fd = listen_abstract();
    struct notify n;
    char pid[16];

    (void)state;
    setenv("WATCHDOG_USEC", "1000000", 1);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("WATCHDOG_PID", pid, 1);
    notify_open(&n);
    notify_alive(&n, 100);
    expect(fd, "WATCHDOG=1");
    notify_alive(&n, 100 + 499999);
    expect(fd, "");
    notify_alive(&n, 100 + 500000);
    expect(fd, "WATCHDOG=1");
    expect(fd, "");
    notify_close(&n);
    setenv("WATCHDOG_PID", "1", 1); /* another process */
    notify_open(&n);
    notify_alive(&n, 100);
    expect(fd, "");
    notify_close(&n);
    close(fd);
}

static void
without_a_socket_nothing_happens(void **state)
{
    static const char *const none[] = {"", "/", "relative", "/no/such/socket"};
    struct notify n;

    (void)state;
    unsetenv("NOTIFY_SOCKET");
    notify_open(&n);
    assert_int_equal(n.fd, -1);
    notify_say(&n, "READY=1");
    for (size_t i = 0; i < 4; i++) {
        setenv("NOTIFY_SOCKET", none[i], 1);
        notify_open(&n);
        notify_say(&n, "READY=1");
        notify_close(&n);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_sent_as_they_are),
        cmocka_unit_test(the_watchdog_is_fed_twice_in_its_time),
        cmocka_unit_test(without_a_socket_nothing_happens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
