/*
 * The HTTP listener: has a thread of its own and asks questions (question.h) on
 * the workers.
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
 * Reads certificate and key again, for connections from now on. Open connections
 * keep the old ones, since the library cannot give a daemon another certificate.
 * On failure nothing has changed. Fails as http_start does.
 */
CUSTOS_MUST_USE custos_status http_renew(struct http **web, int fd,
                                         const char *tls_cert,
                                         const char *tls_key, custos_err *err);

/* Accepts nobody new; questions that run come back by their jobs. */
void http_quiesce(struct http *h);

/* After workers_stop: nothing of it is on a worker any more. */
void http_stop(struct http *h);

#endif
