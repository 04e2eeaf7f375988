/*
 * Credentials as a server sees them: a handle that is already open sees every
 * change at once.
 */
#include "curator/credential.h"

#include <ctype.h>

#include "curator/catalog.h"
#include "curator/describe.h"
#include "support/hospital.h"
#include "support/support.h"

static const char policy[] =
    "custos: 1\nbudget: {epsilon: 10, delta: 0}\n"
    "query: {epsilon: 0.01, max_epsilon: 1}\n"
    "tables:\n  people:\n    source: people.csv\n    unit: row\n"
    "    columns: {age: {type: integer, range: [0, 100]}}\n"
    "analysts:\n  ann: {}\n  bob: {}\n";

static struct test_store files;
static struct curator *c, *owner;

static int
begin(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "people.csv", "age\n10\n", NULL);
    test_store_init(&files);
    if (curator_open(files.store, &c, &err) ||
        curator_open(files.store, &owner, &err))
        fail_msg("%s", err.said);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    curator_close(c);
    curator_close(owner);
    test_store_remove(&files);
    return 0;
}

static void
set(const char *name, enum credential_change how, const char *verifier,
    char token[CREDENTIAL_TOKEN_MAX])
{
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(credential_token_new(token, &err), CUSTOS_OK);
    if (credential_set(curator_ledger(owner), str_of(name), how,
                       str_of(verifier), str_of(token), 0, 5, &r, &err))
        fail_msg("%s", err.said);
}

static void
tokens_are_new_and_long(void **state)
{
    char a[CREDENTIAL_TOKEN_MAX], b[CREDENTIAL_TOKEN_MAX];

    (void)state;
    assert_int_equal(credential_token_new(a, NULL), CUSTOS_OK);
    assert_int_equal(credential_token_new(b, NULL), CUSTOS_OK);
    assert_string_not_equal(a, b);
    assert_int_equal(strlen(a), 71);
    assert_memory_equal(a, "custos_", 7);
    for (size_t i = 7; i < 71; i++)
        assert_true(isxdigit((unsigned char)a[i]));
}

static void
who_has_the_token_comes_in(void **state)
{
    char first[CREDENTIAL_TOKEN_MAX], second[CREDENTIAL_TOKEN_MAX],
        own[CREDENTIAL_TOKEN_MAX];
    char verifier[CREDENTIAL_VERIFIER_MAX];
    struct credential in, now;
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(credential_verifier(c, str_of("ann"), &in, verifier, &err),
                     CUSTOS_EDENIED);
    set("ann", CREDENTIAL_NEW, "SCRAM-1", first);
    set("", CREDENTIAL_NEW, "", own);
    assert_int_equal(credential_token(c, str_of(first), &in, &err), CUSTOS_OK);
    assert_string_equal(in.name, "ann");
    assert_int_equal(credential_holds(c, &in, &err), CUSTOS_OK);
    assert_int_equal(
        credential_verifier(c, str_of("ann"), &now, verifier, &err), CUSTOS_OK);
    assert_string_equal(verifier, "SCRAM-1");
    assert_int_equal(now.seq, in.seq);
    assert_int_equal(credential_token(c, str_of(own), &now, &err), CUSTOS_OK);
    assert_string_equal(now.name, "");
    /* The owner has no password. */
    assert_int_equal(credential_verifier(c, str_of(""), &now, verifier, &err),
                     CUSTOS_EDENIED);
    /* Every wrong byte, and every wrong length. */
    for (size_t i = 0; i < 71; i++) {
        char wrong[CREDENTIAL_TOKEN_MAX];

        memcpy(wrong, first, sizeof wrong);
        wrong[i] ^= 1;
        assert_int_equal(credential_token(c, (str){wrong, 71}, &now, &err),
                         CUSTOS_EDENIED);
        assert_int_equal(credential_token(c, (str){first, i}, &now, &err),
                         CUSTOS_EDENIED);
    }
    set("ann", CREDENTIAL_AGAIN, "SCRAM-2", second);
    assert_int_equal(credential_holds(c, &in, &err), CUSTOS_EDENIED);
    assert_int_equal(credential_token(c, str_of(first), &now, &err),
                     CUSTOS_EDENIED);
    assert_int_equal(credential_token(c, str_of(second), &in, &err), CUSTOS_OK);
    assert_int_equal(
        credential_revoke(curator_ledger(owner), str_of("ann"), 6, &r, &err),
        CUSTOS_OK);
    assert_int_equal(credential_holds(c, &in, &err), CUSTOS_EDENIED);
    assert_int_equal(credential_token(c, str_of(second), &now, &err),
                     CUSTOS_EDENIED);
    assert_int_equal(
        credential_verifier(c, str_of("ann"), &now, verifier, &err),
        CUSTOS_EDENIED);
}

static custos_status
comes_in(const char *token, struct credential *out)
{
    custos_err err = CUSTOS_ERR_INIT;

    return credential_token(c, str_of(token), out, &err);
}

/*
 * Both tokens are valid until the old one expires; the password does not
 * change.
 */
static void
a_new_token_leaves_the_old_one(void **state)
{
    char first[CREDENTIAL_TOKEN_MAX], second[CREDENTIAL_TOKEN_MAX],
        third[CREDENTIAL_TOKEN_MAX];
    char verifier[CREDENTIAL_VERIFIER_MAX];
    struct credential by_password, old, new;
    struct ledger *l = curator_ledger(owner);
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    set("bob", CREDENTIAL_NEW, "SCRAM-1", first);
    assert_int_equal(
        credential_verifier(c, str_of("bob"), &by_password, verifier, &err),
        CUSTOS_OK);
    assert_int_equal(credential_token_new(second, &err), CUSTOS_OK);
    assert_int_equal(credential_token_new(third, &err), CUSTOS_OK);
    assert_int_equal(credential_token_add(l, str_of("bob"), CREDENTIAL_FULL,
                                          str_of(second), 0, 0, 6, &r, &err),
                     CUSTOS_OK);
    assert_int_equal(comes_in(first, &old), CUSTOS_OK);
    assert_int_equal(comes_in(second, &new), CUSTOS_OK);
    assert_int_equal(credential_holds(c, &old, &err), CUSTOS_OK);
    assert_int_equal(credential_holds(c, &new, &err), CUSTOS_OK);
    assert_int_equal(
        credential_tokens_end(l, str_of("bob"), CREDENTIAL_FULL, 7, &r, &err),
        CUSTOS_OK);
    assert_int_equal(comes_in(first, &old), CUSTOS_EDENIED);
    assert_int_equal(credential_holds(c, &old, &err), CUSTOS_EDENIED);
    assert_int_equal(credential_holds(c, &new, &err), CUSTOS_OK);
    /* a grace period that has ended, 8 microseconds after 1970 */
    assert_int_equal(credential_token_add(l, str_of("bob"), CREDENTIAL_FULL,
                                          str_of(third), 0, 8, 8, &r, &err),
                     CUSTOS_OK);
    assert_int_equal(comes_in(second, &old), CUSTOS_EDENIED);
    assert_int_equal(credential_holds(c, &new, &err), CUSTOS_EDENIED);
    assert_int_equal(comes_in(third, &new), CUSTOS_OK);
    assert_int_equal(credential_holds(c, &by_password, &err), CUSTOS_OK);
    assert_int_equal(credential_revoke(l, str_of("bob"), 9, &r, &err),
                     CUSTOS_OK);
    assert_int_equal(credential_holds(c, &by_password, &err), CUSTOS_EDENIED);
    assert_int_equal(comes_in(third, &new), CUSTOS_EDENIED);
}

static void
what_expired_is_wrong(void **state)
{
    const int64_t far = INT64_C(9000000000) * 1000000;
    char token[CREDENTIAL_TOKEN_MAX], verifier[CREDENTIAL_VERIFIER_MAX];
    struct ledger *l = curator_ledger(owner);
    arena *a = arena_new(NULL, 1 << 20);
    struct credential_info *seen = NULL;
    struct credential in;
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 0;

    (void)state;
    assert_int_equal(credential_token_new(token, &err), CUSTOS_OK);
    assert_int_equal(credential_set(l, str_of("bob"), CREDENTIAL_NEW,
                                    str_of("SCRAM-1"), str_of(token), far, 5,
                                    &r, &err),
                     CUSTOS_OK);
    assert_int_equal(comes_in(token, &in), CUSTOS_OK);
    assert_int_equal(credential_list(l, a, &seen, &n, &err), CUSTOS_OK);
    assert_int_equal(seen[1].expires, far);
    assert_int_equal(seen[1].n_tokens, 1);
    assert_int_equal(seen[1].tokens[0].expires, far);
    assert_int_equal(credential_set(l, str_of("bob"), CREDENTIAL_AGAIN,
                                    str_of("SCRAM-1"), str_of(token), 6, 5, &r,
                                    &err),
                     CUSTOS_OK);
    assert_int_equal(comes_in(token, &in), CUSTOS_EDENIED);
    assert_int_equal(credential_verifier(c, str_of("bob"), &in, verifier, &err),
                     CUSTOS_EDENIED);
    in = (struct credential){.name = "bob", .seq = r.seq};
    assert_int_equal(credential_holds(c, &in, &err), CUSTOS_EDENIED);
    in.by_token = true;
    assert_int_equal(credential_holds(c, &in, &err), CUSTOS_EDENIED);
    assert_int_equal(credential_revoke(l, str_of("bob"), 9, &r, &err),
                     CUSTOS_OK);
    arena_free(a);
}

static void
metrics_are_not_the_owner(void **state)
{
    char token[CREDENTIAL_TOKEN_MAX];
    struct ledger *l = curator_ledger(owner);
    struct credential in, owners;
    struct receipt r;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(credential_token_new(token, &err), CUSTOS_OK);
    assert_int_equal(credential_token_add(l, str_of(""),
                                          CREDENTIAL_METRICS_ONLY,
                                          str_of(token), 0, 0, 6, &r, &err),
                     CUSTOS_OK);
    assert_int_equal(comes_in(token, &in), CUSTOS_OK);
    assert_int_equal(in.access, CREDENTIAL_METRICS_ONLY);
    assert_int_equal(credential_holds(c, &in, &err), CUSTOS_OK);
    owners = in;
    owners.access = CREDENTIAL_FULL;
    assert_int_equal(credential_holds(c, &owners, &err), CUSTOS_EDENIED);
    assert_int_equal(credential_tokens_end(
                         l, str_of(""), CREDENTIAL_METRICS_ONLY, 7, &r, &err),
                     CUSTOS_OK);
    assert_int_equal(comes_in(token, &in), CUSTOS_EDENIED);
}

/* A name's mock salt is always the same, and different in another store. */
static void
mock_salts_stay(void **state)
{
    uint8_t a[CREDENTIAL_SALT_BYTES], b[CREDENTIAL_SALT_BYTES],
        eve[CREDENTIAL_SALT_BYTES];
    struct test_store other;
    struct curator *there = NULL;

    (void)state;
    credential_mock_salt(c, str_of("ann"), a);
    credential_mock_salt(owner, str_of("ann"), b);
    credential_mock_salt(c, str_of("eve"), eve);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, eve, sizeof a);
    test_store_write(&other, policy, "people.csv", "age\n10\n", NULL);
    test_store_init(&other);
    assert_int_equal(curator_open(other.store, &there, NULL), CUSTOS_OK);
    credential_mock_salt(there, str_of("ann"), b);
    assert_memory_not_equal(a, b, sizeof a);
    curator_close(there);
    test_store_remove(&other);
}

/*
 * For an unknown name every function gives CUSTOS_ENAME, except those for
 * clients that have not logged in, who must not learn that it is unknown.
 */
static void
an_unknown_analyst_has_one_code(void **state)
{
    static const char long_name[] =
        "0123456789012345678901234567890123456789012345678901234567890123456789"
        "0123456789012345678901234567890123456789012345678901234567890123456789"
        "0123456789012345678901234567890123456789012345678901234567890123456789"
        "012345678901234567890123456789012345678901234567890123456789012345678"
        "9";
    static const char *const names[] = {"eve", "Ann", long_name};
    struct ledger *l = curator_ledger(owner);
    arena *a = arena_new(NULL, 1 << 24);

    (void)state;
    assert_true(sizeof long_name > CREDENTIAL_NAME_MAX);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        str who = str_of(names[i]);
        struct ask ask = {.who = who,
                          .sql = str_of("SELECT count(*) FROM people")};
        struct catalog_ask look = {
            .who = who, .sql = str_of("SELECT relname FROM pg_class")};
        char verifier[CREDENTIAL_VERIFIER_MAX];
        const struct policy_analyst *analyst;
        struct ledger_balance balance;
        struct ledger_remaining remaining;
        struct ledger_history history;
        struct ledger_spent spent;
        struct description described;
        struct credential in;
        struct catalog_rows rows;
        struct answer *answer = NULL;
        struct receipt r;
        custos_err err = CUSTOS_ERR_INIT;
        const custos_status found[] = {
            curator_find(c, who, &analyst, &err),
            curator_answer(c, &ask, &answer, &err),
            curator_describe(c, &ask, a, &described, &err),
            curator_catalog(c, &look, a, &rows, &err),
            curator_catalog_describe(c, &look, a, &rows, &err),
            ledger_balance(l, who, &balance, &err),
            ledger_window(l, who, 5, &balance, &err),
            ledger_remaining(l, who, 5, NULL, &remaining, &err),
            ledger_spent(l, who, &spent, &err),
            ledger_history(l, who, 9, a, &history, &err),
            credential_set(l, who, CREDENTIAL_NEW, str_of("v"), str_of("t"), 0,
                           5, &r, &err),
            credential_set(l, who, CREDENTIAL_AGAIN, str_of("v"), str_of("t"),
                           0, 5, &r, &err),
            credential_token_add(l, who, CREDENTIAL_FULL, str_of("t"), 0, 0, 5,
                                 &r, &err),
            credential_tokens_end(l, who, CREDENTIAL_FULL, 5, &r, &err),
            credential_revoke(l, who, 5, &r, &err),
        };

        for (size_t k = 0; k < sizeof found / sizeof *found; k++)
            if (found[k] != CUSTOS_ENAME)
                fail_msg("%.10s, call %zu: %d", names[i], k, (int)found[k]);
        assert_int_equal(credential_verifier(c, who, &in, verifier, &err),
                         CUSTOS_EDENIED);
        assert_string_equal(err.said,
                            "the name, the password or the token is not right");
    }
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_new_and_long),
        cmocka_unit_test(who_has_the_token_comes_in),
        cmocka_unit_test(a_new_token_leaves_the_old_one),
        cmocka_unit_test(what_expired_is_wrong),
        cmocka_unit_test(metrics_are_not_the_owner),
        cmocka_unit_test(mock_salts_stay),
        cmocka_unit_test(an_unknown_analyst_has_one_code),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
