/*
 * Addresses to listen on.
 */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>

#include "custos.h"

enum { LISTEN_TEXT_MAX = 80 };

struct listening {
    int fd;
    bool loopback;              /* nobody outside this machine reaches it */
    char text[LISTEN_TEXT_MAX]; /* "127.0.0.1:6432", with the actual port */
};

/*
 * Binds and listens at "HOST:PORT" or "[HOST]:PORT" with a non-blocking socket;
 * port 0 means any free port. Error messages name the command's `option`. May
 * fail: CUSTOS_EINVAL, CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status listen_open(const char *address,
                                          const char *option,
                                          struct listening *out,
                                          custos_err *err);

/* Accepts the next connection, without waiting; -1: none waits, or it failed;
   errno says which. The address is written without a port. */
int listen_accept(int fd, char address[64]);

#endif
