/*
 * The ledger: every charge and every act of the owner is a row of one hash
 * chain, and durable when the call returns. Budgets are filters
 * (account/filter.h) whose state is a function of the chain; `verify`
 * recomputes it.
 *
 * Many processes may charge one ledger. Charges and checkpoints hold the
 * store's lock (SQLite before 3.51.3 can corrupt a WAL otherwise).
 *
 * The time is an argument: microseconds since 1970, UTC. A handle belongs to
 * one thread at a time and does not survive fork().
 */
#ifndef LEDGER_LEDGER_H
#define LEDGER_LEDGER_H

#include <stdint.h>

#include "account/charge.h"
#include "account/filter.h"
#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

enum { LEDGER_FORMAT = 6, LEDGER_HASH_BYTES = 32 };

struct ledger;

/* Identifies a row. A ledger restored from a backup that is older than the row
   does not have that row. */
struct receipt {
    uint64_t seq;
    uint8_t hash[LEDGER_HASH_BYTES]; /* of row seq, and so of all rows before
                                        it */
};

/* A receipt as text, "17:9f3c..." (hex), and back. */
enum { RECEIPT_TEXT_MAX = 20 + 1 + 2 * LEDGER_HASH_BYTES + 1 };
void receipt_write(const struct receipt *r, char text[RECEIPT_TEXT_MAX]);
bool receipt_read(str text, struct receipt *out);

/* The promises in force, as the policy states them. */
struct ledger_budget {
    str epsilon, delta;
};
struct ledger_analyst {
    str name;
    bool has_budget, has_window;
    struct ledger_budget budget, window; /* a window with delta 0 limits epsilon
                                            only, and is not a promise */
    uint32_t window_days;
};
struct ledger_terms {
    custos_adjacency adjacency;
    struct ledger_budget budget; /* common */
    const struct ledger_analyst *analysts;
    size_t n_analysts;
    str unit;           /* describes the privacy unit; cannot be changed */
    uint8_t policy[32]; /* the policy's id */
    uint64_t seq;       /* of the terms' row; set by ledger_terms_get */
};

/*
 * path: the SQLite file; lock: the store's lock file, which this opens too.
 * Creates the ledger if it does not exist, migrates older formats without
 * touching a row of the chain, and rejects newer ones. May fail: CUSTOS_EIO,
 * CUSTOS_ECORRUPT, CUSTOS_EUNSUPPORTED, CUSTOS_EBUSY, CUSTOS_ENOMEM,
 * CUSTOS_EINVAL (the path is too long).
 */
CUSTOS_MUST_USE custos_status ledger_open(const char *path, const char *lock,
                                          struct ledger **out, custos_err *err);
void ledger_close(struct ledger *l);

/*
 * Puts terms in force and writes a row; no-op if they are in force already. The
 * budget may become larger or smaller; what was spent stays. A change of
 * adjacency or unit fails with CUSTOS_EPOLICY.
 */
CUSTOS_MUST_USE custos_status ledger_terms_set(struct ledger *l,
                                               const struct ledger_terms *t,
                                               str who, int64_t now,
                                               struct receipt *out,
                                               custos_err *err);

/* Records an act of the owner, such as "import" or "restore", or an event, such
   as "failure"; `words` has the details. */
CUSTOS_MUST_USE custos_status ledger_act(struct ledger *l, const char *act,
                                         str words, str who, int64_t now,
                                         struct receipt *out, custos_err *err);

/* What a charge is for. Every text is copied. */
struct ledger_request {
    str who; /* analyst's name; empty: the owner, who uses the common budget */
    str query;    /* as asked */
    str plan;     /* its EXPLAIN */
    str theorems; /* ids, separated by spaces */
    const struct charge *charge;
    uint64_t data_version;
    uint8_t policy[32];
    int64_t now;
    bool shared; /* a cached answer, given to another analyst: charged to their
                    own budget and window, not to the common budget */
    /* The policy's limits for the tripwire. With 0, the first failure suspends
       everybody, and the first overrun its analyst. */
    uint64_t max_failures, max_overruns;
    /* Limits on the bytes of an analyst's rows, in total and per minute; 0:
       none. */
    uint64_t max_bytes, max_minute_bytes;
};

/*
 * Fails with CUSTOS_ENAME: the policy in force has no such analyst. Every
 * caller reports this error with this function, so that its code and text are
 * the same everywhere.
 */
CUSTOS_MUST_USE custos_status ledger_fail_analyst(str who, custos_err *err);

/*
 * The tripwire (tripwire.h): what has failed below the charge since the owner's
 * last "resume". Rows "failure" and "overrun" are written by ledger_act in the
 * name of the analyst who asked.
 */
enum { LEDGER_OVERRUN_WINDOW = 1000 };
#define LEDGER_SUSPENDED_SAID                                                  \
    "private queries are suspended after a failure: ask the data owner to "    \
    "run "                                                                     \
    "custos owner resume"
struct ledger_tripwire {
    uint64_t failures;     /* of everybody */
    uint64_t failing;      /* analysts with a failure: several failures of one
                              analyst must not suspend the others */
    uint64_t own_failures; /* of one name */
    uint64_t overruns;     /* among that name's last LEDGER_OVERRUN_WINDOW
                              questions */
};
CUSTOS_MUST_USE custos_status ledger_tripwire(struct ledger *l, str who,
                                              struct ledger_tripwire *out,
                                              custos_err *err);

/* Is this analyst suspended? Is everybody? The limits are the policy's. */
bool ledger_is_suspended(const struct ledger_tripwire *t, uint64_t max_failures,
                         uint64_t max_overruns);
bool
ledger_all_suspended(const struct ledger_tripwire *t, uint64_t max_failures);

/* Ends every suspension. The row's text is `build`: the version, commit and
   engine in use from then on. */
CUSTOS_MUST_USE custos_status ledger_resume(struct ledger *l, str build,
                                            int64_t now, struct receipt *out,
                                            custos_err *err);

/* How long cached answers are kept, and how many bytes of them; 0: no limit. */
struct ledger_retention {
    uint64_t bytes;
    int64_t age_us;
};

/*
 * One job of a group commit: a charge, an act of the owner, or an answer to be
 * cached. Everything it points to is borrowed until the group is written.
 */
struct ledger_job {
    enum ledger_job_kind {
        LEDGER_CHARGE,
        LEDGER_CHARGES,
        LEDGER_ACT,
        LEDGER_KEEP
    } kind;
    const struct ledger_request *request; /* of a charge; of a batch: n_requests
                                             of them */
    size_t n_requests;                    /* of a batch of charges */
    struct receipt *receipts;             /* of a batch: set, one each */
    const char *act;                      /* of an act */
    str words, who;
    int64_t now;
    const uint8_t *key; /* of an answer, 32 bytes */
    str answer;
    struct ledger_retention retention; /* older answers are dropped
                                          accordingly */
    struct receipt receipt; /* set to the row's; for an answer: given by the
                               caller */
    custos_status status;   /* set to the result */
    custos_err *err;        /* or NULL */
    struct ledger_job *next;
};

/*
 * Group commit: does all jobs from `first` on, in order, with one commit for up
 * to LEDGER_GROUP_MOST of them. Each sees what those before it wrote, and each
 * job whose status is CUSTOS_OK is durable when this returns.
 *
 * A charge is made if the common budget, the analyst's own budget and their
 * window all admit it. It is refused with one of the following; then nothing is
 * charged, and the other jobs go on:
 *   CUSTOS_ESPENT     a budget or window is spent; the message says which, what
 *                     is needed and what is left
 *   CUSTOS_EPOLICY    the policy of the request is not in force (it has changed,
 *                     or there is none)
 *   CUSTOS_EOVERFLOW  the analyst's rows take too much space
 *   CUSTOS_ENAME      no such analyst
 *   CUSTOS_EDENIED    the analyst is suspended (LEDGER_SUSPENDED_SAID)
 *   CUSTOS_EINVAL     a charge of nothing, or of the owner for a shared answer
 *
 * A batch of charges (LEDGER_CHARGES), of one analyst at one time under one
 * policy, is admitted as a whole, if its charges would be admitted one after the
 * other, or refused as a whole (batch-all-or-nothing).
 *
 * For answers, the first one under a key is kept. CUSTOS_ENAME: the receipt is
 * not of this ledger.
 *
 * If the lock is not free in time (CUSTOS_EBUSY), or if the disk or memory fails
 * (CUSTOS_EIO, CUSTOS_ECORRUPT, CUSTOS_ENOMEM), each job of that commit fails.
 * Its charges may or may not be in the ledger then; no answer is given in either
 * case. After a failure of disk or memory the ledger is reopened before the next
 * commit.
 */
enum { LEDGER_GROUP_MOST = 64, LEDGER_BATCH_MOST = 64 };
void ledger_post(struct ledger *l, struct ledger_job *first);

/*
 * Could a charge be written now? Waits for the lock and writes nothing. Also
 * returns the free space of the disk. Fails with CUSTOS_EIO if that is less
 * than LEDGER_FREE_LEAST, and as a commit of ledger_post does.
 */
enum { LEDGER_FREE_LEAST = 16 << 20 };
CUSTOS_MUST_USE custos_status ledger_check_writable(struct ledger *l,
                                                    uint64_t *free_bytes,
                                                    custos_err *err);

/*
 * Finds a stored answer; `key` is a hash of everything that the answer depends
 * on. May fail: CUSTOS_ENAME (there is none), CUSTOS_ECORRUPT, CUSTOS_EIO,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status ledger_answer_find(struct ledger *l,
                                                 const uint8_t key[32],
                                                 arena *a, str *answer,
                                                 struct receipt *receipt,
                                                 custos_err *err);

/*
 * Drops stored answers that retention does not keep, and compacts the file.
 * Charges wait meanwhile. May fail as a commit of ledger_post does; answers
 * dropped before the failure stay dropped.
 */
struct ledger_freed {
    uint64_t answers, answer_bytes; /* dropped */
    uint64_t file_bytes;            /* how much the file shrank */
};
CUSTOS_MUST_USE custos_status
ledger_vacuum(struct ledger *l, const struct ledger_retention *retention,
              int64_t now, struct ledger_freed *out, custos_err *err);

/*
 * What is spent and what remains of the common budget (who empty), or of one
 * analyst's. `facts` describes that budget alone; left_epsilon is the largest
 * single pure charge that both the analyst's own and the common budget would
 * still admit (windows not considered).
 */
struct ledger_balance {
    bool limited; /* false for an analyst without a budget of their own: no
                     facts */
    custos_filter_facts facts;
    char left_epsilon[CUSTOS_AMOUNT_MAX];
    uint64_t charges;
};
CUSTOS_MUST_USE custos_status ledger_balance(struct ledger *l, str who,
                                             struct ledger_balance *out,
                                             custos_err *err);

/*
 * The same for an analyst's window at the time `now`: what was spent within it,
 * and the largest charge that it alone would admit.
 */
CUSTOS_MUST_USE custos_status ledger_window(struct ledger *l, str who,
                                            int64_t now,
                                            struct ledger_balance *out,
                                            custos_err *err);

/*
 * What a question of `who` (empty: the owner) may cost now, under own budget,
 * common budget and window. With a charge: after that charge; CUSTOS_ESPENT if it
 * is not admitted.
 */
struct ledger_remaining {
    char epsilon[CUSTOS_AMOUNT_MAX]; /* the largest epsilon */
    /* It follows from the sum of rho, so a charge does not lower it by its
       epsilon. */
    bool in_rho;
};
CUSTOS_MUST_USE custos_status ledger_remaining(struct ledger *l, str who,
                                               int64_t now,
                                               const struct charge *charge,
                                               struct ledger_remaining *out,
                                               custos_err *err);

/*
 * Would this charge be made now? Writes nothing, and refuses as ledger_post does;
 * a charge that others make meanwhile may change the answer. Also fails as reading
 * does.
 */
CUSTOS_MUST_USE custos_status ledger_check_charge(
    struct ledger *l, const struct ledger_request *r, custos_err *err);

/*
 * The sums of all charges of one analyst, or of the common budget (who empty).
 * A currency without a bound is "infinity".
 */
struct ledger_spent {
    char epsilon[CUSTOS_AMOUNT_MAX], rho[CUSTOS_AMOUNT_MAX];
    char delta[CUSTOS_AMOUNT_MAX];     /* epsilon holds up to this */
    char delta_rho[CUSTOS_AMOUNT_MAX]; /* and rho up to this */
    uint64_t charges;
};
CUSTOS_MUST_USE custos_status ledger_spent(struct ledger *l, str who,
                                           struct ledger_spent *out,
                                           custos_err *err);

/*
 * Spending over time, of everybody (who empty) or of one analyst: at most `most`
 * (2 or more) points, each the sum after a charge. They are the first charge,
 * every k-th one after it, and the last. In the currency and with the limit now
 * in force. Allocated in a.
 */
struct ledger_point {
    uint64_t seq;
    int64_t time;
    char spent[CUSTOS_AMOUNT_MAX];
};
struct ledger_history {
    const char *currency; /* "epsilon" or "rho" */
    bool limited;
    char limit[CUSTOS_AMOUNT_MAX];
    struct ledger_point *points;
    size_t n;
};
CUSTOS_MUST_USE custos_status ledger_history(struct ledger *l, str who,
                                             size_t most, arena *a,
                                             struct ledger_history *out,
                                             custos_err *err);

/*
 * The terms in force, allocated in a. CUSTOS_EPOLICY: there are none yet.
 */
CUSTOS_MUST_USE custos_status ledger_terms_get(struct ledger *l, arena *a,
                                               struct ledger_terms *out,
                                               custos_err *err);

/* One row, for reading. Texts are allocated in the arena. */
struct ledger_row {
    uint64_t seq;
    int64_t time;
    str kind; /* "open", "terms", "charge", or an act such as "import" */
    str who, query, plan, theorems, words;
    str epsilon, rho, delta; /* exact text; empty for acts */
    str delta_rho; /* the delta up to which rho holds; empty for acts, and for
                      charges before format 6: there rho holds up to delta */
    uint64_t data_version;
    uint8_t policy[32]; /* in force when it was written */
    str version;        /* of the library that wrote it */
    struct receipt receipt;
    uint8_t before[LEDGER_HASH_BYTES]; /* hash of the row before it; zeros for
                                          the first */
};

/* What seals a row: its receipt, and when it was written. */
struct ledger_seal {
    struct receipt receipt;
    int64_t time;
};

/* The seals of the rows from `from` on. *n: for how many `out` has room; set to
   the number of seals. */
CUSTOS_MUST_USE custos_status ledger_seals(struct ledger *l, uint64_t from,
                                           struct ledger_seal *out, size_t *n,
                                           custos_err *err);

/* The last row; seq 0: there is none. */
CUSTOS_MUST_USE custos_status ledger_head(struct ledger *l, struct receipt *out,
                                          custos_err *err);

/* Rows from `from` on (0: the first), at most *n; *n becomes their number. who
   empty: rows of everybody; theorem not empty: only charges that rely on it. */
CUSTOS_MUST_USE custos_status ledger_rows(struct ledger *l, uint64_t from,
                                          str who, str theorem, arena *a,
                                          struct ledger_row **out, size_t *n,
                                          custos_err *err);

/*
 * Checks every hash of the chain, recomputes every balance, and checks that no
 * cached answer was changed and that the receipt (may be NULL) is of this chain.
 * CUSTOS_ECORRUPT: the message says what is wrong, and names the first wrong row
 * if there is one. CUSTOS_ENAME: the ledger is older than the receipt, or the
 * receipt is of another chain.
 */
CUSTOS_MUST_USE custos_status ledger_verify(struct ledger *l,
                                            const struct receipt *r,
                                            struct receipt *head,
                                            custos_err *err);

/*
 * Checks only the hashes of the rows after `from`, a receipt of this chain: for
 * example the head that ledger_verify returned. Fails as ledger_verify.
 */
CUSTOS_MUST_USE custos_status ledger_verify_after(struct ledger *l,
                                                  const struct receipt *from,
                                                  struct receipt *head,
                                                  custos_err *err);

/* Copies the ledger, as of one moment, to a new file (backup). */
CUSTOS_MUST_USE custos_status ledger_copy(struct ledger *l, const char *path,
                                          custos_err *err);

#endif
