/*
 * Stored answers: they were paid for, and are given again at no cost.
 *
 * THEOREM  cache-is-free
 *   Giving again the bytes of a released answer, chosen by public facts alone,
 *   is post-processing: giving an answer twice has the privacy loss of giving
 *   it once.
 * SOURCE   Dwork, Roth 2014, proposition 2.1 (post-processing).
 * NEEDS    the key holds everything that the answer depends on (analyst or
 *          sharing, closed tree, parameters, epsilon, options, policy, data
 *          version); an answer is stored completely and durably before it is
 *          given again; the first answer under a key stays, since a second draw
 *          would be a new release. A question whose answer retention dropped is
 *          charged again.
 * GIVES    ledger_answer_find returns the bytes that were stored first, or
 *          nothing.
 * FAILS    CUSTOS_ENAME: there is no answer; CUSTOS_ECORRUPT: the bytes were
 *          changed.
 * TESTED   answers_keep_the_first answers_damaged_are_not_given
 */
#include "ledger/answers.h"

#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "ledger/inside.h"
#include "ledger/sizes.h"

enum { KEY_BYTES = 32, TRIM_MOST = 64 };

static const char DOMAIN[] = "custos ledger answer, format 1";

static void
mark_of(const uint8_t key[KEY_BYTES], const struct receipt *r, str answer,
        uint8_t mark[LEDGER_HASH_BYTES])
{
    struct sha256 h;

    sha256_init(&h);
    chain_add_bytes(&h, DOMAIN, sizeof DOMAIN);
    chain_add_bytes(&h, key, KEY_BYTES);
    chain_add_int(&h, r->seq);
    chain_add_bytes(&h, r->hash, sizeof r->hash);
    chain_add_bytes(&h, answer.ptr, answer.len);
    sha256_end(&h, mark);
}

/* Columns: seq, answer, mark, hash of the row. */
static bool
answer_read(struct query *q, const uint8_t key[KEY_BYTES], str *answer,
            struct receipt *receipt)
{
    uint8_t mark[LEDGER_HASH_BYTES], want[sizeof mark];

    receipt->seq = (uint64_t)query_int(q, 0);
    *answer = query_bytes(q, 1);
    if (!query_fixed(q, 2, mark, sizeof mark) ||
        !query_fixed(q, 3, receipt->hash, sizeof receipt->hash))
        return false;
    mark_of(key, receipt, *answer, want);
    return memcmp(mark, want, sizeof mark) == 0;
}

static custos_status
fail_answer(custos_err *err)
{
    return custos_fail(err, CUSTOS_ECORRUPT,
                       "the ledger is damaged: a stored answer was changed" HINT
                       "restore a backup");
}

custos_status
answers_check(struct db *d, custos_err *err)
{
    uint8_t key[KEY_BYTES];
    struct receipt r;
    struct query q;
    bool whole = true;
    custos_status st;
    str answer;

    query_begin(&q, d,
                "SELECT a.seq, a.answer, a.mark, c.hash, a.key FROM answers a"
                " LEFT JOIN chain c ON c.seq = a.seq");
    while (whole && query_next(&q))
        whole = query_fixed(&q, 4, key, sizeof key) &&
                answer_read(&q, key, &answer, &r);
    st = query_end(&q, err);
    return st || whole ? st : fail_answer(err);
}

struct lookup {
    const uint8_t *key;
    arena *arena;
    str answer;
    struct receipt receipt;
};

static custos_status
step_find(struct ledger *l, void *arg, custos_err *err)
{
    struct lookup *f = arg;
    bool found, whole = true, room = true;
    struct query q;
    custos_status st;
    str answer;

    query_begin(&q, l->db,
                "SELECT a.seq, a.answer, a.mark, c.hash FROM answers a"
                " LEFT JOIN chain c ON c.seq = a.seq WHERE a.key = ?");
    query_put_bytes(&q, f->key, KEY_BYTES);
    found = query_next(&q);
    if (found)
        whole = answer_read(&q, f->key, &answer, &f->receipt);
    if (found && whole) {
        f->answer = (str){arena_copy(f->arena, answer), answer.len};
        room = f->answer.ptr != NULL;
    }
    st = query_end(&q, err);
    if (st)
        return st;
    if (!whole)
        return fail_answer(err);
    if (!room)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return found ? CUSTOS_OK
                 : custos_fail(err, CUSTOS_ENAME, "there is no stored answer");
}

custos_status
ledger_answer_find(struct ledger *l, const uint8_t key[32], arena *a,
                   str *answer, struct receipt *receipt, custos_err *err)
{
    struct lookup f = {.key = key, .arena = a};
    custos_status st = ledger_read(l, step_find, &f, err);

    if (!st) {
        *answer = f.answer;
        *receipt = f.receipt;
    }
    return st;
}

/* Drops at most TRIM_MOST older answers when a new one is stored; `now` is the
   time of the new one's charge. */
static custos_status
make_room(struct db *d, const struct ledger_job *job, custos_err *err)
{
    uint64_t dropped = 0, bytes = 0;
    int64_t now = 0;
    struct query q;
    custos_status st;

    query_begin(&q, d, "SELECT time FROM chain WHERE seq = ?");
    query_put_int(&q, (int64_t)job->receipt.seq);
    if (query_next(&q))
        now = query_int(&q, 0);
    st = query_end(&q, err);
    return st ? st
              : answers_trim(d, &job->retention, now, TRIM_MOST, &dropped,
                             &bytes, err);
}

custos_status
step_keep(struct ledger *l, void *arg, custos_err *err)
{
    struct ledger_job *f = arg;
    uint8_t mark[LEDGER_HASH_BYTES];
    int64_t before = db_changes(l->db);
    struct receipt row;
    struct query q;
    custos_status st = chain_find(l->db, f->receipt.seq, &row, err);

    if (!st && memcmp(row.hash, f->receipt.hash, sizeof row.hash) != 0)
        st = custos_fail(err, CUSTOS_ENAME,
                         "the answer's receipt is not of this ledger");
    if (st)
        return st;
    mark_of(f->key, &f->receipt, f->answer, mark);
    query_begin(&q, l->db,
                "INSERT INTO answers (key, seq, answer, mark)"
                " VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING");
    query_put_bytes(&q, f->key, KEY_BYTES);
    query_put_int(&q, (int64_t)f->receipt.seq);
    query_put_bytes(&q, f->answer.ptr, f->answer.len);
    query_put_bytes(&q, mark, sizeof mark);
    while (query_next(&q))
        ;
    st = query_end(&q, err);
    if (st || db_changes(l->db) == before)
        return st;
    st = size_add(l->db, SIZE_ANSWERS, str_of(""),
                  (int64_t)answer_size(f->answer.len), err);
    return st ? st : make_room(l->db, f, err);
}
