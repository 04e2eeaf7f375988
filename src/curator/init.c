/*
 * Puts policy, ledger and data in force, in three steps: the new data is made
 * beside the old data, while readers go on; the ledger takes the terms; one
 * rename puts policy and data in force. A failure before the ledger has the
 * terms leaves the old store unchanged, or no store if there was none. If the
 * policy is new, a crash or failure between the last two steps leaves a ledger
 * that is ahead of the store: it refuses every charge, since the store's policy
 * is not the one of its terms, until init is run again. That is safe, and
 * nothing is lost. After a failure that follows the rename, policy and data are
 * in force, and only the ledger's row about the import may be missing.
 */
#include "curator/init.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "plan/constraints.h"
#include "plan/from/views.h"
#include "policy/amounts.h"
#include "store/file.h"

enum { POLICY_MAX = 1 << 20, POLICY_ARENA = 1 << 26, WORDS_MAX = 4096 };

static bool
same_unit(const struct policy_table *a, const struct policy_table *b)
{
    if (a->unit_is_row || b->unit_is_row)
        return a->unit_is_row == b->unit_is_row;
    return str_equal(a->columns[a->unit_column].name,
                     b->columns[b->unit_column].name) &&
           str_equal(a->columns[a->unit_column].references_table,
                     b->columns[b->unit_column].references_table) &&
           str_equal(a->columns[a->unit_column].references_column,
                     b->columns[b->unit_column].references_column);
}

/*
 * THEOREM  one-unit-one-ledger
 *   A charge protects the units that the policy had when it was made. If a
 *   table's unit or the adjacency changed, the sum would add prices of
 *   different promises.
 * SOURCE   doc/proofs/one-unit-one-ledger.md
 * NEEDS    the policies the store has had, and the new one.
 * GIVES    CUSTOS_OK only if the adjacency is the same, and every table of the
 *          new policy that was private in the last policy that had it is
 *          private and has the same unit. Policies in between that lack the
 *          table change nothing.
 * FAILS    CUSTOS_EPOLICY, depending on the policies alone.
 * TESTED   the_unit_cannot_change rule_24_units_do_not_change_step_by_step
 */
static custos_status
check_tables(const struct policy *old, const struct policy *now, bool *met,
             custos_err *err)
{
    for (size_t i = 0; i < now->n_tables; i++) {
        const struct policy_table *is = &now->tables[i];
        const struct policy_table *was = policy_table_find(old, is->name);

        if (met[i] || !was)
            continue;
        met[i] = true;
        if (!was->is_public && (is->is_public || !same_unit(was, is)))
            return custos_fail(err, CUSTOS_EPOLICY,
                               "the unit of table %.60s cannot change in a "
                               "store that has a ledger" HINT
                               "make a new store",
                               is->name.ptr);
    }
    return CUSTOS_OK;
}

/* Reads policy n of the store; *out is allocated in `a`. */
static custos_status
read_policy(const struct store *s, uint64_t n, arena *a, struct policy **out,
            custos_err *err)
{
    struct store at = {.policy = n};
    custos_status st;
    str text;

    memcpy(at.path, s->path, sizeof at.path);
    st = store_policy(&at, a, &text, err);
    return st ? st : policy_read_past(a, text, "the store's policy", out, err);
}

static bool
same_budget(const struct policy_budget *a, const struct policy_budget *b)
{
    return !amounts_cmp(a->epsilon, b->epsilon) &&
           !amounts_cmp(a->delta, b->delta);
}

/* How the budget changed, as text in `a`; empty if it did not. */
static custos_status
budget_words(const struct policy_budget *was, const struct policy_budget *is,
             arena *a, str *out, custos_err *err)
{
    struct buf b;

    *out = str_of("");
    if (same_budget(was, is))
        return CUSTOS_OK;
    buf_init(&b, NULL, WORDS_MAX);
    buf_printf(&b, "epsilon %s, delta %s; before epsilon %s, delta %s",
               is->epsilon.ptr, is->delta.ptr, was->epsilon.ptr,
               was->delta.ptr);
    out->ptr = b.failed ? NULL : arena_copy(a, str_of(buf_text(&b)));
    out->len = b.len;
    buf_clear(&b);
    return out->ptr ? CUSTOS_OK
                    : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/*
 * Checks the new policy against the one in force; a table that the one in force
 * lacks is checked against the last policy that had it. *budget says how the
 * budget changes.
 */
static custos_status
check_change(const struct store *s, const struct policy *now, arena *a,
             str *budget, custos_err *err)
{
    bool *met = arena_take(a, now->n_tables, sizeof *met);
    custos_status st = CUSTOS_OK;

    if (!met)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (uint64_t n = s->policy; n > 0 && !st; n--) {
        arena *memory = arena_new(NULL, POLICY_ARENA);
        struct policy *old = NULL;
        bool all = true;

        st = memory ? read_policy(s, n, memory, &old, err)
                    : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        if (!st && n == s->policy && old->adjacency != now->adjacency)
            st = custos_fail(err, CUSTOS_EPOLICY,
                             "the adjacency cannot change in a store that has "
                             "a ledger" HINT "make a new store");
        if (!st && n == s->policy)
            st = budget_words(&old->budget, &now->budget, a, budget, err);
        if (!st)
            st = check_tables(old, now, met, err);
        arena_free(memory);
        for (size_t i = 0; i < now->n_tables; i++)
            all = all && met[i];
        if (all)
            break;
    }
    return st;
}

/* What the policy protects, in words, for the terms. */
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

/* The folder of a path; "." if the path has none. */
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

/*
 * Opens the store, or creates it. If several processes create it at once, all
 * go on with the one that was created first; *made says whether this call made
 * it.
 */
static custos_status
open_or_create(const char *path, str policy, struct store *s,
               enum store_made *made, custos_err *err)
{
    custos_err first = CUSTOS_ERR_INIT, why = CUSTOS_ERR_INIT;
    custos_status st = store_open(path, s, &first), create;
    bool folder = !access(path, F_OK);

    *made = STORE_WAS_THERE;
    if (st == CUSTOS_ENAME) {
        create = store_create(path, policy, &why);
        if (!create)
            *made = folder ? STORE_MADE_IN_FOLDER : STORE_MADE;
        st = store_open(path, s, &first);
        if (st == CUSTOS_ENAME && create) {
            st = create;
            first = why;
        }
    }
    if (st && err)
        *err = first;
    return st;
}

/* Imports the data and puts it in force; the store is open. */
static custos_status
import_data(struct store *s, const struct policy *p, const char *base,
            uint64_t max_loss_ppm, int64_t now, engine_progress progress,
            void *ctx, arena *a, struct init_report *out, custos_err *err)
{
    char ledger_path[STORE_PATH_MAX], lock[STORE_PATH_MAX], words[64];
    struct ledger *l = NULL;
    custos_status st;

    store_path(s, "ledger.db", ledger_path);
    store_path(s, "lock", lock);
    if (s->version > 0 && access(ledger_path, F_OK))
        return custos_fail(err, CUSTOS_ECORRUPT,
                           "the store has data but no ledger: what was spent "
                           "is not known" HINT "restore it from a backup");
    st = ledger_open(ledger_path, lock, &l, err);
    if (!st)
        st = engine_import(s, p, base, max_loss_ppm, progress, ctx, a,
                           &out->tables, &out->version, err);
    if (!st)
        st = set_terms(l, p, now, a, &out->receipt, err);
    if (!st && out->budget.len)
        st = ledger_act(l, "budget", out->budget, str_of("owner"), now,
                        &out->receipt, err);
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
curator_init(const char *policy, const char *path, uint64_t max_loss_ppm,
             int64_t now, engine_progress progress, void *ctx, arena *a,
             struct init_report *out, custos_err *err)
{
    char base[STORE_PATH_MAX];
    struct init_report report = {0};
    struct policy *p = NULL;
    enum store_made made;
    struct store s;
    custos_status st;
    str text;

    *out = report;
    folder_of(policy, base);
    st = file_read(policy, POLICY_MAX, a, &text, err);
    if (!st)
        st = policy_read(a, text, policy, &p, err);
    if (!st)
        st = views_check(a, p, policy, err);
    if (!st)
        st = constraints_check(a, p, policy, err);
    if (!st)
        st = open_or_create(path, p->text, &s, &made, err);
    if (st)
        return st;
    st = store_import_begin(&s, err);
    if (!st && s.version > 0) /* version 0: no question was ever answered */
        st = check_change(&s, p, a, &report.budget, err);
    report.created = s.version == 0;
    report.n_tables = p->n_tables;
    if (!st)
        st = import_data(&s, p, base, max_loss_ppm, now, progress, ctx, a,
                         &report, err);
    if (st)
        store_unmake(&s, made);
    store_close(&s);
    if (!st || report.tables)
        *out = report;
    return st;
}
