/*
 * Which addresses count as one, and how much a peer has received.
 */
#include "../support/support.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/peer.h"

static void
addresses_are_grouped(void **state)
{
    static const char *const rows[][2] = {
        {"192.0.2.1", "192.0.2.1"},
        {"::ffff:192.0.2.1", "192.0.2.1"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
        {"2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"},
        {"2001:db8:1:3::1", "2001:db8:1:3::/64"},
        {"::1", "::/64"},
        {"", ""},
        {"nowhere", "nowhere"},
    };
    char group[PEER_GROUP_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        peer_group(str_of(rows[i][0]), group);
        assert_string_equal(group, rows[i][1]);
    }
    peer_group((str){NULL, 0}, group);
    assert_string_equal(group, "");
}

/*
 * peer_acked grows as the client reads. Unread bytes fill the client's receive
 * buffer, and then the number stops growing.
 */
static void
what_is_read_is_seen(void **state)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int client = socket(AF_INET, SOCK_STREAM, 0), server, pair[2];
    static char bytes[1 << 16];
    socklen_t len = sizeof at;
    int64_t before, now;

    (void)state;
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&at, sizeof at), 0);
    server = accept(listener, NULL, NULL);
    assert_true(server >= 0);
    while (send(server, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        ;
    do { /* until the client's buffer is full */
        before = peer_acked(server);
        usleep(200000);
    } while (peer_acked(server) != before);
    assert_true(before > 0);
    for (int i = 0; i < 1000; i++) {
        (void)!recv(client, bytes, sizeof bytes, MSG_DONTWAIT);
        usleep(1000);
    }
    now = peer_acked(server);
    assert_true(now > before);
    close(client);
    close(server);
    close(listener);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(peer_acked(pair[0]), -1);
    close(pair[0]);
    close(pair[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_grouped),
        cmocka_unit_test(what_is_read_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
