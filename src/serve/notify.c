#include "serve/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The unit's WatchdogSec, if it is for this process. */
static int64_t
watchdog_us(void)
{
    const char *us = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    long long value = us ? strtoll(us, NULL, 10) : 0;

    if (pid && strtoll(pid, NULL, 10) != (long long)getpid())
        return 0;
    return value > 0 ? value : 0;
}

void
notify_open(struct notify *n)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t len = path ? strlen(path) : 0;

    *n = (struct notify){.fd = -1, .at.sun_family = AF_UNIX};
    if (len < 2 || len >= sizeof n->at.sun_path ||
        (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(n->at.sun_path, path, len);
    if (path[0] == '@') /* an abstract name, without a file */
        n->at.sun_path[0] = '\0';
    n->at_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    n->every_us = watchdog_us() / 2;
}

void
notify_close(struct notify *n)
{
    if (n->fd >= 0)
        close(n->fd);
    n->fd = -1;
}

void
notify_say(const struct notify *n, const char *state)
{
    if (n->fd >= 0)
        (void)!sendto(n->fd, state, strlen(state), MSG_DONTWAIT | MSG_NOSIGNAL,
                      (const struct sockaddr *)&n->at, n->at_len);
}

void
notify_alive(struct notify *n, int64_t now_us)
{
    if (!n->every_us || now_us < n->next_us)
        return;
    n->next_us = now_us + n->every_us;
    notify_say(n, "WATCHDOG=1");
}
