/*
 * The HTTP listener: it has a thread of its own and hands questions
 * (question.h) to the worker threads.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "serve/parts.h"

struct http;

/*
 * Listens on fd, which is bound already and stays the caller's. With a
 * certificate and key (PEM files) it speaks TLS only. May fail: CUSTOS_EIO,
 * CUSTOS_EINVAL (certificate or key), CUSTOS_ENOMEM, and as curator_share does.
 */
CUSTOS_MUST_USE custos_status http_start(const struct serve_parts *parts,
                                         int fd, const char *tls_cert,
                                         const char *tls_key, struct http **out,
                                         custos_err *err);

/*
 * Reads certificate and key again, for new connections. Open connections keep
 * the old ones, since the library cannot give a daemon another certificate. On
 * failure nothing has changed. Fails as http_start does.
 */
CUSTOS_MUST_USE custos_status http_renew(struct http **web, int fd,
                                         const char *tls_cert,
                                         const char *tls_key, custos_err *err);

/* Accepts no new connections. Running questions still come back. */
void http_quiesce(struct http *h);

/* Call it after workers_stop, when the worker threads have no more jobs of this
   listener. */
void http_stop(struct http *h);

#endif
