/*
 * TLS 1.2 and later for PostgreSQL clients, on non-blocking sockets. Nothing else
 * uses OpenSSL.
 */
#ifndef SERVE_TLS_H
#define SERVE_TLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "custos.h"

struct tls;

/* Certificate chain and key, PEM files. May fail: CUSTOS_EINVAL, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status tls_new(const char *cert, const char *key,
                                      struct tls **out, custos_err *err);
void tls_free(struct tls *t);

/* One connection. It holds what it needs of t, which may be freed before it. */
struct tls_link;

struct tls_link *tls_link_new(struct tls *t, int fd); /* NULL: no memory */
void tls_link_free(struct tls_link *l);               /* sends close_notify */

enum tls_result {
    TLS_DONE,
    TLS_READ,  /* call again when the socket can be read */
    TLS_WRITE, /* call again when it can be written */
    TLS_CLOSED,
};

/* tls-server-end-point (RFC 5929): the hash of its certificate. */
str tls_binding(const struct tls_link *l);

enum tls_result tls_handshake(struct tls_link *l);
enum tls_result
tls_read(struct tls_link *l, void *bytes, size_t room, size_t *got);
enum tls_result
tls_write(struct tls_link *l, const void *bytes, size_t len, size_t *put);

#endif
