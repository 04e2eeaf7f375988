/*
 * Ordinals of values: against a list of the earlier values, on units of all
 * sizes; and units that do not come in order.
 */
#include <stdlib.h>

#include "engine/run/ordinals.h"
#include "support/support.h"

enum { ROWS_MOST = 400, UNITS = 60, VALUES = 90 };

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* Numbers, texts and NULL: different for different v, some only slightly. */
static struct datum
value_of(uint64_t v, char text[KEY_TEXT_MAX])
{
    size_t len = v % 7 ? 3 + v % 11 : KEY_TEXT_MAX;

    if (v == 0)
        return (struct datum){.type = TYPE_NULL};
    if (v % 2)
        return (struct datum){.type = TYPE_INT,
                              .n = ((i128)(v % 4) << 64) - (i128)v};
    memset(text, 'a', KEY_TEXT_MAX);
    text[len - 1] = (char)('a' + v % 26);
    text[0] = (char)('a' + v / 26);
    return (struct datum){.type = TYPE_TEXT, .text = {text, len}};
}

static void
ordinals_are_those_of_the_reference(void **state)
{
    struct ordinals p = {0};
    uint64_t seed = 7;
    int64_t row = 0;

    (void)state;
    for (int64_t unit = -UNITS / 2; unit < UNITS / 2; unit++) {
        uint64_t rows = 1 + draw(&seed, unit % 5 ? 9 : ROWS_MOST);
        uint64_t values = 1 + draw(&seed, VALUES), met[ROWS_MOST], n = 0;

        for (uint64_t i = 0; i < rows; i++) {
            uint64_t v = draw(&seed, values), at = 0;
            char text[KEY_TEXT_MAX]; /* invalid by the next row */
            struct datum d = value_of(v, text);
            int16_t place = 0;

            while (at < n && met[at] != v)
                at++;
            assert_true(ordinals_next(&p, ++row, unit, &d, &place));
            assert_int_equal(place, at == n ? (int)at + 1 : -(int)at - 1);
            if (at == n)
                met[n++] = v;
        }
    }
    ordinals_clear(&p);
}

/*
 * Beyond ORDINALS_MAX rows of a unit nothing is remembered; the next unit
 * begins anew.
 */
static void
places_end_with_the_rows(void **state)
{
    struct ordinals p = {0};
    struct datum d = {.type = TYPE_INT};
    int16_t place = 0;

    (void)state;
    for (int64_t i = 1; i <= ORDINALS_MAX + 100; i++) {
        d.n = i;
        assert_true(ordinals_next(&p, i, 5, &d, &place));
        assert_int_equal(place, i <= ORDINALS_MAX ? i : 0);
    }
    assert_int_equal(p.n, ORDINALS_MAX);
    d.n = 9;
    assert_true(ordinals_next(&p, ORDINALS_MAX + 101, 6, &d, &place));
    assert_int_equal(place, 1);
    assert_true(ordinals_next(&p, ORDINALS_MAX + 102, 6, &d, &place));
    assert_int_equal(place, -1);
    ordinals_clear(&p);
}

static void
ordinals_reject_a_torn_order(void **state)
{
    static const struct {
        int64_t row, unit;
        size_t len;
        bool good;
    } steps[] = {{1, 4, 1, true},  {3, 4, 1, false},   {1, 4, 1, false},
                 {2, 3, 1, false}, {2, 4, 1, true},    {3, 9, 1, true},
                 {4, 4, 1, false}, {4, 9, 1025, false}};
    static char text[KEY_TEXT_MAX + 1];
    struct ordinals p = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        struct datum d = {.type = TYPE_TEXT, .text = {text, steps[i].len}};
        int16_t place = 0;

        assert_int_equal(
            ordinals_next(&p, steps[i].row, steps[i].unit, &d, &place),
            steps[i].good);
    }
    ordinals_clear(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinals_are_those_of_the_reference),
        cmocka_unit_test(places_end_with_the_rows),
        cmocka_unit_test(ordinals_reject_a_torn_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
