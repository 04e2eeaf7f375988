/*
 * How requests are routed, and which are rejected by their head alone.
 */
#include "../support/support.h"

#include <string.h>

#include "base/base.h"
#include "http/http_route.h"

static struct http_request
request(enum http_method method, const char *path)
{
    return (struct http_request){
        .method = method,
        .path = str_of(path),
        .content_type = str_of("application/json"),
    };
}

/* 0 if it is routed, otherwise the status of the error. */
static int
status_of(const struct http_request *r, struct http_route *route)
{
    struct http_reply reply;
    int status = 0;

    http_reply_init(&reply);
    if (!http_route(r, route, &reply)) {
        status = reply.status;
        assert_true(status == 204 ||
                    strstr(buf_text(&reply.body), "\"error\""));
    }
    http_reply_clear(&reply);
    return status;
}

static void
every_path_has_its_methods(void **state)
{
    static const struct {
        const char *path;
        bool looks, posts;
    } paths[] = {
        {"/v1/query", false, true},
        {"/v1/explain", false, true},
        {"/v1/batch", false, true},
        {"/v1/batch/explain", false, true},
        {"/v1/budget", true, false},
        {"/v1/budget/history", true, false},
        {"/v1/schema", true, false},
        {"/v1/ledger", true, false},
        {"/v1/ledger/verify", true, false},
        {"/v1/owner/policy", true, false},
        {"/v1/owner/analysts", true, true},
        {"/v1/owner/reload", false, true},
        {"/v1/owner/data", true, false},
        {"/v1/owner/health", true, false},
        {"/v1/health", true, false},
        {"/v1/health/deep", true, false},
        {"/metrics", true, false},
        {"/v1/openapi.json", true, false},
        {"/v1/me", true, false},
        {"/v1/risk", true, false},
        {"/v1/learn", true, false},
    };
    struct http_route route;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        for (int m = HTTP_GET; m <= HTTP_OTHER; m++) {
            struct http_request r = request((enum http_method)m, paths[i].path);
            bool suits = (paths[i].posts && m == HTTP_POST) ||
                         (paths[i].looks && (m == HTTP_GET || m == HTTP_HEAD));

            assert_int_equal(status_of(&r, &route), suits               ? 0
                                                    : m == HTTP_OPTIONS ? 204
                                                                        : 405);
        }
}

static void
other_paths_are_not_found(void **state)
{
    static const char *const paths[] = {
        "",           "/v1/owner",      "/v1",
        "/v1/query/", "/V1/query",      "//v1/query",
        "/v1/query ", "/v1/../metrics", "/v1/quer"};
    struct http_route route;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct http_request r = request(HTTP_GET, paths[i]);

        assert_int_equal(status_of(&r, &route), 404);
    }
}

static void
a_refused_method_says_which_there_are(void **state)
{
    static const char *const cases[][2] = {
        {"/v1/query", "POST, OPTIONS"},
        {"/v1/budget", "GET, HEAD, OPTIONS"},
        {"/v1/owner/analysts", "GET, HEAD, POST, OPTIONS"},
    };
    struct http_reply reply;
    struct http_route route;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_request r = request(HTTP_OTHER, cases[i][0]);

        http_reply_init(&reply);
        assert_false(http_route(&r, &route, &reply));
        assert_int_equal(reply.n_headers, 1);
        assert_string_equal(reply.headers[0].name, "Allow");
        assert_string_equal(reply.headers[0].value, cases[i][1]);
        http_reply_clear(&reply);
    }
}

/*
 * Acts need the owner's token and a JSON body. A page of another origin can
 * send neither without a preflight request, which is never granted.
 */
static void
acts_are_the_owners_and_json(void **state)
{
    static const char *const paths[] = {"/v1/owner/analysts",
                                        "/v1/owner/reload"};
    static const char *const types[] = {
        "", "text/plain", "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=a", "text/plain; application/json"};
    struct http_route route;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct http_request r = request(HTTP_POST, paths[i]);

        assert_int_equal(status_of(&r, &route), 0);
        assert_int_equal(route.access, ACCESS_ACT);
        for (size_t k = 0; k < COUNT_OF(types); k++) {
            r.content_type = str_of(types[k]);
            assert_int_equal(status_of(&r, &route), 415);
        }
    }
}

static void
the_form_is_what_is_wanted_most(void **state)
{
    static const struct {
        const char *accept;
        int status;
        enum http_form form;
    } cases[] = {
        {"", 0, FORM_JSON},
        {"*/*", 0, FORM_JSON},
        {"text/csv", 0, FORM_CSV},
        {"TEXT/CSV;charset=utf-8", 0, FORM_CSV},
        {"text/*", 0, FORM_CSV},
        {"application/json, text/csv", 0, FORM_JSON},
        {"application/json;q=0.5, text/csv", 0, FORM_CSV},
        {"text/csv;q=0, */*", 0, FORM_JSON},
        {"text/csv;q=0.2,application/*;q=0.3", 0, FORM_JSON},
        {"text/html,application/xhtml+xml,*/*;q=0.8", 0, FORM_JSON},
        {"text/html", 406, FORM_JSON},
        {"application/json;q=0", 406, FORM_JSON},
        {"application/json;q=7", 406, FORM_JSON},
        {"application/json;q=", 0, FORM_JSON},
        {",;,;q=1,", 406, FORM_JSON},
    };
    struct http_route route;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_request r = request(HTTP_POST, "/v1/query");
        int status;

        r.accept = str_of(cases[i].accept);
        status = status_of(&r, &route);
        if (status != cases[i].status ||
            (!status && route.form != cases[i].form))
            fail_msg("Accept: %s", cases[i].accept);
    }
}

static void
only_queries_have_csv(void **state)
{
    struct http_request r = request(HTTP_GET, "/v1/budget");
    struct http_route route;

    (void)state;
    r.accept = str_of("text/csv");
    assert_int_equal(status_of(&r, &route), 406);
    r = request(HTTP_GET, "/metrics");
    r.accept = str_of("application/openmetrics-text;version=1.0.0");
    assert_int_equal(status_of(&r, &route), 0);
}

static void
arguments_are_known_or_refused(void **state)
{
    static const struct {
        const char *path, *name, *value;
        int status;
    } cases[] = {
        {"/v1/query", "format", "csv", 0},
        {"/v1/query", "format", "json", 0},
        {"/v1/query", "format", "xml", 400},
        {"/v1/query", "forma", "csv", 400},
        {"/v1/query", "", "csv", 400},
        {"/v1/query", "from", "1", 400},
        {"/v1/ledger", "from", "1", 0},
        {"/v1/ledger", "theorem", "x", 0},
        {"/v1/ledger", "from limit", "x", 400},
        {"/v1/health", "x", "", 400},
    };
    struct http_route route;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool posts = !strcmp(cases[i].path, "/v1/query");
        struct http_request r =
            request(posts ? HTTP_POST : HTTP_GET, cases[i].path);

        r.arguments[0] = (struct http_argument){str_of(cases[i].name),
                                                str_of(cases[i].value)};
        r.n_arguments = 1;
        assert_int_equal(status_of(&r, &route), cases[i].status);
        r.arguments[1] = r.arguments[0];
        r.n_arguments = 2;
        assert_int_equal(status_of(&r, &route), 400); /* twice */
        r.n_arguments = HTTP_ARGUMENTS_MAX + 1;
        assert_int_equal(status_of(&r, &route), 400);
    }
}

static void
a_body_is_json(void **state)
{
    static const struct {
        const char *type;
        int status;
    } cases[] = {
        {"application/json", 0},
        {"Application/JSON; charset=utf-8", 0},
        {"", 415},
        {"text/plain", 415},
        {"application/jsonx", 415},
        {"application/x-www-form-urlencoded", 415},
    };
    struct http_route route;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_request r = request(HTTP_POST, "/v1/explain");

        r.content_type = str_of(cases[i].type);
        assert_int_equal(status_of(&r, &route), cases[i].status);
    }
}

static void
credentials_are_shut_but_for_three(void **state)
{
    static const char *const paths[] = {
        "/v1/query",  "/v1/explain",     "/v1/batch",  "/v1/batch/explain",
        "/v1/budget", "/v1/schema",      "/v1/ledger", "/metrics",
        "/v1/health", "/v1/openapi.json"};
    struct http_route route;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct http_request r = request(i < 4 ? HTTP_POST : HTTP_GET, paths[i]);

        assert_int_equal(status_of(&r, &route), 0);
        assert_int_equal(route.access, i < 7    ? ACCESS_TOKEN
                                       : i == 7 ? ACCESS_WATCH
                                                : ACCESS_OPEN);
    }
}

static void
an_error_has_its_place_and_its_hint(void **state)
{
    custos_err err = {.size = sizeof err,
                      .code = CUSTOS_ESYNTAX,
                      .at = 4,
                      .said = "no \"such\" thing",
                      .hint = "write another",
                      .noted = "secret"};
    struct http_reply reply;

    (void)state;
    http_reply_init(&reply);
    buf_add_text(&reply.body, "half of an answer");
    http_refuse(&reply, &err, str_of("\xc3\xa4\xc3\xa4x"));
    assert_int_equal(reply.status, 400);
    assert_string_equal(
        buf_text(&reply.body),
        "{\"error\":{\"code\":\"ESYNTAX\",\"sqlstate\":\"42601\",\"message\":"
        "\"no \\\"such\\\" thing\",\"hint\":\"write another\","
        "\"position\":3}}\n");
    http_reply_clear(&reply);
}

static void
places_outside_the_text_are_none(void **state)
{
    custos_err err = {.size = sizeof err, .code = CUSTOS_ENAME, .said = "no"};
    struct http_reply reply;

    (void)state;
    for (int at = -1; at < 9; at += 9) {
        err.at = at;
        http_reply_init(&reply);
        http_refuse(&reply, &err, str_of("abc"));
        assert_non_null(strstr(buf_text(&reply.body), "\"position\":null"));
        assert_non_null(strstr(buf_text(&reply.body), "\"hint\":null"));
        http_reply_clear(&reply);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_has_its_methods),
        cmocka_unit_test(other_paths_are_not_found),
        cmocka_unit_test(a_refused_method_says_which_there_are),
        cmocka_unit_test(acts_are_the_owners_and_json),
        cmocka_unit_test(the_form_is_what_is_wanted_most),
        cmocka_unit_test(only_queries_have_csv),
        cmocka_unit_test(arguments_are_known_or_refused),
        cmocka_unit_test(a_body_is_json),
        cmocka_unit_test(credentials_are_shut_but_for_three),
        cmocka_unit_test(an_error_has_its_place_and_its_hint),
        cmocka_unit_test(places_outside_the_text_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
