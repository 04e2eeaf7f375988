/*
 * Every status has an HTTP status code; a success has 200.
 */
#include "wire/http_code.h"

#include "base/base.h"
#include "support/support.h"

static void
every_status_has_its_code(void **state)
{
    static const custos_status list[] = {
#define STATUS_VALUE(name, value, sqlstate, words) CUSTOS_##name,
        CUSTOS_STATUS_LIST(STATUS_VALUE)
#undef STATUS_VALUE
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        int code = http_code(list[i]);

        assert_true(list[i] == CUSTOS_OK ? code == 200
                                         : code >= 400 && code < 600);
    }
    assert_int_equal(http_code(CUSTOS_EAUTH), 401);
    assert_int_equal(http_code(CUSTOS_EDENIED), 403);
    assert_int_equal(http_code(CUSTOS_ENAME), 404);
    assert_int_equal(http_code(CUSTOS_ESPENT), 409);
    assert_int_equal(http_code(CUSTOS_EBUSY), 503);
    assert_int_equal(http_code((custos_status)COUNT_OF(list)), 500);
    assert_int_equal(http_code((custos_status)-1), 500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
