/*
 * The HTTP listener: starts threads of its own, asks by question.h on the
 * workers.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include "serve/server.h"

struct http;

/*
 * Listens on fd, which is bound already and stays the caller's. With a
 * certificate and key (PEM files) it speaks TLS only. May fail: CUSTOS_EIO,
 * CUSTOS_EINVAL (certificate), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status http_start(const struct serve_parts *parts,
                                         int fd, const char *tls_cert,
                                         const char *tls_key, struct http **out,
                                         custos_err *err);

/*
 * Reads certificate and key again: who connects from now on meets them, and
 * who is connected stays until he goes, for the library cannot give a daemon
 * another certificate. On failure nothing has changed. May fail as http_start.
 */
CUSTOS_MUST_USE custos_status http_renew(struct http **web, int fd,
                                         const char *tls_cert,
                                         const char *tls_key, custos_err *err);

/* Accepts nobody new; questions that run come back by their jobs. */
void http_quiesce(struct http *h);

/* After workers_stop: nothing of it is on a worker any more. */
void http_stop(struct http *h);

#endif
