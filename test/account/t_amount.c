/*
 * Amounts: sums are exact, functions round in the direction they name, and
 * written texts read back as the same amount.
 */
#include "account/amount.h"
#include "account/mp.h"

static void
check_text(amount a, enum amount_unit unit, const char *want)
{
    char text[AMOUNT_TEXT_MAX];

    assert_int_equal(amount_write(a, unit, text), strlen(want));
    assert_string_equal(text, want);
}

static void
ten_tenths_are_one(void **state)
{
    rat tenth = mp_rat("0.1"), one = mp_rat("1");
    amount limit = 0, sum = 0;

    (void)state;
    assert_true(amount_from_rat_down(&one, AMOUNT_LOSS, &limit));
    for (int i = 0; i < 10; i++) {
        assert_true(sum < limit);
        sum = amount_add(sum, amount_from_rat_up(&tenth, AMOUNT_LOSS));
    }
    assert_true(sum == limit);
    check_text(sum, AMOUNT_LOSS, "1");
    rat_clear(&tenth);
    rat_clear(&one);
}

static void
rounding_is_as_named(void **state)
{
    rat third = mp_rat("1/3"), back, exact = mp_rat("0.123456789");
    amount up, down = 0;

    (void)state;
    rat_init(&back);
    up = amount_from_rat_up(&third, AMOUNT_LOSS);
    assert_true(amount_from_rat_down(&third, AMOUNT_LOSS, &down));
    assert_true(up == down + 1);
    amount_to_rat(up, AMOUNT_LOSS, &back);
    assert_true(rat_cmp(&back, &third) > 0);
    amount_to_rat(down, AMOUNT_LOSS, &back);
    assert_true(rat_cmp(&back, &third) < 0);
    /* Half the square of a number with nine decimals is exact. */
    rat_mul(&exact, &exact, &exact);
    rat_set_i64(&back, 1, 2);
    rat_mul(&exact, &exact, &back);
    amount_to_rat(amount_from_rat_up(&exact, AMOUNT_LOSS), AMOUNT_LOSS, &back);
    assert_int_equal(rat_cmp(&back, &exact), 0);
    rat_clear(&third);
    rat_clear(&back);
    rat_clear(&exact);
}

static void
text_is_exact(void **state)
{
    rat x;

    (void)state;
    check_text(0, AMOUNT_LOSS, "0");
    check_text(1, AMOUNT_LOSS, "0.00000000000000000001");
    check_text(1, AMOUNT_DELTA, "0.000000000000000000000000000000000001");
    check_text(AMOUNT_INFINITE, AMOUNT_DELTA, "infinity");
    check_text(AMOUNT_INFINITE - 1, AMOUNT_DELTA,
               "340.282366920938463463374607431768211454");
    check_text(AMOUNT_INFINITE - 1, AMOUNT_LOSS,
               "3402823669209384634.63374607431768211454");
    mp_seed = 5;
    rat_init(&x);
    for (int i = 0; i < 2000; i++) {
        amount a = ((amount)mp_next() << 64 | mp_next()) >> (mp_next() % 128);
        char text[AMOUNT_TEXT_MAX];
        rat read;

        amount_write(a, AMOUNT_LOSS, text);
        read = mp_rat(text);
        amount_to_rat(a, AMOUNT_LOSS, &x);
        assert_int_equal(rat_cmp(&read, &x), 0);
        rat_clear(&read);
    }
    rat_clear(&x);
}

/* amount_read accepts what amount_write writes and nothing else. */
static void
text_is_read_back(void **state)
{
    static const char *const bad[] = {
        "",
        "1.",
        ".5",
        "0.10",
        "01",
        "-1",
        "+1",
        "1e3",
        "1,5",
        "0x1",
        " 1",
        "1 ",
        "1/3",
        "inf",
        "infinity ",
        "1.2.3",
        "00",
        "0.0",
        "nan",
        "0.000000000000000000001",
        "3402823669209384634.63374607431768211455",
        "3402823669209384634.63374607431768211456",
        "99999999999999999999999999999999999999999999999",
    };
    amount got = 0;

    (void)state;
    mp_seed = 6;
    for (int i = 0; i < 4000; i++) {
        amount a = ((amount)mp_next() << 64 | mp_next()) >> (mp_next() % 128);
        enum amount_unit unit = i % 2 ? AMOUNT_LOSS : AMOUNT_DELTA;
        char text[AMOUNT_TEXT_MAX];

        a = i < 3 ? AMOUNT_INFINITE - (amount)i : a;
        amount_write(a, unit, text);
        assert_true(amount_read(str_of(text), unit, &got));
        assert_true(got == a);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(amount_read(str_of(bad[i]), AMOUNT_LOSS, &got));
}

static void
sums_end_at_infinity(void **state)
{
    rat huge = mp_rat("1e30");
    amount left = 7;

    (void)state;
    assert_true(amount_add(AMOUNT_INFINITE, 1) == AMOUNT_INFINITE);
    assert_true(amount_add(AMOUNT_INFINITE, 0) == AMOUNT_INFINITE);
    assert_true(amount_add(AMOUNT_INFINITE - 1, 2) == AMOUNT_INFINITE);
    assert_true(amount_add(3, 4) == 7);
    assert_true(amount_from_rat_up(&huge, AMOUNT_LOSS) == AMOUNT_INFINITE);
    assert_false(amount_from_rat_down(&huge, AMOUNT_LOSS, &left));
    assert_true(left == 7);
    assert_true(amount_left(5, 3) == 2 && amount_left(3, 5) == 0);
    rat_clear(&huge);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_tenths_are_one),
        cmocka_unit_test(rounding_is_as_named),
        cmocka_unit_test(text_is_exact),
        cmocka_unit_test(text_is_read_back),
        cmocka_unit_test(sums_end_at_infinity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
