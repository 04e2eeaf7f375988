/*
 * UTF-8: every code point but NUL and the surrogates is accepted, and nothing
 * else.
 */
#include "base/utf8.h"

#include <stdio.h>

#include "base/base.h"
#include "support/support.h"

static size_t
encode(unsigned c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

static void
every_code_point(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 0x120000; c++) {
        bool good = c > 0 && (c < 0xD800 || c > 0xDFFF) && c < 0x110000;
        char text[4];
        size_t n = encode(c, text);

        assert_int_equal(utf8_step((str){text, n}), good ? n : 0);
        if (n > 1)
            assert_int_equal(utf8_step((str){text, n - 1}), 0);
    }
}

static void
what_is_none(void **state)
{
    static const char *const wrong[] = {
        "\x80",         "\xc0\xaf",         "\xc1\xbf",     "\xe0\x9f\xbf",
        "\xf0\x8f\xbf", "\xf0\x8f\xbf\xbf", "\xf5\x80\x80", "\xff",
        "\xc3(",        "\xe2\x82(",        "\xfe",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(utf8_prefix(str_of(wrong[i])), 0);
    assert_int_equal(utf8_prefix(str_of("a\xc3\xa4z\xffz")), 4);
    assert_int_equal(utf8_prefix((str){"a\0b", 3}), 1);
    assert_int_equal(utf8_prefix(str_of("")), 0);
    assert_int_equal(utf8_prefix(str_of("a\xc3\xa4z")), 4);
}

static void
what_is_cleaned(void **state)
{
    static const struct {
        const char *text, *clean;
    } cases[] = {
        {"", ""},
        {"a\xc3\xa4 z", "a\xc3\xa4 z"},
        {"a\nHINT: b\t\x1b[2J\x7f", "a?HINT: b??[2J?"},
        {"\xff\xfe", "??"},
        {"a\xe2\x82", "a??"},
        {"\xe2\x82\"", "??\""},
        {"\xc2\x9b[2J\xc2\xa0", "??[2J\xc2\xa0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[32];

        snprintf(text, sizeof text, "%s", cases[i].text);
        utf8_clean(text);
        assert_string_equal(text, cases[i].clean);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(what_is_cleaned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
