#include "serve/peer.h"

#include <arpa/inet.h>
#include <linux/tcp.h> /* for tcpi_bytes_acked, which older headers lack */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"

enum { GROUP_BYTES = 8, MAPPED_BYTES = 12 };

void
peer_group(str address, char out[PEER_GROUP_MAX])
{
    static const uint8_t mapped[MAPPED_BYTES] = {[10] = 0xff, [11] = 0xff};
    char text[INET6_ADDRSTRLEN];
    struct in6_addr a;

    snprintf(
        out, PEER_GROUP_MAX, "%.*s",
        (int)(address.len < PEER_GROUP_MAX ? address.len : PEER_GROUP_MAX - 1),
        address.ptr ? address.ptr : "");
    if (inet_pton(AF_INET6, out, &a) != 1)
        return;
    if (!memcmp(&a, mapped, sizeof mapped)) { /* ::ffff:192.0.2.1 */
        inet_ntop(AF_INET, (const uint8_t *)&a + MAPPED_BYTES, out,
                  PEER_GROUP_MAX);
        return;
    }
    memset((uint8_t *)&a + GROUP_BYTES, 0, sizeof a - GROUP_BYTES);
    inet_ntop(AF_INET6, &a, text, sizeof text);
    snprintf(out, PEER_GROUP_MAX, "%s/64", text);
}

int64_t
peer_acked(int fd)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof info;

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) ||
        len < offsetof(struct tcp_info, tcpi_bytes_acked) +
                  sizeof info.tcpi_bytes_acked)
        return -1;
    return (int64_t)info.tcpi_bytes_acked;
}
