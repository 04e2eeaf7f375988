/*
 * THEOREM  ledger-chain
 *   Let H be collision resistant and row n carry h(n) = H(encoding of row n and
 *   h(n-1)), with an encoding that no two rows share. Two ledgers that agree on
 *   (n, h(n)) agree on rows 1 ... n: a receipt determines all rows up to its
 *   own.
 * SOURCE   doc/proofs/ledger-chain.md
 * NEEDS    every field written with its length; seq in the encoding.
 * GIVES    ledger_verify finds any change of a row at or before a receipt, and
 *          a ledger that is older than the receipt.
 * FAILS    CUSTOS_ECORRUPT names the first row that is wrong.
 * TESTED   verify_finds_every_change chain_encoding_is_injective
 *          verify_older_than_receipt verify_goes_on_from_a_receipt
 *          chain_hash_is_as_documented
 */
#include "ledger/chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "base/sha256.h"

/* Format 2 has one more field: delta_rho, which is not empty. */
static const char DOMAIN[] = "custos ledger row, format 1";
static const char DOMAIN_2[] = "custos ledger row, format 2";

void
chain_add_int(struct sha256 *h, uint64_t x)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(x >> (8 * i));
    sha256_add(h, bytes, sizeof bytes);
}

void
chain_add_bytes(struct sha256 *h, const void *ptr, size_t len)
{
    chain_add_int(h, len);
    sha256_add(h, ptr, len);
}

static void
add_str(struct sha256 *h, str text)
{
    chain_add_bytes(h, text.ptr, text.len);
}

void
chain_hash(const struct ledger_row *row,
           const uint8_t before[LEDGER_HASH_BYTES],
           uint8_t out[LEDGER_HASH_BYTES])
{
    struct sha256 h;

    sha256_init(&h);
    add_str(&h, str_of(row->delta_rho.len ? DOMAIN_2 : DOMAIN));
    chain_add_bytes(&h, before, LEDGER_HASH_BYTES);
    chain_add_int(&h, row->seq);
    chain_add_int(&h, (uint64_t)row->time);
    add_str(&h, row->kind);
    add_str(&h, row->who);
    add_str(&h, row->query);
    add_str(&h, row->plan);
    add_str(&h, row->theorems);
    add_str(&h, row->words);
    add_str(&h, row->epsilon);
    add_str(&h, row->rho);
    add_str(&h, row->delta);
    if (row->delta_rho.len)
        add_str(&h, row->delta_rho);
    chain_add_int(&h, row->data_version);
    chain_add_bytes(&h, row->policy, sizeof row->policy);
    add_str(&h, row->version);
    sha256_end(&h, out);
}

bool
chain_is_shared(const struct ledger_row *row)
{
    return str_equal(row->kind, str_of("charge")) &&
           str_equal(row->words, str_of(CHAIN_SHARED));
}

custos_status
chain_fail(custos_err *err, uint64_t seq, const char *how)
{
    return custos_fail(err, CUSTOS_ECORRUPT,
                       "the ledger is damaged: row %" PRIu64 " %s" HINT
                       "restore a backup",
                       seq, how);
}

/* -------------------------------------------------------------- reading -- */

static custos_status
receipt_of(struct query *q, struct receipt *out, bool *found, custos_err *err)
{
    bool whole = true;
    custos_status st;

    memset(out, 0, sizeof *out);
    *found = query_next(q);
    if (*found) {
        out->seq = (uint64_t)query_int(q, 0);
        whole = query_fixed(q, 1, out->hash, sizeof out->hash);
    }
    st = query_end(q, err);
    if (!st && !whole)
        st = chain_fail(err, out->seq, "has no hash");
    return st;
}

custos_status
chain_head(struct db *d, struct receipt *out, custos_err *err)
{
    struct query q;
    bool found;

    query_begin(&q, d, "SELECT seq, hash FROM chain ORDER BY seq DESC LIMIT 1");
    return receipt_of(&q, out, &found, err);
}

custos_status
chain_find(struct db *d, uint64_t seq, struct receipt *out, custos_err *err)
{
    custos_status st;
    struct query q;
    bool found;

    query_begin(&q, d, "SELECT seq, hash FROM chain WHERE seq = ?");
    query_put_int(&q, seq > INT64_MAX ? 0 : (int64_t)seq);
    st = receipt_of(&q, out, &found, err);
    if (!st && !found)
        st = custos_fail(err, CUSTOS_ENAME, "the ledger has no row %" PRIu64,
                         seq);
    return st;
}

void
chain_read(struct query *q, struct ledger_row *out)
{
    memset(out, 0, sizeof *out);
    out->seq = (uint64_t)query_int(q, 0);
    out->time = query_int(q, 1);
    out->kind = query_bytes(q, 2);
    out->who = query_bytes(q, 3);
    out->query = query_bytes(q, 4);
    out->plan = query_bytes(q, 5);
    out->theorems = query_bytes(q, 6);
    out->words = query_bytes(q, 7);
    out->epsilon = query_bytes(q, 8);
    out->rho = query_bytes(q, 9);
    out->delta = query_bytes(q, 10);
    out->data_version = (uint64_t)query_int(q, 11);
    /* If the stored id has another length, this stays zero, and the hash will
       not match. */
    (void)query_fixed(q, 12, out->policy, sizeof out->policy);
    out->version = query_bytes(q, 13);
    out->receipt.seq = out->seq;
    (void)query_fixed(q, 14, out->receipt.hash, sizeof out->receipt.hash);
    out->delta_rho = query_bytes(q, 15);
}

bool
chain_charge(const struct ledger_row *row, struct charge *out)
{
    /* Currencies that no filter of a ledger counts have no bound here. */
    memset(out, 0xff, sizeof *out);
    return amount_read(row->epsilon, AMOUNT_LOSS, &out->epsilon) &&
           amount_read(row->rho, AMOUNT_LOSS, &out->rho) &&
           amount_read(row->delta, AMOUNT_DELTA, &out->delta) &&
           amount_read(row->delta_rho.len ? row->delta_rho : row->delta,
                       AMOUNT_DELTA, &out->delta_rho);
}

custos_status
chain_follow(const struct ledger_row *row, struct receipt *head,
             custos_err *err)
{
    uint8_t hash[LEDGER_HASH_BYTES];

    if (row->seq != head->seq + 1)
        return chain_fail(err, head->seq + 1, "is missing");
    chain_hash(row, head->hash, hash);
    if (memcmp(hash, row->receipt.hash, sizeof hash) != 0)
        return chain_fail(err, row->seq, "is not what its hash says");
    *head = row->receipt;
    return CUSTOS_OK;
}

/* --------------------------------------------------------------- adding -- */

custos_status
chain_append(struct db *d, struct ledger_row *row, struct receipt *head,
             custos_err *err)
{
    custos_status st;
    struct query q;

    row->seq = head->seq + 1;
    row->version = str_of(custos_version());
    chain_hash(row, head->hash, row->receipt.hash);
    row->receipt.seq = row->seq;
    query_begin(&q, d,
                "INSERT INTO chain (" CHAIN_COLUMNS ") VALUES "
                "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    query_put_int(&q, (int64_t)row->seq);
    query_put_int(&q, row->time);
    query_put_text(&q, row->kind);
    query_put_text(&q, row->who);
    query_put_text(&q, row->query);
    query_put_text(&q, row->plan);
    query_put_text(&q, row->theorems);
    query_put_text(&q, row->words);
    query_put_text(&q, row->epsilon);
    query_put_text(&q, row->rho);
    query_put_text(&q, row->delta);
    query_put_int(&q, (int64_t)row->data_version);
    query_put_bytes(&q, row->policy, sizeof row->policy);
    query_put_text(&q, row->version);
    query_put_bytes(&q, row->receipt.hash, sizeof row->receipt.hash);
    query_put_text(&q, row->delta_rho);
    while (query_next(&q))
        ;
    st = query_end(&q, err);
    if (!st)
        *head = row->receipt;
    return st;
}

/* ------------------------------------------------------ receipts as text -- */

void
receipt_write(const struct receipt *r, char text[RECEIPT_TEXT_MAX])
{
    static const char hex[] = "0123456789abcdef";
    size_t at =
        (size_t)snprintf(text, RECEIPT_TEXT_MAX, "%" PRIu64 ":", r->seq);

    for (size_t i = 0; i < LEDGER_HASH_BYTES; i++) {
        text[at++] = hex[r->hash[i] >> 4];
        text[at++] = hex[r->hash[i] & 15];
    }
    text[at] = '\0';
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool
receipt_read(str text, struct receipt *out)
{
    char again[RECEIPT_TEXT_MAX];
    struct receipt r;
    size_t at = 0;

    memset(&r, 0, sizeof r);
    for (; at < text.len && at < 20 && text.ptr[at] != ':'; at++) {
        int digit = hex_digit(text.ptr[at]);

        if (digit < 0 || digit > 9)
            return false;
        r.seq = r.seq * 10 + (uint64_t)digit; /* overflow is found below */
    }
    if (text.len - at != 1 + 2 * LEDGER_HASH_BYTES || text.ptr[at] != ':')
        return false;
    at++;
    for (size_t i = 0; i < LEDGER_HASH_BYTES; i++, at += 2) {
        int high = hex_digit(text.ptr[at]), low = hex_digit(text.ptr[at + 1]);

        if (high < 0 || low < 0)
            return false;
        r.hash[i] = (uint8_t)(high << 4 | low);
    }
    receipt_write(&r, again);
    if (!str_equal(text, str_of(again)))
        return false;
    *out = r;
    return true;
}
