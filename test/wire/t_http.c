/*
 * Reading bodies of requests, and writing cells of CSV.
 */
#include "support/said.h"
#include "wire/http.h"

#include "base/csv.h"
#include "support/bytes.h"
#include "support/support.h"

static void
assert_str(str got, const char *want)
{
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.ptr, want, got.len);
}

static void
queries_are_read(void **state)
{
    arena *a = arena_new(NULL, 1 << 20);
    struct http_query q;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_non_null(a);
    assert_int_equal(
        http_query_read(a,
                        str_of("{\"sql\": \"SELECT $1\", \"epsilon\": "
                               "0.10000000000000000001, \"rho\": \"1/200\", "
                               "\"within\": \"2%\", \"jointly\": true, "
                               " \"params\": [1, 2.50, \"x\", null, true]}"),
                        &q, &err),
        CUSTOS_OK);
    assert_str(q.sql, "SELECT $1");
    assert_str(q.epsilon, "0.10000000000000000001");
    assert_str(q.rho, "1/200");
    assert_str(q.within, "2%");
    assert_true(q.jointly);
    assert_int_equal(q.n_params, 5);
    assert_int_equal(q.params[0].type, TYPE_INT);
    assert_int_equal(q.params[0].n, 1);
    assert_int_equal(q.params[1].type, TYPE_DECIMAL);
    assert_int_equal(q.params[1].n, 25);
    assert_int_equal(q.params[1].scale, 1);
    assert_str(q.params[2].text, "x");
    assert_int_equal(q.params[3].type, TYPE_NULL);
    assert_int_equal(q.params[4].type, TYPE_BOOL);
    assert_int_equal(http_query_read(a, str_of("{\"sql\":\"x\"}"), &q, &err),
                     CUSTOS_OK);
    assert_int_equal(q.epsilon.len + q.rho.len + q.within.len + q.n_params, 0);
    assert_false(q.jointly);
    arena_free(a);
}

static void
queries_that_are_refused(void **state)
{
    static const struct {
        const char *body;
        custos_status want;
        const char *said;
    } rows[] = {
        {"{", CUSTOS_ESYNTAX, "not valid JSON"},
        {"[]", CUSTOS_EINVAL, "must be an object"},
        {"\"SELECT 1\"", CUSTOS_EINVAL, "must be an object"},
        {"{}", CUSTOS_EINVAL, "has no \"sql\""},
        {"{\"sql\": \"\"}", CUSTOS_EINVAL, "has no \"sql\""},
        {"{\"sql\": 1}", CUSTOS_EINVAL, "\"sql\" must be a text"},
        {"{\"sql\": null}", CUSTOS_EINVAL, "\"sql\" must be a text"},
        {"{\"sql\": \"x\", \"epsilom\": 1}", CUSTOS_EINVAL,
         "no field \"epsilom\"; did you mean \"epsilon\"?"},
        {"{\"sql\": \"x\", \"seed\": 1}", CUSTOS_EINVAL, "no field \"seed\""},
        {"{\"sql\": \"x\", \"epsilon\": true}", CUSTOS_EINVAL,
         "\"epsilon\" must be a number or a text with one"},
        {"{\"sql\": \"x\", \"rho\": []}", CUSTOS_EINVAL,
         "\"rho\" must be a number or a text with one"},
        {"{\"sql\": \"x\", \"rho\": \"\"}", CUSTOS_EINVAL,
         "\"rho\" must be a number or a text with one"},
        {"{\"sql\": \"x\", \"epsilon\": null}", CUSTOS_EINVAL,
         "\"epsilon\" must be a number or a text with one"},
        {"{\"sql\": \"x\", \"jointly\": 1}", CUSTOS_EINVAL, "true or false"},
        {"{\"sql\": \"x\", \"jointly\": true}", CUSTOS_EINVAL,
         "\"jointly\" needs \"within\""},
        {"{\"sql\": \"x\", \"params\": 1}", CUSTOS_EINVAL, "must be a list"},
        {"{\"sql\": \"x\", \"params\": [1, [2]]}", CUSTOS_EINVAL,
         "parameter $2"},
        {"{\"sql\": \"x\", \"params\": [1e40]}", CUSTOS_EINVAL, "parameter $1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        arena *a = arena_new(NULL, 1 << 20);
        struct http_query q;
        custos_err err = CUSTOS_ERR_INIT;

        assert_int_equal(http_query_read(a, str_of(rows[i].body), &q, &err),
                         rows[i].want);
        assert_non_null(strstr(whole_said(&err), rows[i].said));
        arena_free(a);
    }
}

static void
batches_are_read(void **state)
{
    static const struct {
        const char *body;
        custos_status want;
        size_t at;
        const char *said;
    } rows[] = {
        {"{", CUSTOS_ESYNTAX, SIZE_MAX, "not valid JSON"},
        {"[{\"sql\": \"x\"}]", CUSTOS_EINVAL, SIZE_MAX, "must be an object"},
        {"{}", CUSTOS_EINVAL, SIZE_MAX, "has no \"queries\""},
        {"{\"queries\": []}", CUSTOS_EINVAL, SIZE_MAX, "has no \"queries\""},
        {"{\"queries\": \"x; y\"}", CUSTOS_EINVAL, SIZE_MAX,
         "must be a list of queries"},
        {"{\"querys\": []}", CUSTOS_EINVAL, SIZE_MAX,
         "did you mean \"queries\"?"},
        {"{\"queries\": [{\"sql\": \"x\"}], \"cautious\": 1}", CUSTOS_EINVAL,
         SIZE_MAX, "true or false"},
        {"{\"queries\": [{\"sql\": \"x\"}, \"y\"]}", CUSTOS_EINVAL, 1,
         "must be an object"},
        {"{\"queries\": [{\"sql\": \"x\"}, {\"sql\": \"\"}]}", CUSTOS_EINVAL, 1,
         "has no \"sql\""},
        {"{\"queries\": [{\"sql\": \"x\", \"jointly\": true}]}", CUSTOS_EINVAL,
         0, "\"jointly\" needs \"within\""},
        {"{\"queries\": [{\"sql\": \"x\", \"cautious\": true}]}", CUSTOS_EINVAL,
         0, "for the batch as a whole"},
        {"{\"queries\": [{\"sql\": \"x\", \"epsilon\": 0.1}, {\"sql\": "
         "\"y\"}], \"cautious\": true}",
         CUSTOS_OK, SIZE_MAX, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        arena *a = arena_new(NULL, 1 << 20);
        custos_err err = CUSTOS_ERR_INIT;
        struct http_batch b;
        size_t at;

        assert_int_equal(
            http_batch_read(a, str_of(rows[i].body), &b, &at, &err),
            rows[i].want);
        assert_true(at == rows[i].at);
        if (rows[i].want)
            assert_non_null(strstr(whole_said(&err), rows[i].said));
        if (rows[i].want == CUSTOS_OK) {
            assert_int_equal(b.n, 2);
            assert_str(b.queries[0].epsilon, "0.1");
            assert_str(b.queries[1].sql, "y");
            assert_true(b.cautious);
        }
        arena_free(a);
    }
}

static void
acts_are_read(void **state)
{
    static const struct {
        const char *body;
        enum http_act_kind kind;
        const char *name;
    } rows[] = {
        {"{\"act\":\"add\",\"name\":\"ana\"}", HTTP_ACT_ADD, "ana"},
        {"{\"name\":\"a\\\"b\",\"act\":\"rotate\"}", HTTP_ACT_ROTATE, "a\"b"},
        {" {\"act\": \"revoke\", \"name\": \"Zo\\u00eb\"} ", HTTP_ACT_REVOKE,
         "Zo\xc3\xab"},
    };
    arena *a = arena_new(NULL, 1 << 20);
    struct http_act act;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(http_act_read(a, str_of(rows[i].body), &act, &err),
                         CUSTOS_OK);
        assert_int_equal(act.kind, rows[i].kind);
        assert_str(act.name, rows[i].name);
    }
    assert_int_equal(http_nothing_read(a, str_of("{}"), &err), CUSTOS_OK);
    arena_free(a);
}

/* The owner has the empty name, so an act on an analyst must have a name. */
static void
acts_that_are_refused(void **state)
{
    static const struct {
        const char *body, *said;
    } rows[] = {
        {"", "not valid JSON"},
        {"[]", "must be an object"},
        {"{}", "must have an \"act\" and the \"name\""},
        {"{\"name\":\"ana\"}", "must have an \"act\""},
        {"{\"act\":\"revoke\"}", "the \"name\" of an analyst"},
        {"{\"act\":\"revoke\",\"name\":\"\"}", "the \"name\""},
        {"{\"act\":\"revoke\",\"name\":null}", "\"name\" must be a text"},
        {"{\"act\":\"Add\",\"name\":\"ana\"}", "\"act\" must be \"add\""},
        {"{\"act\":0,\"name\":\"ana\"}", "\"act\" must be \"add\""},
        {"{\"act\":\"add\",\"nam\":\"ana\"}",
         "an act has no field \"nam\"; did you mean \"name\"?"},
        {"{\"act\":\"add\",\"name\":\"ana\",\"password\":\"x\"}",
         "no field \"password\""},
    };
    arena *a = arena_new(NULL, 1 << 20);
    struct http_act act;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!http_act_read(a, str_of(rows[i].body), &act, &err) ||
            !strstr(whole_said(&err), rows[i].said))
            fail_msg("%s: %s", rows[i].body, err.said);
    }
    assert_int_equal(http_nothing_read(a, str_of("{\"a\":1}"), &err),
                     CUSTOS_EINVAL);
    assert_int_equal(http_nothing_read(a, str_of("0"), &err), CUSTOS_EINVAL);
    arena_free(a);
}

static void
cells_of_csv(void **state)
{
    static const struct {
        const char *text, *csv;
    } rows[] = {
        {"", "\"\""},         {"a b", "a b"},
        {"a,b", "\"a,b\""},   {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"a\nb", "\"a\nb\""}, {"a\rb", "\"a\rb\""},
        {"=1+1", "=1+1"}, /* exact, whatever a spreadsheet does with it */
    };
    const struct datum null = {.type = TYPE_NULL};
    struct datum d;
    struct buf out;

    (void)state;
    buf_init(&out, NULL, 1000);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(datum_read(TYPE_TEXT, str_of(rows[i].text), &d));
        csv_add_datum(&out, &d);
        assert_string_equal(buf_text(&out), rows[i].csv);
        buf_clear(&out);
    }
    csv_add_datum(&out, &null);
    assert_int_equal(out.len, 0);
    assert_true(datum_read(TYPE_DECIMAL, str_of("-1.5"), &d));
    csv_add_datum(&out, &d);
    assert_string_equal(buf_text(&out), "-1.5");
    buf_clear(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_read),
        cmocka_unit_test(queries_that_are_refused),
        cmocka_unit_test(batches_are_read),
        cmocka_unit_test(acts_are_read),
        cmocka_unit_test(acts_that_are_refused),
        cmocka_unit_test(cells_of_csv),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
