/*
 * Policy, ledger and data come into force in this order: the data is made
 * beside the old (under running readers), the ledger takes the terms, one
 * rename puts policy and data in force. Whatever fails before the rename
 * leaves the old store answering; new terms without the new data are safe,
 * for what was spent stays spent.
 */
#include "curator/init.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "store/file.h"

enum { POLICY_MAX = 1 << 20 };

static bool
same_unit(const struct policy_table *a, const struct policy_table *b)
{
    if (a->unit_is_row || b->unit_is_row)
        return a->unit_is_row == b->unit_is_row;
    return str_equal(a->columns[a->unit_column].name,
                     b->columns[b->unit_column].name) &&
           str_equal(a->columns[a->unit_column].references_table,
                     b->columns[b->unit_column].references_table);
}

/*
 * THEOREM  one-unit-one-ledger
 *   What was spent protects the units it was spent for. If a table's unit or
 *   the adjacency changed, the sum would add prices of different promises.
 * SOURCE   doc/proofs/one-unit-one-ledger.md
 * NEEDS    the policy in force and the new one.
 * GIVES    CUSTOS_OK only if every table private in both has the same unit,
 *          and the adjacency is the same.
 * FAILS    CUSTOS_EPOLICY, on the policies alone.
 * TESTED   the_unit_cannot_change
 */
static custos_status
check_change(const struct policy *old, const struct policy *now,
             custos_err *err)
{
    if (old->adjacency != now->adjacency)
        return custos_fail(err, CUSTOS_EPOLICY,
                           "the adjacency cannot change in a store that has a "
                           "ledger; make a new store");
    for (size_t i = 0; i < old->n_tables; i++) {
        const struct policy_table *was = &old->tables[i];
        const struct policy_table *is = policy_table_find(now, was->name);

        if (!is || was->is_public)
            continue;
        if (is->is_public || !same_unit(was, is))
            return custos_fail(err, CUSTOS_EPOLICY,
                               "the unit of table %.60s cannot change in a "
                               "store that has a ledger; make a new store",
                               is->name.ptr);
    }
    return CUSTOS_OK;
}

/* In words that change when people are no longer what is protected. */
static const char *
unit_words(const struct policy *p)
{
    bool rows = false, people = false;

    for (size_t i = 0; i < p->n_tables; i++)
        if (!p->tables[i].is_public) {
            rows = rows || p->tables[i].unit_is_row;
            people = people || !p->tables[i].unit_is_row;
        }
    if (rows && people)
        return "rows and people";
    return rows ? "rows" : "people";
}

static struct ledger_budget
budget_of(const struct policy_budget *b)
{
    return (struct ledger_budget){.epsilon = b->epsilon, .delta = b->delta};
}

static custos_status
set_terms(struct ledger *l, const struct policy *p, int64_t now, arena *a,
          struct receipt *receipt, custos_err *err)
{
    struct ledger_analyst *analysts =
        arena_take(a, p->n_analysts + 1, sizeof *analysts);
    struct ledger_terms terms = {
        .adjacency = p->adjacency,
        .budget = budget_of(&p->budget),
        .analysts = analysts,
        .n_analysts = p->n_analysts,
        .unit = str_of(unit_words(p)),
    };

    if (!analysts)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    memcpy(terms.policy, p->id, sizeof terms.policy);
    for (size_t i = 0; i < p->n_analysts; i++) {
        const struct policy_analyst *from = &p->analysts[i];

        analysts[i] = (struct ledger_analyst){
            .name = from->name,
            .has_budget = from->has_budget,
            .budget = budget_of(&from->budget),
            .has_window = from->has_window,
            .window = budget_of(&from->window),
            .window_days = from->window_days,
        };
    }
    return ledger_terms_set(l, &terms, str_of("owner"), now, receipt, err);
}

/* The folder that a path lies in, "." when it has none. */
static void
folder_of(const char *path, char *out)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;

    if (!slash)
        memcpy(out, ".", 2);
    else if (len == 0 || len >= STORE_PATH_MAX)
        memcpy(out, "/", 2);
    else {
        memcpy(out, path, len);
        out[len] = '\0';
    }
}

static custos_status
open_or_create(const char *path, str policy, struct store *s, bool *created,
               custos_err *err)
{
    custos_err quiet;
    custos_status st = store_open(path, s, &quiet);

    *created = st == CUSTOS_ENAME;
    if (*created) {
        st = store_create(path, policy, err);
        if (!st)
            st = store_open(path, s, err);
    } else if (st && err) {
        *err = quiet;
    }
    return st;
}

/* The store is open; nothing is in force yet of what is new. */
static custos_status
import(struct store *s, const struct policy *p, const char *base, int64_t now,
       engine_progress progress, void *ctx, arena *a, struct init_report *out,
       custos_err *err)
{
    char ledger_path[STORE_PATH_MAX], lock[STORE_PATH_MAX], words[64];
    struct ledger *l = NULL;
    custos_status st;

    store_path(s, "ledger.db", ledger_path);
    store_path(s, "lock", lock);
    if (s->version > 0 && access(ledger_path, F_OK))
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the store has data but no ledger: what was spent "
                           "is not known; restore it from a backup");
    st = ledger_open(ledger_path, lock, &l, err);
    if (!st)
        st = engine_import(s, p, base, progress, ctx, a, &out->tables,
                           &out->version, err);
    if (!st)
        st = set_terms(l, p, now, a, &out->receipt, err);
    if (!st)
        st = store_commit(s, p->text, out->version, err);
    if (!st) {
        snprintf(words, sizeof words, "data version %llu",
                 (unsigned long long)out->version);
        st = ledger_act(l, "import", str_of(words), str_of("owner"), now,
                        &out->receipt, err);
    }
    ledger_close(l);
    return st;
}

custos_status
curator_init(const char *policy, const char *path, int64_t now,
             engine_progress progress, void *ctx, arena *a,
             struct init_report *out, custos_err *err)
{
    char base[STORE_PATH_MAX];
    struct init_report report = {0};
    struct policy *p = NULL, *old = NULL;
    struct store s;
    custos_status st;
    str text;

    folder_of(policy, base);
    st = file_read(policy, POLICY_MAX, a, &text, err);
    if (!st)
        st = policy_read(a, text, policy, &p, err);
    if (!st)
        st = open_or_create(path, p->text, &s, &report.created, err);
    if (st)
        return st;
    st = store_import_begin(&s, err);
    if (!st && !report.created) {
        st = store_policy(&s, a, &text, err);
        if (!st)
            st = policy_read(a, text, "the store's policy", &old, err);
        if (!st)
            st = check_change(old, p, err);
    }
    report.n_tables = p->n_tables;
    if (!st)
        st = import(&s, p, base, now, progress, ctx, a, &report, err);
    store_close(&s);
    if (!st)
        *out = report;
    return st;
}
