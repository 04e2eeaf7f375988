/*
 * SCRAM: the examples of RFC 7677 and of a PostgreSQL 15 server, an independent
 * client, and everything that must not log in.
 */
#include "support/said.h"
#include "wire/scram.h"

#include <sodium.h>
#include <stdio.h>

#include "base/base.h"
#include "support/bytes.h"
#include "support/support.h"

#define PLAIN "SCRAM-SHA-256"
#define PLUS "SCRAM-SHA-256-PLUS"
#define END_POINT "0123456789abcdef0123456789abcdef"

static const uint8_t server_nonce[SCRAM_NONCE_BYTES] = "eighteen bytes, ok";

#define POSTGRESQL_15                                                          \
    "SCRAM-SHA-256$4096:qRbgTJq4/1zY4nlXvcRUIw==$"                             \
    "XfqTAXNaepB5S6AnrMr/Lz8wUUh/eVu+wqL+dC9Zg+M=:"                            \
    "2PWGT7Mg91VVeVpTH4SC/P+AAM6qUVwcdSIsz/YAeuM=" /* of "pencil" */

static struct scram_verifier
verifier(const char *password)
{
    static const uint8_t salt[] = "0123456789abcdef";
    struct scram_verifier v;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(
        scram_verifier_make(str_of(password), salt, 16, 64, &v, &err),
        CUSTOS_OK);
    return v;
}

/* ------------------------------------------------------- known answers -- */

static void
verifiers_as_postgresql_makes_them(void **state)
{
    static const char text[] = POSTGRESQL_15;
    struct scram_verifier v, made;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf out;

    (void)state;
    assert_int_equal(scram_verifier_read(str_of(text), &v, &err), CUSTOS_OK);
    assert_int_equal(v.iterations, 4096);
    assert_int_equal(v.salt_len, 16);
    assert_int_equal(scram_verifier_make(str_of("pencil"), v.salt, v.salt_len,
                                         v.iterations, &made, &err),
                     CUSTOS_OK);
    buf_init(&out, NULL, 1000);
    scram_verifier_write(&made, &out);
    assert_string_equal(buf_text(&out), text);
    buf_clear(&out);
}

/*
 * RFC 7677, section 3. Its nonce has characters that ours never has, so the
 * test sets the state after the first step by hand.
 */
static void
the_example_of_the_rfc(void **state)
{
    static const char first[] =
        "n=user,r=rOprNGfwEbeRWgbNEkqO,"
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,";
    static const char last[] =
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    static const char nonce[] =
        "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    struct scram_verifier v;
    uint8_t salt[16];
    struct scram s;
    struct buf out;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(
        sodium_base642bin(salt, sizeof salt, "W22ZaJ0SNY7soEsUEjb6gQ==", 24,
                          NULL, NULL, NULL, sodium_base64_VARIANT_ORIGINAL),
        0);
    assert_int_equal(
        scram_verifier_make(str_of("pencil"), salt, 16, 4096, &v, &err),
        CUSTOS_OK);
    scram_begin(&s, &v, server_nonce, str_of(""));
    s.at = SCRAM_WAITS_FINAL;
    memcpy(s.header, "n,,", s.header_len = 3);
    memcpy(s.nonce, nonce, s.nonce_len = sizeof nonce - 1);
    memcpy(s.said, first, s.said_len = sizeof first - 1);
    buf_init(&out, NULL, 1000);
    assert_int_equal(scram_final(&s, str_of(last), &out, &err), CUSTOS_OK);
    assert_string_equal(buf_text(&out),
                        "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    buf_clear(&out);
}

/* ----------------------------------------------------------- a client -- */

static void
hmac(const uint8_t *key, size_t key_len, const char *text, size_t len,
     uint8_t out[32])
{
    crypto_auth_hmacsha256_state h;

    crypto_auth_hmacsha256_init(&h, key, key_len);
    crypto_auth_hmacsha256_update(&h, (const unsigned char *)text, len);
    crypto_auth_hmacsha256_final(&h, out);
}

static void
salted_password(const char *password, const uint8_t *salt, size_t salt_len,
                uint32_t iterations, uint8_t out[32])
{
    char block[SCRAM_SALT_MAX + 4];
    uint8_t u[32];

    memcpy(block, salt, salt_len);
    memcpy(block + salt_len, "\0\0\0\1", 4);
    hmac((const uint8_t *)password, strlen(password), block, salt_len + 4, u);
    memcpy(out, u, 32);
    for (uint32_t i = 1; i < iterations; i++) {
        hmac((const uint8_t *)password, strlen(password), (char *)u, 32, u);
        for (int j = 0; j < 32; j++)
            out[j] ^= u[j];
    }
}

struct client {
    const char *mechanism, *header, *password;
    str binding; /* the channel binding it assumes */
    const struct scram_verifier *known;
    const char *last_extra; /* before the proof */
    const char *nonce;      /* "r=..." instead of the right one */
};

/*
 * The client-final message for a server-first one; it ends with the proof in
 * base64.
 */
static void
client_last(const struct client *c, const char *server_first, char out[1024])
{
    uint8_t salted[32], key[32], stored[32], signature[32], bound[128];
    char said[2048], c64[256], p64[64];
    size_t n = strlen(c->header);
    int len;

    memcpy(bound, c->header, n);
    memcpy(bound + n, c->binding.ptr, c->binding.len);
    sodium_bin2base64(c64, sizeof c64, bound, n + c->binding.len,
                      sodium_base64_VARIANT_ORIGINAL);
    len = snprintf(
        out, 1024, "c=%s,%.*s%s", c64, (int)strcspn(server_first, ","),
        c->nonce ? c->nonce : server_first, c->last_extra ? c->last_extra : "");
    snprintf(said, sizeof said, "n=,r=abc,%s,%s", server_first, out);
    salted_password(c->password, c->known->salt, c->known->salt_len,
                    c->known->iterations, salted);
    hmac(salted, 32, "Client Key", 10, key);
    crypto_hash_sha256(stored, key, 32);
    hmac(stored, 32, said, strlen(said), signature);
    for (int i = 0; i < 32; i++)
        key[i] ^= signature[i];
    sodium_bin2base64(p64, sizeof p64, key, 32, sodium_base64_VARIANT_ORIGINAL);
    snprintf(out + len, 1024 - (size_t)len, ",p=%s", p64);
}

/* A complete login; returns the status of the last step. */
static custos_status
login(const struct client *c, str binding, struct buf *out, custos_err *err)
{
    char first[128], last[1024];
    custos_status st;
    struct scram s;

    scram_begin(&s, c->known, server_nonce, binding);
    snprintf(first, sizeof first, "%sn=,r=abc", c->header);
    buf_clear(out);
    st = scram_first(&s, str_of(c->mechanism), str_of(first), out, err);
    if (!st) {
        client_last(c, buf_text(out), last);
        buf_clear(out);
        st = scram_final(&s, str_of(last), out, err);
    }
    assert_int_equal(s.at, st ? SCRAM_FAILED : SCRAM_DONE);
    if (st)
        assert_true(out->len == 0);
    scram_clear(&s);
    return st;
}

static void
logins_that_succeed(void **state)
{
    struct scram_verifier v = verifier("s3cret");
    const struct {
        struct client client;
        str binding;
    } rows[] = {
        {{PLAIN, "n,,", "s3cret", BYTES(""), &v, NULL, NULL}, BYTES("")},
        {{PLAIN, "y,,", "s3cret", BYTES(""), &v, NULL, NULL}, BYTES("")},
        {{PLAIN, "n,,", "s3cret", BYTES(""), &v, NULL, NULL}, BYTES(END_POINT)},
        {{PLAIN, "n,,", "s3cret", BYTES(""), &v, ",x=ignored", NULL},
         BYTES("")},
        {{PLUS, "p=tls-server-end-point,,", "s3cret", BYTES(END_POINT), &v,
          NULL, NULL},
         BYTES(END_POINT)},
    };
    struct buf out;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    buf_init(&out, NULL, 4096);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(login(&rows[i].client, rows[i].binding, &out, &err),
                         CUSTOS_OK);
        assert_memory_equal(out.ptr, "v=", 2);
        assert_int_equal(out.len, 2 + 44);
    }
    buf_clear(&out);
}

/*
 * A verifier made by PostgreSQL accepts its own password and no other; a mock
 * accepts none.
 */
static void
logins_by_a_verifier_of_postgresql(void **state)
{
    static const char *const wrong[] = {"pencil ", "Pencil", ""};
    struct scram_verifier v;
    struct client c = {PLAIN, "n,,", "pencil", BYTES(""), &v, NULL, NULL};
    custos_err err = CUSTOS_ERR_INIT;
    struct buf out;

    (void)state;
    assert_int_equal(scram_verifier_read(str_of(POSTGRESQL_15), &v, &err),
                     CUSTOS_OK);
    buf_init(&out, NULL, 4096);
    assert_int_equal(login(&c, BYTES(""), &out, &err), CUSTOS_OK);
    v.mock = true;
    assert_int_equal(login(&c, BYTES(""), &out, &err), CUSTOS_EAUTH);
    v.mock = false;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        c.password = wrong[i];
        assert_int_equal(login(&c, BYTES(""), &out, &err), CUSTOS_EAUTH);
    }
    buf_clear(&out);
}

static void
logins_that_fail(void **state)
{
    struct scram_verifier v = verifier("s3cret"), mock = v;
    const struct {
        struct client client;
        str binding;
        custos_status want;
        const char *said;
    } rows[] = {
        {{PLAIN, "n,,", "secret", BYTES(""), &v, NULL, NULL},
         BYTES(""),
         CUSTOS_EAUTH,
         "wrong"},
        {{PLAIN, "n,,", "", BYTES(""), &v, NULL, NULL},
         BYTES(""),
         CUSTOS_EAUTH,
         "wrong"},
        /* the right password, but the name does not exist */
        {{PLAIN, "n,,", "s3cret", BYTES(""), &mock, NULL, NULL},
         BYTES(""),
         CUSTOS_EAUTH,
         "wrong"},
        /* the client saw no offer of SCRAM-SHA-256-PLUS, but there was one */
        {{PLAIN, "y,,", "s3cret", BYTES(""), &v, NULL, NULL},
         BYTES(END_POINT),
         CUSTOS_EPROTOCOL,
         "was not told so"},
        {{PLUS, "p=tls-server-end-point,,", "s3cret", BYTES("another"), &v,
          NULL, NULL},
         BYTES(END_POINT),
         CUSTOS_EPROTOCOL,
         "another connection"},
        {{PLUS, "p=tls-server-end-point,,", "s3cret", BYTES(""), &v, NULL,
          NULL},
         BYTES(END_POINT),
         CUSTOS_EPROTOCOL,
         "another connection"},
        {{PLUS, "p=tls-server-end-point,,", "s3cret", BYTES(END_POINT), &v,
          NULL, NULL},
         BYTES(""),
         CUSTOS_EPROTOCOL,
         "no TLS"},
        {{PLUS, "p=tls-unique,,", "s3cret", BYTES(END_POINT), &v, NULL, NULL},
         BYTES(END_POINT),
         CUSTOS_EPROTOCOL,
         "bound to tls-server-end-point"},
        {{PLUS, "n,,", "s3cret", BYTES(""), &v, NULL, NULL},
         BYTES(END_POINT),
         CUSTOS_EPROTOCOL,
         "bound to tls-server-end-point"},
        {{PLAIN, "p=tls-server-end-point,,", "s3cret", BYTES(END_POINT), &v,
          NULL, NULL},
         BYTES(END_POINT),
         CUSTOS_EPROTOCOL,
         "nothing is bound"},
        {{"SCRAM-SHA-1", "n,,", "s3cret", BYTES(""), &v, NULL, NULL},
         BYTES(""),
         CUSTOS_EPROTOCOL,
         "was not offered"},
        {{PLAIN, "n,a=root,", "s3cret", BYTES(""), &v, NULL, NULL},
         BYTES(""),
         CUSTOS_EPROTOCOL,
         "for another"},
        /* signed, but from another conversation */
        {{PLAIN, "n,,", "s3cret", BYTES(""), &v, NULL,
          "r=abcanotherserver'snonce00000"},
         BYTES(""),
         CUSTOS_EPROTOCOL,
         "another nonce"},
        {{PLAIN, "n,,m=x,", "s3cret", BYTES(""), &v, NULL, NULL},
         BYTES(""),
         CUSTOS_EPROTOCOL,
         "no name and nonce"},
    };
    struct buf out;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    mock.mock = true;
    buf_init(&out, NULL, 4096);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(login(&rows[i].client, rows[i].binding, &out, &err),
                         rows[i].want);
        assert_non_null(strstr(whole_said(&err), rows[i].said));
    }
    buf_clear(&out);
}

/* A login fails if its last message is cut or one bit of it is changed. */
static void
every_byte_counts(void **state)
{
    struct scram_verifier v = verifier("s3cret");
    const struct client c = {PLAIN, "n,,", "s3cret", BYTES(""), &v, NULL, NULL};
    char last[1024];
    struct scram s, at_last;
    struct buf out;
    custos_err err = CUSTOS_ERR_INIT;
    size_t len;

    (void)state;
    buf_init(&out, NULL, 4096);
    scram_begin(&s, &v, server_nonce, str_of(""));
    assert_int_equal(
        scram_first(&s, str_of(PLAIN), str_of("n,,n=,r=abc"), &out, &err),
        CUSTOS_OK);
    client_last(&c, buf_text(&out), last);
    len = strlen(last);
    at_last = s;
    for (size_t i = 0; i < len; i++)
        for (int bit = 0; bit < 8; bit++) {
            s = at_last;
            last[i] ^= (char)(1 << bit);
            assert_int_not_equal(scram_final(&s, (str){last, len}, &out, &err),
                                 CUSTOS_OK);
            assert_int_equal(s.at, SCRAM_FAILED);
            last[i] ^= (char)(1 << bit);
        }
    for (size_t cut = 0; cut < len; cut++) {
        str less = bytes_copy((str){last, cut});

        s = at_last;
        assert_int_equal(scram_final(&s, less, &out, &err), CUSTOS_EPROTOCOL);
        free((char *)less.ptr);
    }
    last[len] = ',';
    s = at_last;
    assert_int_equal(scram_final(&s, (str){last, len + 1}, &out, &err),
                     CUSTOS_EPROTOCOL);
    s = at_last;
    assert_int_equal(scram_final(&s, (str){last, len}, &out, &err), CUSTOS_OK);
    /* a second time is rejected */
    assert_int_equal(scram_final(&s, (str){last, len}, &out, &err),
                     CUSTOS_EPROTOCOL);
    buf_clear(&out);
}

static void
first_messages_that_are_refused(void **state)
{
    static const char *const wrong[] = {
        "",          "n",        "n,",           "n,,",          "n,,n=",
        "n,,n=a",    "n,,n=a,",  "n,,n=a,r=",    "n,,r=abc",     "n,,r=abc,n=a",
        "z,,n=,r=a", "n,,n,r=a", "n,,n=a,r=a b", "n,,n=a,r=\x7f"};
    struct scram_verifier v = verifier("s3cret");
    char longest[SCRAM_MESSAGE_MAX + 2];
    struct buf out;
    struct scram s;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    buf_init(&out, NULL, 4096);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        str bytes = bytes_copy(str_of(wrong[i]));

        scram_begin(&s, &v, server_nonce, str_of(""));
        assert_int_equal(scram_first(&s, str_of(PLAIN), bytes, &out, &err),
                         CUSTOS_EPROTOCOL);
        assert_int_equal(s.at, SCRAM_FAILED);
        free((char *)bytes.ptr);
    }
    /* the longest nonce that is accepted, and one byte more */
    for (size_t nonce = 128; nonce <= 129; nonce++) {
        memset(longest, 'x', sizeof longest);
        memcpy(longest, "n,,n=", 5);
        memcpy(longest + SCRAM_MESSAGE_MAX - nonce - 3, ",r=", 3);
        scram_begin(&s, &v, server_nonce, str_of(""));
        assert_int_equal(scram_first(&s, str_of(PLAIN),
                                     (str){longest, SCRAM_MESSAGE_MAX}, &out,
                                     &err),
                         nonce == 128 ? CUSTOS_OK : CUSTOS_EPROTOCOL);
    }
    scram_begin(&s, &v, server_nonce, str_of(""));
    assert_int_equal(scram_first(&s, str_of(PLAIN),
                                 (str){longest, SCRAM_MESSAGE_MAX + 1}, &out,
                                 &err),
                     CUSTOS_EPROTOCOL);
    /* no last step before the first, and no first step twice */
    scram_begin(&s, &v, server_nonce, str_of(""));
    assert_int_equal(scram_final(&s, str_of("c=biws,r=,p="), &out, &err),
                     CUSTOS_EPROTOCOL);
    assert_int_equal(
        scram_first(&s, str_of(PLAIN), str_of("n,,n=,r=abc"), &out, &err),
        CUSTOS_EPROTOCOL);
    buf_clear(&out);
}

/*
 * Unknown names look like existing ones: their salt has the same form and is
 * the same each time.
 */
static void
names_that_do_not_exist(void **state)
{
    static const char proof[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    static const uint8_t salt[SCRAM_SALT_BYTES] = "fedcba987654321";
    struct scram_verifier a;
    custos_err err = CUSTOS_ERR_INIT;
    char first[2][128], last[256];
    struct buf out;

    (void)state;
    scram_verifier_mock(salt, &a);
    assert_true(a.mock);
    assert_int_equal(a.iterations, SCRAM_ITERATIONS);
    assert_int_equal(a.salt_len, SCRAM_SALT_BYTES);
    assert_memory_equal(a.salt, salt, SCRAM_SALT_BYTES);
    for (int i = 0; i < 2; i++) {
        struct scram s;

        buf_init(&out, NULL, 4096);
        scram_begin(&s, &a, server_nonce, str_of(""));
        assert_int_equal(
            scram_first(&s, str_of(PLAIN), str_of("n,,n=,r=abc"), &out, &err),
            CUSTOS_OK);
        snprintf(first[i], sizeof first[i], "%s", buf_text(&out));
        /* no proof is accepted, not even zeros, which the mock's keys are */
        snprintf(last, sizeof last, "c=biws,%.*s,p=%s",
                 (int)strcspn(first[i], ","), first[i], proof);
        assert_int_equal(scram_final(&s, str_of(last), &out, &err),
                         CUSTOS_EAUTH);
        buf_clear(&out);
    }
    assert_string_equal(first[0], first[1]);
    assert_non_null(strstr(first[0], ",s=ZmVkY2JhOTg3NjU0MzIxAA==,i=4096"));
}

/*
 * Both steps for an existing and an unknown name, by a client that knows
 * neither password: the messages have the same form and the same final error.
 */
static void
names_look_alike_on_the_wire(void **state)
{
    uint8_t salt[SCRAM_SALT_BYTES] = "fedcba987654321";
    struct scram_verifier v[2];
    custos_err err[2] = {CUSTOS_ERR_INIT, CUSTOS_ERR_INIT};
    struct buf out[2];

    (void)state;
    assert_int_equal(scram_verifier_make(str_of("s3cret"), salt, sizeof salt,
                                         SCRAM_ITERATIONS, &v[0], NULL),
                     CUSTOS_OK);
    scram_verifier_mock((const uint8_t *)"0123456789abcdef", &v[1]);
    for (int i = 0; i < 2; i++) {
        const struct client c = {PLAIN, "n,,", "guess", BYTES(""),
                                 &v[i], NULL,  NULL};
        char last[1024];
        struct scram s;

        buf_init(&out[i], NULL, 4096);
        scram_begin(&s, &v[i], server_nonce, str_of(""));
        assert_int_equal(scram_first(&s, str_of(PLAIN), str_of("n,,n=,r=abc"),
                                     &out[i], NULL),
                         CUSTOS_OK);
        client_last(&c, buf_text(&out[i]), last);
        assert_int_equal(scram_final(&s, str_of(last), &out[i], &err[i]),
                         CUSTOS_EAUTH);
    }
    assert_int_equal(out[0].len, out[1].len);
    assert_int_equal(strcspn(buf_text(&out[0]), ","),
                     strcspn(buf_text(&out[1]), ","));
    assert_string_equal(strrchr(buf_text(&out[0]), ','),
                        strrchr(buf_text(&out[1]), ','));
    assert_string_equal(whole_said(&err[0]), err[1].said);
    assert_string_equal(err[0].noted, err[1].noted);
    for (int i = 0; i < 2; i++)
        buf_clear(&out[i]);
}

static void
verifiers_that_are_refused(void **state)
{
#define KEY "XfqTAXNaepB5S6AnrMr/Lz8wUUh/eVu+wqL+dC9Zg+M="
    static const char good[] = "SCRAM-SHA-256$4096:QUJD$" KEY ":" KEY;
    static const char *const wrong[] = {
        "",
        "md5abc",
        "SCRAM-SHA-1$4096:QUJD$" KEY ":" KEY,
        "SCRAM-SHA-256$0:QUJD$" KEY ":" KEY,
        "SCRAM-SHA-256$:QUJD$" KEY ":" KEY,
        "SCRAM-SHA-256$1000001:QUJD$" KEY ":" KEY,
        "SCRAM-SHA-256$99999999:QUJD$" KEY ":" KEY,
        "SCRAM-SHA-256$-1:QUJD$" KEY ":" KEY,
        "SCRAM-SHA-256$4096:$" KEY ":" KEY,
        "SCRAM-SHA-256$4096:QUJ$" KEY ":" KEY,
        "SCRAM-SHA-256$4096:QU*D$" KEY ":" KEY,
        "SCRAM-SHA-256$4096:QUJD$" KEY ":" KEY "x",
        "SCRAM-SHA-256$4096:QUJD$QUJD:" KEY,
        "SCRAM-SHA-256$4096:QUJD$" KEY ":QUJD",
    };
    struct scram_verifier v;
    custos_err err = CUSTOS_ERR_INIT;
    uint8_t salt[16] = {0};

    (void)state;
    assert_int_equal(scram_verifier_read(str_of(good), &v, &err), CUSTOS_OK);
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(scram_verifier_read(str_of(wrong[i]), &v, &err),
                         CUSTOS_EINVAL);
    for (size_t len = 0; len < sizeof good - 1; len++) {
        str cut = bytes_copy((str){good, len});

        assert_int_equal(scram_verifier_read(cut, &v, &err), CUSTOS_EINVAL);
        free((char *)cut.ptr);
    }
    assert_int_equal(scram_verifier_make(str_of(""), salt, 16, 4096, &v, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(
        scram_verifier_make(str_of("gr\xc3\xbc"), salt, 16, 4096, &v, &err),
        CUSTOS_EINVAL);
    assert_int_equal(
        scram_verifier_make(str_of("a\tb"), salt, 16, 4096, &v, &err),
        CUSTOS_EINVAL);
    assert_int_equal(scram_verifier_make(str_of("a"), salt, 0, 4096, &v, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(scram_verifier_make(str_of("a"), salt, 16, 0, &v, &err),
                     CUSTOS_EINVAL);
}

static void
nothing_stays_behind(void **state)
{
    struct scram_verifier v = verifier("s3cret");
    struct scram s, zero;

    (void)state;
    scram_begin(&s, &v, server_nonce, str_of(END_POINT));
    scram_clear(&s);
    memset(&zero, 0, sizeof zero);
    zero.at = SCRAM_FAILED;
    assert_memory_equal(&s, &zero, sizeof s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verifiers_as_postgresql_makes_them),
        cmocka_unit_test(the_example_of_the_rfc),
        cmocka_unit_test(logins_that_succeed),
        cmocka_unit_test(logins_by_a_verifier_of_postgresql),
        cmocka_unit_test(logins_that_fail),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(first_messages_that_are_refused),
        cmocka_unit_test(names_that_do_not_exist),
        cmocka_unit_test(names_look_alike_on_the_wire),
        cmocka_unit_test(verifiers_that_are_refused),
        cmocka_unit_test(nothing_stays_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
