/*
 * Credentials: each change adds a row to the chain. A credential is not valid
 * once the policy drops its name, and is intact after a power cut. The chain
 * contains no secrets.
 */
#include "support/powercut_vfs.h"

#include "ledger/credentials.h"
#include "ledger/helpers.h"

static struct ledger_terms
terms_with(const struct ledger_analyst *names, size_t n)
{
    struct ledger_terms t = terms_of("1", "0");

    t.analysts = names;
    t.n_analysts = n;
    return t;
}

static const struct ledger_analyst both[] = {{.name = {"ann", 3}},
                                             {.name = {"bob", 3}}};

static struct ledger_credential
credential_of(const char *name, uint8_t token)
{
    struct ledger_credential d = {.seq = 0};

    snprintf(d.name, sizeof d.name, "%s", name);
    snprintf(d.verifier, sizeof d.verifier, "SCRAM-SHA-256$%d", token);
    return d;
}

static struct ledger_token
token_of(const char *name, uint8_t token)
{
    struct ledger_token t = {.seq = 0};

    snprintf(t.name, sizeof t.name, "%s", name);
    memset(t.hash, token, sizeof t.hash);
    return t;
}

static custos_status
put(struct ledger *l, const char *name, uint8_t token,
    enum ledger_credential_how how, struct receipt *r)
{
    struct ledger_credential d = credential_of(name, token);
    struct ledger_token t = token_of(name, token);

    return ledger_credential_put(l, &d, &t, how, 9, r, NULL);
}

/*
 * Looking up by name and by token finds this credential; if token is 0, the
 * name has no token.
 */
static void
assert_door(struct ledger *l, const char *name, uint8_t token, uint64_t seq)
{
    struct ledger_credential want = credential_of(name, token), by_name;
    struct ledger_token own = token_of(name, token), by_token;
    custos_status st = ledger_credential_find(l, str_of(name), &by_name, NULL);

    assert_int_equal(st, token ? CUSTOS_OK : CUSTOS_ENAME);
    if (st)
        return;
    want.seq = own.seq = seq;
    assert_memory_equal(&by_name, &want, sizeof want);
    assert_int_equal(ledger_token_find(l, own.hash, &by_token, NULL),
                     CUSTOS_OK);
    assert_memory_equal(&by_token, &own, sizeof own);
}

static void
assert_last_row(struct ledger *l, const struct receipt *r, const char *kind,
                const char *words)
{
    arena *a = arena_new(NULL, 1 << 20);
    struct ledger_row *row = NULL;
    size_t n = 5;

    assert_int_equal(
        ledger_rows(l, r->seq, str_of(""), str_of(""), a, &row, &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, 1);
    assert_true(str_equal(row->kind, str_of(kind)));
    assert_true(str_equal(row->words, str_of(words)));
    assert_true(str_equal(row->who, str_of("owner")));
    arena_free(a);
}

static void
credentials_and_rows_are_one(void **state)
{
    struct ledger_terms t = terms_with(both, 2), less = terms_with(both, 1);
    arena *a = arena_new(NULL, 1 << 20);
    struct ledger_credential *all = NULL;
    struct receipt r, again;
    struct ledger *l, *other;
    struct place p;
    size_t n = 0;

    (void)state;
    l = place_begin(&p);
    other = open_at(&p); /* like the handle of a server */
    assert_int_equal(put(l, "ann", 1, LEDGER_CREDENTIAL_NEW, &r),
                     CUSTOS_EPOLICY);
    set_terms(l, &t);
    assert_int_equal(put(l, "ann", 1, LEDGER_CREDENTIAL_NEW, &r), CUSTOS_OK);
    assert_last_row(l, &r, "add", "ann");
    assert_door(other, "ann", 1, r.seq);
    assert_door(other, "bob", 0, 0);
    assert_int_equal(put(l, "ann", 2, LEDGER_CREDENTIAL_NEW, &again),
                     CUSTOS_EINVAL);
    assert_int_equal(put(l, "bob", 2, LEDGER_CREDENTIAL_AGAIN, &again),
                     CUSTOS_ENAME);
    assert_int_equal(put(l, "eve", 2, LEDGER_CREDENTIAL_NEW, &again),
                     CUSTOS_ENAME);
    assert_door(other, "ann", 1, r.seq);
    assert_int_equal(put(l, "ann", 2, LEDGER_CREDENTIAL_AGAIN, &again),
                     CUSTOS_OK);
    assert_last_row(l, &again, "rotate", "ann");
    assert_door(other, "ann", 2, again.seq);
    assert_int_equal(put(l, "bob", 3, LEDGER_CREDENTIAL_NEW, &r), CUSTOS_OK);
    assert_int_equal(put(l, "", 4, LEDGER_CREDENTIAL_NEW, &r), CUSTOS_OK);
    assert_door(other, "", 4, r.seq);
    assert_int_equal(ledger_credentials(l, a, &all, &n, NULL), CUSTOS_OK);
    assert_int_equal(n, 3);
    /* The policy drops bob: the credential is kept but not valid. */
    set_terms(l, &less);
    assert_door(other, "bob", 0, 0);
    assert_int_equal(ledger_credential_drop(l, str_of("bob"), 9, &r, NULL),
                     CUSTOS_OK);
    assert_int_equal(ledger_credential_drop(l, str_of("bob"), 9, &again, NULL),
                     CUSTOS_ENAME);
    assert_last_row(l, &r, "revoke", "bob");
    set_terms(l, &t);
    assert_door(other, "bob", 0, 0);
    assert_verifies(l, &r);
    ledger_close(l);
    ledger_close(other);
    arena_free(a);
    place_remove(&p);
}

static custos_status
put_token(struct ledger *l, const char *name, uint8_t token, int64_t old_until,
          struct receipt *r)
{
    struct ledger_token t = token_of(name, token);

    return ledger_token_put(l, &t, old_until, 9, r, NULL);
}

/* When the token expires; -1: there is no such token. */
static int64_t
expiry_of(struct ledger *l, uint8_t token)
{
    struct ledger_token t = token_of("", token), found;

    return ledger_token_find(l, t.hash, &found, NULL) ? -1 : found.expires;
}

/*
 * A name has at most two valid tokens: a third ends the oldest. Each change has
 * its row.
 */
static void
tokens_and_rows_are_one(void **state)
{
    struct ledger_terms t = terms_with(both, 2);
    struct ledger_token metrics = token_of("", 9), found;
    arena *a = arena_new(NULL, 1 << 20);
    struct ledger_token *all = NULL;
    struct receipt r, first;
    struct ledger *l;
    struct place p;
    size_t n = 0;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    assert_int_equal(put_token(l, "ann", 1, 0, &r), CUSTOS_ENAME);
    assert_int_equal(put(l, "ann", 1, LEDGER_CREDENTIAL_NEW, &first),
                     CUSTOS_OK);
    assert_int_equal(put_token(l, "ann", 2, 0, &r), CUSTOS_OK);
    assert_last_row(l, &r, "token", "ann");
    assert_int_equal(expiry_of(l, 1), 0);
    assert_int_equal(expiry_of(l, 2), 0);
    assert_int_equal(ledger_token_of_row(l, str_of("ann"), LEDGER_ACCESS_FULL,
                                         first.seq, &found, NULL),
                     CUSTOS_OK);
    assert_int_equal(put_token(l, "ann", 3, 77, &r), CUSTOS_OK);
    assert_int_equal(expiry_of(l, 1), -1);
    assert_int_equal(expiry_of(l, 2), 77);
    assert_int_equal(expiry_of(l, 3), 0);
    assert_int_equal(ledger_token_of_row(l, str_of("ann"), LEDGER_ACCESS_FULL,
                                         first.seq, &found, NULL),
                     CUSTOS_ENAME);
    /* the metrics token has no name; ending it keeps the owner's token */
    metrics.access = LEDGER_ACCESS_METRICS;
    metrics.expires = 5;
    assert_int_equal(put(l, "", 8, LEDGER_CREDENTIAL_NEW, &r), CUSTOS_OK);
    assert_int_equal(ledger_token_put(l, &metrics, 0, 9, &r, NULL), CUSTOS_OK);
    assert_last_row(l, &r, "token", "metrics");
    assert_int_equal(expiry_of(l, 9), 5);
    assert_int_equal(ledger_tokens(l, a, &all, &n, NULL), CUSTOS_OK);
    assert_int_equal(n, 4);
    assert_int_equal(
        ledger_tokens_end(l, str_of("ann"), LEDGER_ACCESS_FULL, 1, 9, &r, NULL),
        CUSTOS_OK);
    assert_last_row(l, &r, "revoke", "ann");
    assert_int_equal(expiry_of(l, 2), -1);
    assert_int_equal(expiry_of(l, 3), 0);
    assert_int_equal(
        ledger_tokens_end(l, str_of("ann"), LEDGER_ACCESS_FULL, 1, 9, &r, NULL),
        CUSTOS_ENAME);
    assert_int_equal(
        ledger_tokens_end(l, str_of(""), LEDGER_ACCESS_METRICS, 0, 9, &r, NULL),
        CUSTOS_OK);
    assert_int_equal(expiry_of(l, 9), -1);
    assert_int_equal(expiry_of(l, 8), 0);
    assert_int_equal(ledger_credential_drop(l, str_of("ann"), 9, &r, NULL),
                     CUSTOS_OK);
    assert_int_equal(expiry_of(l, 3), -1);
    assert_verifies(l, &r);
    ledger_close(l);
    arena_free(a);
    place_remove(&p);
}

/*
 * After a power cut at any of the first 29 operations, row and credential are
 * both there or neither is.
 */
static void
credentials_survive_a_power_cut(void **state)
{
    struct ledger_terms t = terms_with(both, 2);
    size_t with = 0, without = 0;
    struct ledger *l;
    struct place p;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    ledger_close(l);
    for (size_t at = 1; at < 30; at++) {
        struct disk *d = disk_new(at);
        struct ledger_credential found;
        struct receipt r = {0}, head;
        bool done;

        assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_OK);
        disk_cut_at(d, at);
        done = put(l, "ann", 1, LEDGER_CREDENTIAL_NEW, &r) == CUSTOS_OK;
        disk_cut(d);
        ledger_close(l);
        disk_restart(d);
        assert_int_equal(ledger_open(p.path, p.lock, &l, NULL), CUSTOS_OK);
        assert_int_equal(ledger_verify(l, NULL, &head, NULL), CUSTOS_OK);
        if (ledger_credential_find(l, str_of("ann"), &found, NULL)) {
            assert_false(done);
            assert_int_equal(head.seq, 2);
            without++;
        } else {
            assert_int_equal(head.seq, 3);
            assert_int_equal(found.seq, 3);
            with++;
        }
        ledger_close(l);
        disk_free(d);
    }
    assert_true(with > 2 && without > 2);
    place_remove(&p);
}

static bool
has(str text, const char *what)
{
    return text.len && memmem(text.ptr, text.len, what, strlen(what));
}

static void
credentials_leave_no_secret_in_the_chain(void **state)
{
    struct ledger_terms t = terms_with(both, 2);
    arena *a = arena_new(NULL, 1 << 20);
    struct ledger_row *rows = NULL;
    struct ledger *l;
    struct receipt r;
    struct place p;
    size_t n = 100;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    assert_int_equal(put(l, "ann", 'T', LEDGER_CREDENTIAL_NEW, &r), CUSTOS_OK);
    assert_int_equal(put(l, "ann", 'T', LEDGER_CREDENTIAL_AGAIN, &r),
                     CUSTOS_OK);
    assert_int_equal(ledger_credential_drop(l, str_of("ann"), 9, &r, NULL),
                     CUSTOS_OK);
    assert_int_equal(
        ledger_rows(l, 0, str_of(""), str_of(""), a, &rows, &n, NULL),
        CUSTOS_OK);
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++) {
        assert_false(has(rows[i].words, "SCRAM") || has(rows[i].query, "S"));
        assert_false(has(rows[i].words, "TT") || has(rows[i].plan, "T"));
    }
    ledger_close(l);
    arena_free(a);
    place_remove(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(credentials_and_rows_are_one),
        cmocka_unit_test(tokens_and_rows_are_one),
        cmocka_unit_test(credentials_survive_a_power_cut),
        cmocka_unit_test(credentials_leave_no_secret_in_the_chain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
