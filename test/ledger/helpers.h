/*
 * Shared by the tests of the ledger: a temporary folder, terms, charges.
 */
#ifndef TEST_LEDGER_HELPERS_H
#define TEST_LEDGER_HELPERS_H

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "ledger/ledger.h"
#include "num/batch.h"
#include "support/support.h"

enum { ROOM = 512 };

struct place {
    char folder[ROOM];
    char path[ROOM + 16];
    char lock[ROOM + 16];
};

static inline void
place_make(struct place *p)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(p->folder, sizeof p->folder, "%s/custos-ledger-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/ledger.db", p->folder);
    snprintf(p->lock, sizeof p->lock, "%s/lock", p->folder);
}

static inline void
place_remove(const struct place *p)
{
    static const char *const names[] = {
        "ledger.db",     "ledger.db-wal",    "ledger.db-shm", "ledger.db.new",
        "copy.db",       "copy.db-wal",      "copy.db-shm",   "lock",
        "ledger.db.old", "ledger.db-journal"};
    char path[ROOM + 32];

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", p->folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(p->folder), 0);
}

static inline void
assert_ok(custos_status st, const custos_err *err)
{
    if (st)
        print_message("%d: %s (%s)\n", (int)st, err->said, err->noted);
    assert_int_equal(st, CUSTOS_OK);
}

static inline struct ledger *
open_at(const struct place *p)
{
    struct ledger *l = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(ledger_open(p->path, p->lock, &l, &err), &err);
    return l;
}

/* Opens a new ledger in a folder of its own; place_end closes and removes it. */
static inline struct ledger *
place_begin(struct place *p)
{
    place_make(p);
    return open_at(p);
}

static inline void
place_end(struct ledger *l, const struct place *p)
{
    ledger_close(l);
    place_remove(p);
}

/* Terms with a common budget and no analysts. */
static inline struct ledger_terms
terms_of(const char *epsilon, const char *delta)
{
    struct ledger_terms t = {
        .adjacency = CUSTOS_ADD_REMOVE,
        .budget = {str_of(epsilon), str_of(delta)},
        .unit = str_of("people.id"),
    };

    memset(t.policy, 7, sizeof t.policy);
    return t;
}

static inline void
set_terms(struct ledger *l, const struct ledger_terms *t)
{
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(ledger_terms_set(l, t, str_of("owner"), 1000, &r, &err), &err);
}

/* For the set-up of a group: a closed ledger with a common budget is its
   state. */
static inline int
place_with_budget(void **state, const char *epsilon)
{
    static struct place place;
    struct ledger_terms t = terms_of(epsilon, "0");
    struct ledger *l = place_begin(&place);

    set_terms(l, &t);
    ledger_close(l);
    *state = &place;
    return 0;
}

static inline int
place_tear_down(void **state)
{
    place_remove(*state);
    return 0;
}

/* A charge with an epsilon and a delta; the delta may be 0. */
static inline struct charge
charge_of(const char *epsilon, const char *delta)
{
    struct charge c;
    rat x[2];

    rats_init(x, 2);
    assert_int_equal(rat_read(epsilon, "epsilon", &x[0], NULL), CUSTOS_OK);
    assert_int_equal(rat_read(delta, "delta", &x[1], NULL), CUSTOS_OK);
    charge_of_price(&x[0], NULL, &x[1], &c);
    rats_clear(x, 2);
    return c;
}

/* A charge like that of Gaussian noise: epsilon up to delta, and a rho up to
   delta_rho. */
static inline struct charge
charge_of_lanes(const char *epsilon, const char *delta, const char *rho,
                const char *delta_rho)
{
    struct charge c;
    rat x[4];

    rats_init(x, 4);
    assert_int_equal(rat_read(epsilon, "epsilon", &x[0], NULL), CUSTOS_OK);
    assert_int_equal(rat_read(delta, "delta", &x[1], NULL), CUSTOS_OK);
    assert_int_equal(rat_read(rho, "rho", &x[2], NULL), CUSTOS_OK);
    assert_int_equal(rat_read(delta_rho, "delta", &x[3], NULL), CUSTOS_OK);
    charge_of_amounts(&x[0], &x[2], &x[1], &x[3], &c);
    rats_clear(x, 4);
    return c;
}

/* A charge with a rho alone: no epsilon bounds it. */
static inline struct charge
charge_of_rho(const char *rho)
{
    struct charge c;
    rat x[2];

    rats_init(x, 2);
    assert_int_equal(rat_read(rho, "rho", &x[0], NULL), CUSTOS_OK);
    charge_of_price(NULL, &x[0], &x[1], &c);
    rats_clear(x, 2);
    return c;
}

/* A request for a pure charge; c receives the price. */
static inline void
request_of(struct ledger_request *r, struct charge *c, const char *who,
           const char *epsilon, int64_t now)
{
    *c = charge_of(epsilon, "0");
    *r = (struct ledger_request){
        .who = str_of(who),
        .query = str_of("SELECT count(*) FROM people"),
        .plan = str_of("count of people, discrete Laplace"),
        .theorems = str_of("laplace-discrete stability-count"),
        .charge = c,
        .data_version = 1,
        .now = now,
    };
    memset(r->policy, 7, sizeof r->policy);
}

/* Posts one charge in a separate commit. */
static inline custos_status
post_charge(struct ledger *l, const struct ledger_request *r,
            struct receipt *out, custos_err *err)
{
    struct ledger_job job = {.kind = LEDGER_CHARGE, .request = r, .err = err};

    ledger_post(l, &job);
    if (!job.status)
        *out = job.receipt;
    return job.status;
}

/* Posts one answer in a separate commit; retention keeps all answers. */
static inline custos_status
post_answer(struct ledger *l, const uint8_t key[32], const struct receipt *r,
            str answer, custos_err *err)
{
    struct ledger_job job = {
        .kind = LEDGER_KEEP,
        .key = key,
        .answer = answer,
        .receipt = *r,
        .err = err,
    };

    ledger_post(l, &job);
    return job.status;
}

static inline custos_status
charge_at(struct ledger *l, const char *who, const char *epsilon, int64_t now,
          struct receipt *out, custos_err *err)
{
    struct ledger_request r;
    struct charge c;
    struct receipt ignored;

    request_of(&r, &c, who, epsilon, now);
    return post_charge(l, &r, out ? out : &ignored, err);
}

static inline custos_status
charge(struct ledger *l, const char *who, const char *epsilon)
{
    return charge_at(l, who, epsilon, 2000, NULL, NULL);
}

/* A charge with a rho alone. */
static inline custos_status
charge_rho(struct ledger *l, const char *who, const char *rho, custos_err *err)
{
    struct ledger_request r;
    struct charge c;
    struct receipt ignored;

    request_of(&r, &c, who, "1", 2000);
    c = charge_of_rho(rho);
    return post_charge(l, &r, &ignored, err);
}

static inline void
assert_verifies(struct ledger *l, const struct receipt *r)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct receipt head;

    assert_ok(ledger_verify(l, r, &head, &err), &err);
}

static inline void
assert_balance(struct ledger *l, const char *who, const char *spent,
               const char *left)
{
    struct ledger_balance b;
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(ledger_balance(l, str_of(who), &b, &err), &err);
    assert_string_equal(b.facts.spent, spent);
    assert_string_equal(b.left_epsilon, left);
}

#endif
