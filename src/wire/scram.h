/*
 * SCRAM-SHA-256 and SCRAM-SHA-256-PLUS (RFC 5802, 7677), the server's side:
 * messages in, messages out; no I/O, no randomness of its own.
 *
 * A password is used here only to make a verifier, and a verifier is not enough to
 * log in. A login with a name that does not exist runs the same steps on a mock
 * verifier, which depends only on the name and a secret of the server. So neither
 * messages nor steps reveal which names exist.
 *
 * Passwords are printable ASCII, which SASLprep does not change; for other
 * characters clients differ in what they send.
 */
#ifndef WIRE_SCRAM_H
#define WIRE_SCRAM_H

#include <stdint.h>

#include "base/sha256.h"
#include "base/str.h"

enum {
    SCRAM_SALT_BYTES = 16, /* of the verifiers we make */
    SCRAM_SALT_MAX = 64,
    SCRAM_ITERATIONS = 4096, /* of the verifiers we make */
    SCRAM_ITERATIONS_MAX = 1000000,
    SCRAM_NONCE_BYTES = 18, /* random bytes of the server's nonce */
    SCRAM_MESSAGE_MAX = 1024,
    SCRAM_BINDING_MAX = 64, /* a hash of the certificate */
    SCRAM_PASSWORD_MAX = 1024,
};

struct scram_verifier {
    bool mock; /* nobody can log in with it */
    uint32_t iterations;
    size_t salt_len;
    uint8_t salt[SCRAM_SALT_MAX];
    uint8_t stored_key[SHA256_BYTES], server_key[SHA256_BYTES];
};

/* May fail: CUSTOS_EINVAL (a password that is empty, too long or not printable
   ASCII; iterations or salt out of range). */
CUSTOS_MUST_USE custos_status scram_verifier_make(
    str password, const uint8_t *salt, size_t salt_len, uint32_t iterations,
    struct scram_verifier *out, custos_err *err);

/* PostgreSQL's text: SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey> */
void scram_verifier_write(const struct scram_verifier *v, struct buf *out);
CUSTOS_MUST_USE custos_status scram_verifier_read(str text,
                                                  struct scram_verifier *out,
                                                  custos_err *err);

/*
 * For a name without a password: nobody can log in with it. Cannot fail.
 *
 * THEOREM  scram-names
 *   Before a proof is accepted, a login shows only the salt and the iterations
 *   of a verifier, and for a mock no proof is accepted. A mock's salt is the
 *   first half of the SHA-256 of a constant, a secret and the name. To whoever
 *   does not hold the secret, it is a random string that stays the same from
 *   login to login, like the salt of a true verifier.
 * SOURCE   RFC 5802, section 9; Coron, Dodis, Malinaud, Puniya 2005,
 *          "Merkle-Damgard revisited" (a hash whose output is cut behaves as a
 *          random function).
 * NEEDS    The salt is credential_mock_salt's; its secret never changes and is
 *          never shown. A verifier that was made elsewhere, with a number of
 *          iterations or bytes of salt other than the two above, reveals that
 *          its name exists.
 * GIVES    Messages, errors and steps of a login do not depend on whether the
 *          name exists, except for whoever knows its password.
 * FAILS    Cannot.
 * TESTED   mock_salts_stay, names_that_do_not_exist, logins_that_fail,
 *          names_look_alike_on_the_wire
 */
void scram_verifier_mock(const uint8_t salt[SCRAM_SALT_BYTES],
                         struct scram_verifier *out);

/*
 * One login. scram_begin copies what it is given; scram_clear wipes it. The
 * binding is the tls-server-end-point data of the connection's certificate,
 * empty without TLS; if it is not empty, SCRAM-SHA-256-PLUS was offered.
 */
struct scram {
    enum { SCRAM_WAITS_FIRST, SCRAM_WAITS_FINAL, SCRAM_DONE, SCRAM_FAILED } at;
    struct scram_verifier verifier;
    uint8_t server_nonce[SCRAM_NONCE_BYTES];
    size_t binding_len;
    uint8_t binding[SCRAM_BINDING_MAX];
    size_t header_len;
    char header[32]; /* the client's gs2 header */
    bool bound;      /* the client chose PLUS */
    size_t nonce_len;
    char nonce[256]; /* the client's and ours */
    size_t said_len;
    char said[2 * SCRAM_MESSAGE_MAX]; /* client-first-bare,server-first, */
};

void scram_begin(struct scram *s, const struct scram_verifier *verifier,
                 const uint8_t nonce[SCRAM_NONCE_BYTES], str binding);

/*
 * client-first in, server-first out. May fail: CUSTOS_EPROTOCOL (not SCRAM, a
 * mechanism that was not offered, a channel binding that does not match).
 */
CUSTOS_MUST_USE custos_status scram_first(struct scram *s, str mechanism,
                                          str message, struct buf *out,
                                          custos_err *err);

/*
 * client-final in, server-final out. May fail: CUSTOS_EPROTOCOL, CUSTOS_EAUTH
 * (the same sentence whatever was wrong).
 *
 * THEOREM  scram-proof
 *   CUSTOS_OK needs a key K with SHA-256(K) = StoredKey, hidden by the HMAC of
 *   this conversation under StoredKey: both nonces, salt, iterations, and the
 *   channel that the client believes it is on. Whoever does not hold K (this
 *   includes the verifier's holder) can find one only by inverting SHA-256. A
 *   proof from another conversation, or from a man in the middle of TLS, is over
 *   other bytes.
 * SOURCE   RFC 5802, sections 3, 5, 6 and 9; RFC 7677; RFC 5929, section 4.
 * NEEDS    Nonces that do not repeat; steps in order, which s->at enforces.
 * GIVES    On CUSTOS_OK, and only then, the client knows the password (or the
 *          key made of it), and speaks on the channel that the server sees.
 * FAILS    CUSTOS_EPROTOCOL, CUSTOS_EAUTH; after either, every later step fails.
 * TESTED   the_example_of_the_rfc, logins_that_fail, every_byte_counts,
 *          first_messages_that_are_refused
 */
CUSTOS_MUST_USE custos_status scram_final(struct scram *s, str message,
                                          struct buf *out, custos_err *err);

void scram_clear(struct scram *s);

#endif
