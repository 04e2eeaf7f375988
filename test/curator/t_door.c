/*
 * Doors as a server sees them: every change is seen at once by a handle that
 * was open before.
 */
#include "curator/door.h"

#include <ctype.h>

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
    custos_err err;

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
set(const char *name, enum door_change how, const char *verifier,
    char token[DOOR_TOKEN_MAX])
{
    struct receipt r;
    custos_err err;

    assert_int_equal(door_token_new(token, &err), CUSTOS_OK);
    if (door_set(curator_ledger(owner), str_of(name), how, str_of(verifier),
                 str_of(token), 5, &r, &err))
        fail_msg("%s", err.said);
}

static void
tokens_are_new_and_long(void **state)
{
    char a[DOOR_TOKEN_MAX], b[DOOR_TOKEN_MAX];

    (void)state;
    assert_int_equal(door_token_new(a, NULL), CUSTOS_OK);
    assert_int_equal(door_token_new(b, NULL), CUSTOS_OK);
    assert_string_not_equal(a, b);
    assert_int_equal(strlen(a), 71);
    assert_memory_equal(a, "custos_", 7);
    for (size_t i = 7; i < 71; i++)
        assert_true(isxdigit((unsigned char)a[i]));
}

static void
who_has_the_token_comes_in(void **state)
{
    char first[DOOR_TOKEN_MAX], second[DOOR_TOKEN_MAX], own[DOOR_TOKEN_MAX];
    char verifier[DOOR_VERIFIER_MAX];
    struct door in, now;
    struct receipt r;
    custos_err err;

    (void)state;
    assert_int_equal(door_verifier(c, str_of("ann"), &in, verifier, &err),
                     CUSTOS_EDENIED);
    set("ann", DOOR_NEW, "SCRAM-1", first);
    set("", DOOR_NEW, "", own);
    assert_int_equal(door_token(c, str_of(first), &in, &err), CUSTOS_OK);
    assert_string_equal(in.name, "ann");
    assert_int_equal(door_holds(c, &in, &err), CUSTOS_OK);
    assert_int_equal(door_verifier(c, str_of("ann"), &now, verifier, &err),
                     CUSTOS_OK);
    assert_string_equal(verifier, "SCRAM-1");
    assert_int_equal(now.seq, in.seq);
    assert_int_equal(door_token(c, str_of(own), &now, &err), CUSTOS_OK);
    assert_string_equal(now.name, "");
    /* The owner has no password. */
    assert_int_equal(door_verifier(c, str_of(""), &now, verifier, &err),
                     CUSTOS_EDENIED);
    /* Every wrong byte, and every wrong length. */
    for (size_t i = 0; i < 71; i++) {
        char wrong[DOOR_TOKEN_MAX];

        memcpy(wrong, first, sizeof wrong);
        wrong[i] ^= 1;
        assert_int_equal(door_token(c, (str){wrong, 71}, &now, &err),
                         CUSTOS_EDENIED);
        assert_int_equal(door_token(c, (str){first, i}, &now, &err),
                         CUSTOS_EDENIED);
    }
    set("ann", DOOR_AGAIN, "SCRAM-2", second);
    assert_int_equal(door_holds(c, &in, &err), CUSTOS_EDENIED);
    assert_int_equal(door_token(c, str_of(first), &now, &err), CUSTOS_EDENIED);
    assert_int_equal(door_token(c, str_of(second), &in, &err), CUSTOS_OK);
    assert_int_equal(
        door_revoke(curator_ledger(owner), str_of("ann"), 6, &r, &err),
        CUSTOS_OK);
    assert_int_equal(door_holds(c, &in, &err), CUSTOS_EDENIED);
    assert_int_equal(door_token(c, str_of(second), &now, &err), CUSTOS_EDENIED);
    assert_int_equal(door_verifier(c, str_of("ann"), &now, verifier, &err),
                     CUSTOS_EDENIED);
}

/* The same each time, by name; of another store another. */
static void
mock_salts_stay(void **state)
{
    uint8_t a[DOOR_SALT_BYTES], b[DOOR_SALT_BYTES], eve[DOOR_SALT_BYTES];

    (void)state;
    door_mock_salt(c, str_of("ann"), a);
    door_mock_salt(owner, str_of("ann"), b);
    door_mock_salt(c, str_of("eve"), eve);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, eve, sizeof a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_new_and_long),
        cmocka_unit_test(who_has_the_token_comes_in),
        cmocka_unit_test(mock_salts_stay),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
