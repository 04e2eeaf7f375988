/*
 * Values as bytes: what is packed is read back, for every type and every scale
 * that a decimal can have. A value that cannot be read back would fail a query
 * after its charge.
 */
#include "base/pack.h"

#include "support/support.h"

static void
every_scale_is_read_back(void **state)
{
    (void)state;
    for (int scale = 0; scale <= 38; scale++) {
        struct datum d = {.type = TYPE_DECIMAL, .n = -3, .scale = scale}, got;
        struct unpack u;
        struct buf b;

        buf_init(&b, NULL, 256);
        pack_datum(&b, &d);
        assert_false(b.failed);
        u = unpack_of((str){b.ptr, b.len});
        got = unpack_datum(&u);
        assert_true(unpack_end(&u));
        assert_int_equal(got.type, TYPE_DECIMAL);
        assert_int_equal(got.scale, scale);
        assert_true(got.n == -3);
        buf_clear(&b);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scale_is_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
