/*
 * What the command (--json) and the server (HTTP) both send, written by one
 * function each. contract.txt describes every document; the tests check what is
 * sent against it.
 *
 * Each function writes the members of an object that the caller has opened, so that
 * the caller can add members of its own.
 */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include "base/json.h"
#include "curator/batch.h"
#include "curator/credential.h"
#include "curator/describe.h"
#include "ledger/ledger.h"
#include "report/risk.h"

/* Of the command's documents; raised when a member changes its name or meaning. */
enum { CONTRACT_VERSION = 1 };

/* Who reads a document: an analyst sees what is their own, the owner everything. */
enum contract_reader { READER_ANALYST, READER_OWNER };

/* Answer: `remaining` is NULL if it is not known. */
void contract_answer(struct json *j, const struct answer *a,
                     const struct ledger_remaining *remaining);

/* Plan: `a` is the answer to EXPLAIN, `d` describes the query that it explains. */
void contract_plan(struct json *j, const struct answer *a,
                   const struct description *d,
                   const struct ledger_remaining *remaining);

/* BatchAnswer and BatchPlan, of a batch that was answered or explained. */
void contract_batch(struct json *j, const struct ask_batch *b,
                    const struct ledger_remaining *remaining);
void contract_batch_plan(struct json *j, const struct ask_batch *b,
                         const struct description *descriptions,
                         const struct ledger_remaining *remaining);

/*
 * Budget, of everybody (who empty) or of one analyst, at the time `now`. May fail:
 * CUSTOS_ENAME (no such analyst), and as reading the ledger does; the document is
 * then not complete.
 */
CUSTOS_MUST_USE custos_status contract_budget(struct json *j, struct ledger *l,
                                              str who,
                                              enum contract_reader reader,
                                              int64_t now, arena *a,
                                              custos_err *err);

/* One row of Ledger. */
void contract_ledger_row(struct json *j, const struct ledger_row *r,
                         enum contract_reader reader);

/* Verified: head is NULL if it is not shown. */
void contract_verified(struct json *j, bool ok, const struct receipt *head,
                       str said);

/* Analysts, with their credentials and budgets. Fails as contract_budget. */
CUSTOS_MUST_USE custos_status contract_analysts(struct json *j,
                                                struct ledger *l, int64_t now,
                                                arena *a, custos_err *err);

/* Whether an analyst can log in, or why not. */
const char *
contract_analyst_state(const struct credential_info *c, int64_t now);

/* The member `since`: when row `seq` of the chain was written; null if there is
   no such row. */
CUSTOS_MUST_USE custos_status contract_since(struct json *j, struct ledger *l,
                                             uint64_t seq, arena *a,
                                             custos_err *err);

/* NewSecrets: an empty password or token was not made here, and is null. */
struct contract_secrets {
    str name, password, token;
    int64_t expires; /* 0: never */
};
void contract_secrets(struct json *j, const struct contract_secrets *s,
                      const struct receipt *r);

void contract_risk(struct json *j, const struct risk_told *t);

/* The member `receipt`. */
void
contract_receipt(struct json *j, const char *name, const struct receipt *r);

#endif
