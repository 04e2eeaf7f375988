#include "serve/tls.h"

#include <stdlib.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/error.h"

struct binding {
    unsigned int len;
    uint8_t bytes[EVP_MAX_MD_SIZE];
};

struct tls {
    SSL_CTX *context;
    struct binding binding;
};

struct tls_link {
    SSL *ssl;
    struct binding binding;
};

/* Hashes the certificate with the hash function of its signature, or with
   SHA-256 if that is MD5, SHA-1 or none. */
static bool
binding_make(struct tls *t)
{
    X509 *cert = SSL_CTX_get0_certificate(t->context);
    const EVP_MD *hash = NULL;
    int nid;

    if (!cert)
        return false;
    if (X509_get_signature_info(cert, &nid, NULL, NULL, NULL) &&
        nid != NID_md5 && nid != NID_sha1 && nid != NID_undef)
        hash = EVP_get_digestbynid(nid);
    return X509_digest(cert, hash ? hash : EVP_sha256(), t->binding.bytes,
                       &t->binding.len) == 1;
}

static custos_status
load_certificate(struct tls *t, const char *cert, const char *key,
                 custos_err *err)
{
    SSL_CTX *c = t->context;

    SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION);
    SSL_CTX_set_options(c, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_NO_TICKET |
                               SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
    /* Reads one record at a time, for which tls_read's caller has room. So no
       bytes wait here that epoll does not report. */
    SSL_CTX_set_read_ahead(c, 0);
    /* An idle connection holds no buffers. */
    SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS |
                            SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (SSL_CTX_use_certificate_chain_file(c, cert) != 1)
        return custos_fail(err, CUSTOS_EINVAL,
                           "--tls-cert: %.80s holds no certificate in PEM",
                           cert);
    if (SSL_CTX_use_PrivateKey_file(c, key, SSL_FILETYPE_PEM) != 1)
        return custos_fail(err, CUSTOS_EINVAL,
                           "--tls-key: %.80s holds no key in PEM that fits "
                           "the certificate",
                           key);
    if (SSL_CTX_check_private_key(c) != 1 || !binding_make(t))
        return custos_fail(err, CUSTOS_EINVAL,
                           "the key does not belong to the certificate");
    return CUSTOS_OK;
}

custos_status
tls_new(const char *cert, const char *key, struct tls **out, custos_err *err)
{
    struct tls *t = calloc(1, sizeof *t);
    custos_status st;

    if (!t || !(t->context = SSL_CTX_new(TLS_server_method())))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else
        st = load_certificate(t, cert, key, err);
    ERR_clear_error();
    if (st)
        tls_free(t);
    else
        *out = t;
    return st;
}

void
tls_free(struct tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(t->context);
    free(t);
}

/* ---------------------------------------------------------- connections -- */

struct tls_link *
tls_link_new(struct tls *t, int fd)
{
    struct tls_link *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->ssl = SSL_new(t->context);
    if (!l->ssl || SSL_set_fd(l->ssl, fd) != 1) {
        tls_link_free(l);
        return NULL;
    }
    SSL_set_accept_state(l->ssl);
    l->binding = t->binding;
    return l;
}

str
tls_binding(const struct tls_link *l)
{
    return (str){(const char *)l->binding.bytes, l->binding.len};
}

void
tls_link_free(struct tls_link *l)
{
    if (!l)
        return;
    if (l->ssl && SSL_is_init_finished(l->ssl))
        SSL_shutdown(l->ssl);
    SSL_free(l->ssl);
    ERR_clear_error();
    free(l);
}

static enum tls_result
result_of(struct tls_link *l, int returned)
{
    int why;

    if (returned == 1)
        return TLS_DONE;
    why = SSL_get_error(l->ssl, returned);
    ERR_clear_error();
    return why == SSL_ERROR_WANT_READ    ? TLS_READ
           : why == SSL_ERROR_WANT_WRITE ? TLS_WRITE
                                         : TLS_CLOSED;
}

enum tls_result
tls_handshake(struct tls_link *l)
{
    return result_of(l, SSL_do_handshake(l->ssl));
}

enum tls_result
tls_read(struct tls_link *l, void *bytes, size_t room, size_t *got)
{
    *got = 0;
    return result_of(l, SSL_read_ex(l->ssl, bytes, room, got));
}

enum tls_result
tls_write(struct tls_link *l, const void *bytes, size_t len, size_t *put)
{
    *put = 0;
    return result_of(l, SSL_write_ex(l->ssl, bytes, len, put));
}
