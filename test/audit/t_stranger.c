/*
 * A server started and asked as a stranger does: policy, store, login, replies,
 * errors, notices, fresh answers; and nothing left behind.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/stranger/client.h"
#include "audit/stranger/server.h"
#include "support/support.h"

static const struct datum cities[] = {
    {.type = TYPE_TEXT, .text = {"Oslo: \"north\"", 13}},
    {.type = TYPE_TEXT, .text = {"Rome\\", 5}},
};
static const struct schema_column columns[] = {
    {.name = {"id", 2}, .type = TYPE_INT, .references_table = SCHEMA_NONE},
    {.name = {"age", 3},
     .type = TYPE_INT,
     .nullable = true,
     .has_range = true,
     .lower = {.type = TYPE_INT, .n = 0},
     .upper = {.type = TYPE_INT, .n = 120},
     .references_table = SCHEMA_NONE},
    {.name = {"Home \"Town\"", 11},
     .type = TYPE_TEXT,
     .values = cities,
     .n_values = 2,
     .references_table = SCHEMA_NONE},
};
static const struct schema_column visit_columns[] = {
    {.name = {"who", 3}, .type = TYPE_INT},
    {.name = {"cost", 4},
     .type = TYPE_DECIMAL,
     .scale = 2,
     .has_range = true,
     .lower = {.type = TYPE_DECIMAL, .n = 0},
     .upper = {.type = TYPE_DECIMAL, .n = 500, .scale = 1},
     .references_table = SCHEMA_NONE},
};
static const struct schema_table tables[] = {
    {.name = {"people", 6}, .columns = columns, .n_columns = 3, .max_rows = 9},
    {.name = {"visits", 6},
     .columns = visit_columns,
     .n_columns = 2,
     .rows_per_unit = 3,
     .max_rows = 9},
};
static const struct schema_view view = {{"old", 3},
                                        {"SELECT id FROM people", 21}};

static struct schema
the_schema(void)
{
    struct schema s = {
        .adjacency = CUSTOS_ADD_REMOVE,
        .budget_epsilon = str_of("1"),
        .budget_delta = str_of("1e-6"),
        .query_epsilon = str_of("0.5"),
        .query_delta = str_of("1e-9"),
        .tables = tables,
        .n_tables = 2,
        .views = &view,
        .n_views = 1,
    };

    schema_raise_budget(&s);
    return s;
}

static void
test_a_server_is_asked(void **state)
{
    const str csv[] = {
        str_of("id,age,\"Home \"\"Town\"\"\"\n1,20,\"Oslo: \"\"north\"\"\"\n"
               "2,30,Rome\\\n"),
        str_of("who,cost\n1,2.50\n2,7\n2,900\n")};
    struct stranger_options options = {
        .program = getenv("CUSTOS"), .analysts = 2, .clock = CLOCK_NONE};
    struct schema schema = the_schema();
    struct stranger_server server = {0};
    struct client client;
    struct reply r;
    custos_err err = CUSTOS_ERR_INIT;
    char first[32];
    uint64_t hash;

    (void)state;
    assert_non_null(options.program);
    if (stranger_start(&schema, csv, &options, &server, &err))
        fail_msg("%s", err.said);
    assert_int_equal(
        client_open(server.port, 1, server.password, &client, &err), CUSTOS_OK);
    assert_int_equal(client_set_price(&client, PRICE_EPSILON, 100, 1, &err),
                     CUSTOS_OK);
    assert_int_equal(
        client_ask(&client,
                   "SELECT \"Home \"\"Town\"\"\" AS town, count(*) "
                   "FROM people GROUP BY 1",
                   &r, &err),
        CUSTOS_OK);
    assert_string_equal(r.sqlstate, "00000");
    assert_int_equal(r.rows, 2);
    assert_int_equal(r.columns, 2);
    assert_string_equal(reply_column(&r, 0), "town");
    assert_false(reply_column_is_number(&r, 0));
    assert_true(reply_column_is_number(&r, 1));
    assert_string_equal(reply_cell(&r, 0, 0), "Oslo: \"north\"");
    assert_string_equal(reply_cell(&r, 0, 1), "1");
    assert_int_equal(r.n_notices, 1);
    assert_non_null(strstr(r.notices, "cost epsilon 100"));
    assert_true(r.seconds > 0);
    assert_true(r.length > strlen("Oslo: \"north\"1Rome\\1"));

    /* the same question again is cached; at another serial it is not */
    assert_int_equal(client_set_price(&client, PRICE_EPSILON, 0.01, 1, &err),
                     CUSTOS_OK);
    assert_int_equal(
        client_ask(&client, "SELECT count(*) FROM people", &r, &err),
        CUSTOS_OK);
    snprintf(first, sizeof first, "%s", reply_cell(&r, 0, 0));
    hash = reply_hash(&r);
    assert_false(reply_was_cached(&r));
    assert_int_equal(
        client_ask(&client, "SELECT count(*) FROM people", &r, &err),
        CUSTOS_OK);
    assert_true(reply_was_cached(&r));
    assert_string_equal(reply_cell(&r, 0, 0), first);
    assert_int_equal(client_set_price(&client, PRICE_EPSILON, 0.01, 2, &err),
                     CUSTOS_OK);
    assert_int_equal(
        client_ask(&client, "SELECT count(*) FROM people", &r, &err),
        CUSTOS_OK);
    assert_false(reply_was_cached(&r));
    assert_true(reply_hash(&r) == hash);

    /* an error has its fields; other statements of the store are there */
    assert_int_equal(
        client_ask(&client, "SELECT count(*) FROM nobody", &r, &err),
        CUSTOS_OK);
    assert_true(reply_failed(&r));
    assert_string_equal(r.sqlstate, "42704");
    assert_non_null(strstr(r.message, "nobody"));
    assert_true(reply_hash(&r) != hash);
    assert_int_equal(client_do(&client, "SELECT count(*) FROM old", &r, &err),
                     CUSTOS_OK);
    assert_int_equal(
        client_do(&client, "SELECT sum(cost) FROM visits", &r, &err),
        CUSTOS_OK);
    assert_true(client_do(&client, "SET custos.epsilon = 'x'", NULL, &err) !=
                CUSTOS_OK);

    /* a lost connection is a reply, too */
    assert_false(stranger_ended(&server));
    assert_int_equal(stranger_restart(&server, CLOCK_PUBLIC, &err), CUSTOS_OK);
    assert_int_equal(
        client_ask(&client, "SELECT count(*) FROM people", &r, &err),
        CUSTOS_OK);
    assert_string_equal(r.sqlstate, "08006");
    client.port = server.port;
    assert_int_equal(client_reopen(&client, &err), CUSTOS_OK);
    assert_int_equal(client_do(&client, "SELECT count(*) FROM old", &r, &err),
                     CUSTOS_OK);
    assert_true(r.seconds > 0.04); /* the allowance */
    client_close(&client);
    assert_int_equal(access(server.folder.path, F_OK), 0);
    stranger_stop(&server);
    assert_int_not_equal(access(server.folder.path, F_OK), 0);
}

/* What init says about a policy that it rejects reaches the caller. */
static void
test_what_fails_says_why(void **state)
{
    struct stranger_options options = {.program = getenv("CUSTOS")};
    struct schema schema = the_schema();
    struct stranger_server server = {0};
    const str csv[] = {str_of("id\n"), str_of("who,cost\n")};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_non_null(options.program);
    assert_int_equal(stranger_start(&schema, csv, &options, &server, &err),
                     CUSTOS_EINVAL);
    assert_non_null(strstr(err.said, "init failed: custos: "));
    assert_non_null(strstr(err.said, "age"));
    assert_int_equal(server.pid, 0);
    stranger_stop(&server);
    options.program = "/no/such/program";
    assert_int_equal(stranger_start(&schema, csv, &options, &server, &err),
                     CUSTOS_EINVAL);
    assert_non_null(strstr(err.said, "cannot be run"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_server_is_asked),
        cmocka_unit_test(test_what_fails_says_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
