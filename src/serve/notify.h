/*
 * Tells systemd (by sd_notify's protocol, one datagram each) that the server is
 * ready, that it stops, and that its loop still runs. No-op where nobody listens
 * (no NOTIFY_SOCKET).
 */
#ifndef SERVE_NOTIFY_H
#define SERVE_NOTIFY_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct notify {
    int fd; /* -1: nobody listens */
    struct sockaddr_un at;
    socklen_t at_len;
    int64_t every_us, next_us; /* period and next time of WATCHDOG=1; every_us
                                  0: never */
};

/* Reads the environment. Cannot fail: without a socket it does nothing. */
void notify_open(struct notify *n);
void notify_close(struct notify *n);

/* "READY=1", "STOPPING=1" ... Never waits. */
void notify_say(const struct notify *n, const char *state);

/* Sends WATCHDOG=1 when it is due: twice per WatchdogSec of the unit. */
void notify_alive(struct notify *n, int64_t now_us);

#endif
