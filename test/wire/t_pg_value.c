/*
 * Values in text and binary. The bytes and the texts are those of a PostgreSQL
 * 15 server (numeric_send, float8send, float8out, date_send, timestamp_send).
 */
#include "support/said.h"
#include "wire/pg_value.h"

#include "base/base.h"
#include "support/bytes.h"
#include "support/support.h"

static const struct {
    uint32_t oid;
    enum data_type type; /* the type that `value` is read as */
    const char *value, *text, *hex;
} cases[] = {
    {PG_BOOL, TYPE_BOOL, "true", "t", "01"},
    {PG_BOOL, TYPE_BOOL, "false", "f", "00"},
    {PG_INT8, TYPE_INT, "-2", "-2", "fffffffffffffffe"},
    {PG_INT8, TYPE_INT, "9223372036854775807", "9223372036854775807",
     "7fffffffffffffff"},
    {PG_INT8, TYPE_INT, "-9223372036854775808", "-9223372036854775808",
     "8000000000000000"},
    {PG_INT4, TYPE_INT, "-2147483648", "-2147483648", "80000000"},
    {PG_INT2, TYPE_INT, "32767", "32767", "7fff"},
    {PG_OID, TYPE_INT, "4294967295", "4294967295", "ffffffff"},
    {PG_NUMERIC, TYPE_DECIMAL, "0", "0", "0000000000000000"},
    {PG_NUMERIC, TYPE_DECIMAL, "1", "1", "00010000000000000001"},
    {PG_NUMERIC, TYPE_DECIMAL, "-1", "-1", "00010000400000000001"},
    {PG_NUMERIC, TYPE_DECIMAL, "0.5", "0.5", "0001ffff000000011388"},
    {PG_NUMERIC, TYPE_DECIMAL, "-0.05", "-0.05", "0001ffff4000000201f4"},
    {PG_NUMERIC, TYPE_DECIMAL, "12345.678", "12345.678",
     "0003000100000003000109291a7c"},
    {PG_NUMERIC, TYPE_DECIMAL, "10000", "10000", "00010001000000000001"},
    {PG_NUMERIC, TYPE_DECIMAL, "9999", "9999", "0001000000000000270f"},
    {PG_NUMERIC, TYPE_DECIMAL, "100000000", "100000000",
     "00010002000000000001"},
    {PG_NUMERIC, TYPE_DECIMAL, "0.0001", "0.0001", "0001ffff000000040001"},
    {PG_NUMERIC, TYPE_DECIMAL, "0.00001", "0.00001", "0001fffe0000000503e8"},
    {PG_NUMERIC, TYPE_DECIMAL, "123456789012345678901234567890123456",
     "123456789012345678901234567890123456",
     "000900080000000004d2162e23340d801ed204d2162e23340d80"},
    {PG_NUMERIC, TYPE_DECIMAL, "-0.000000000000000000000000000000000001",
     "-0.000000000000000000000000000000000001", "0001fff7400000240001"},
    {PG_FLOAT8, TYPE_REAL, "0", "0", "0000000000000000"},
    {PG_FLOAT8, TYPE_REAL, "0.1", "0.1", "3fb999999999999a"},
    {PG_FLOAT8, TYPE_REAL, "-2.5", "-2.5", "c004000000000000"},
    {PG_FLOAT8, TYPE_REAL, "1e15", "1e+15", "430c6bf526340000"},
    {PG_FLOAT8, TYPE_REAL, "123456789012345", "123456789012345",
     "42dc12218377de40"},
    {PG_FLOAT8, TYPE_REAL, "1e14", "100000000000000", "42d6bcc41e900000"},
    {PG_FLOAT8, TYPE_REAL, "999999999999999", "999999999999999",
     "430c6bf52633fff8"},
    {PG_FLOAT8, TYPE_REAL, "0.0001", "0.0001", "3f1a36e2eb1c432d"},
    {PG_FLOAT8, TYPE_REAL, "0.00001", "1e-05", "3ee4f8b588e368f1"},
    {PG_FLOAT8, TYPE_REAL, "0.30000000000000004", "0.30000000000000004",
     "3fd3333333333334"},
    {PG_FLOAT8, TYPE_REAL, "1e22", "1e+22", "4480f0cf064dd592"},
    {PG_FLOAT8, TYPE_REAL, "5e-36", "5e-36", "389a95a5b7f87a0f"},
    {PG_FLOAT8, TYPE_REAL, "123.456", "123.456", "405edd2f1a9fbe77"},
    {PG_FLOAT8, TYPE_REAL, "-1.0000000000000002", "-1.0000000000000002",
     "bff0000000000001"},
    {PG_FLOAT4, TYPE_REAL, "0.1", "0.1", "3dcccccd"},
    {PG_FLOAT4, TYPE_REAL, "1000000", "1e+06", "49742400"},
    {PG_FLOAT4, TYPE_REAL, "999999", "999999", "497423f0"},
    {PG_FLOAT4, TYPE_REAL, "123456.7", "123456.7", "47f1205a"},
    {PG_FLOAT4, TYPE_REAL, "0.00001", "1e-05", "3727c5ac"},
    {PG_FLOAT4, TYPE_REAL, "16777216", "1.6777216e+07", "4b800000"},
    {PG_DATE, TYPE_DATE, "2000-01-01", "2000-01-01", "00000000"},
    {PG_DATE, TYPE_DATE, "1970-01-01", "1970-01-01", "ffffd533"},
    {PG_DATE, TYPE_DATE, "0001-01-01", "0001-01-01", "fff4dbf9"},
    {PG_DATE, TYPE_DATE, "9999-12-31", "9999-12-31", "002c95d3"},
    {PG_DATE, TYPE_DATE, "2026-11-16", "2026-11-16", "00002658"},
    {PG_TIMESTAMP, TYPE_TIMESTAMP, "2000-01-01", "2000-01-01 00:00:00",
     "0000000000000000"},
    {PG_TIMESTAMP, TYPE_TIMESTAMP, "1970-01-01", "1970-01-01 00:00:00",
     "fffca2fec4c82000"},
    {PG_TIMESTAMP, TYPE_TIMESTAMP, "0001-01-01", "0001-01-01 00:00:00",
     "ff1fe2ffc59c6000"},
    {PG_TIMESTAMP, TYPE_TIMESTAMP, "9999-12-31 23:59:59.999999",
     "9999-12-31 23:59:59.999999", "0380e70b913b7fff"},
    {PG_TIMESTAMP, TYPE_TIMESTAMP, "2026-11-16 12:34:56.5",
     "2026-11-16 12:34:56.5", "00030362c62abd20"},
    {PG_TIMESTAMP, TYPE_TIMESTAMP, "1999-12-31 23:59:59.999999",
     "1999-12-31 23:59:59.999999", "ffffffffffffffff"},
    {PG_TIMESTAMPTZ, TYPE_TIMESTAMP, "2026-11-16 10:34:56.5",
     "2026-11-16 10:34:56.5+00", "0003036119037520"},
    {PG_STRING, TYPE_TEXT, "a\xc3\xa4", "a\xc3\xa4", "61c3a4"},
    {PG_STRING, TYPE_TEXT, "", "", ""},
    {PG_VARCHAR, TYPE_TEXT, "x", "x", "78"},
    {PG_NAME, TYPE_TEXT, "pg_class", "pg_class", "70675f636c617373"},
    {PG_CHAR, TYPE_TEXT, "r", "r", "72"},
};

static void
write_value(const struct datum *d, uint32_t oid, enum pg_format format,
            struct buf *out)
{
    custos_err err = CUSTOS_ERR_INIT;

    buf_init(out, NULL, 4096);
    assert_int_equal(pg_value_write(d, oid, format, out, &err), CUSTOS_OK);
}

static void
values_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct datum d;
        struct buf out;

        assert_true(datum_read(cases[i].type, str_of(cases[i].value), &d));
        write_value(&d, cases[i].oid, PG_TEXT, &out);
        assert_string_equal(buf_text(&out), cases[i].text);
        buf_clear(&out);
        write_value(&d, cases[i].oid, PG_BINARY, &out);
        assert_hex(&out, cases[i].hex);
        buf_clear(&out);
    }
}

static void
assert_read(str bytes, uint32_t oid, enum pg_format format,
            const struct datum *want)
{
    struct pg_bytes b = {.bytes = bytes};
    struct datum got;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(pg_value_read(&b, oid, format, 1, &got, &err), CUSTOS_OK);
    assert_int_equal(got.type, want->type);
    assert_int_equal(datum_cmp(&got, want), 0);
}

/* Values are read in both formats. */
static void
values_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str bytes = bytes_of_hex(cases[i].hex);
        struct datum d;

        assert_true(datum_read(cases[i].type, str_of(cases[i].value), &d));
        assert_read(bytes, cases[i].oid, PG_BINARY, &d);
        assert_read(str_of(cases[i].text), cases[i].oid, PG_TEXT, &d);
        free((char *)bytes.ptr);
    }
}

/* Trailing zeros that PostgreSQL keeps, and wide integers. */
static void
numerics_of_other_forms(void **state)
{
    static const struct {
        const char *value, *hex;
    } read[] = {
        {"1.5", "000200000000000400011388"},
        {"99999999.9999", "0003000100000008270f270f270f"},
        /* a server does not send this, but it is the same number */
        {"1", "0002000100000000"
              "00000001"},
        {"0.25", "0003000000000006"
                 "000009c40000"},
        {"70000", "0001000100000000"
                  "0007"},
    };
    struct datum wide = {.type = TYPE_INT, .n = 1}, d;
    struct buf out;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(read); i++) {
        str bytes = bytes_of_hex(read[i].hex);

        assert_true(datum_read(TYPE_DECIMAL, str_of(read[i].value), &d));
        assert_read(bytes, PG_NUMERIC, PG_BINARY, &d);
        free((char *)bytes.ptr);
    }
    wide.n = -((i128)1 << 126) * 2;
    write_value(&wide, PG_NUMERIC, PG_BINARY, &out);
    assert_hex(&out,
               "000a00094000000000aa0583209a01d5090d0c601c871bf620da1660");
    buf_clear(&out);
}

/*
 * Numbers with any count of digits on both sides of the point read back
 * unchanged.
 */
static void
numerics_come_back(void **state)
{
    char text[80];

    (void)state;
    for (size_t whole = 1; whole <= 36; whole++)
        for (size_t part = 0; whole + part <= 36; part++) {
            struct datum d;
            struct buf out;
            size_t len = 0;

            for (size_t i = 0; i < whole; i++)
                text[len++] = (char)('1' + (int)(i % 9));
            if (part)
                text[len++] = '.';
            for (size_t i = 0; i < part; i++)
                text[len++] = (char)('9' - (int)(i % 9));
            assert_true(datum_read(TYPE_DECIMAL, (str){text, len}, &d));
            write_value(&d, PG_NUMERIC, PG_BINARY, &out);
            assert_read((str){out.ptr, out.len}, PG_NUMERIC, PG_BINARY, &d);
            buf_clear(&out);
        }
}

static void
zones(void **state)
{
    static const struct {
        const char *text, *utc;
    } good[] = {
        {"2026-11-16 12:34:56.5+02", "2026-11-16 10:34:56.5"},
        {"2026-11-16 12:34:56-0330", "2026-11-16 16:04:56"},
        {"2026-11-16T12:00:00Z", "2026-11-16 12:00:00"},
        {"2026-11-16 12:00+05:30", "2026-11-16 06:30:00"},
        {"2026-11-16 12:00:00", "2026-11-16 12:00:00"},
        {"2026-11-16", "2026-11-16 00:00:00"},
    };
    static const char *const wrong[] = {
        "2026-11-16 12:00+5",     "2026-11-16 12:00+16",
        "2026-11-16 12:00+0a",    "2026-11-16 12:00+05:60",
        "2026-11-16 12:00+",      "Z",
        "0001-01-01 00:00+01",    "2026-11-16 12:00+05:3",
        "2026-11-16 12:00 +05.30"};
    custos_err err = CUSTOS_ERR_INIT;
    struct datum d;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_true(datum_read(TYPE_TIMESTAMP, str_of(good[i].utc), &d));
        assert_read(str_of(good[i].text), PG_TIMESTAMPTZ, PG_TEXT, &d);
    }
    /* PostgreSQL ignores a zone in a type without one, and a time in a date. */
    assert_true(
        datum_read(TYPE_TIMESTAMP, str_of("2026-11-16 12:34:56.5"), &d));
    assert_read(str_of("2026-11-16 12:34:56.5+02"), PG_TIMESTAMP, PG_TEXT, &d);
    assert_true(datum_read(TYPE_DATE, str_of("1969-11-16"), &d));
    assert_read(str_of("1969-11-16 +00"), PG_DATE, PG_TEXT, &d);
    assert_read(str_of(" 1969-11-16 23:00:00-03:30"), PG_DATE, PG_TEXT, &d);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct pg_bytes b = {.bytes = str_of(wrong[i])};

        assert_int_equal(
            pg_value_read(&b, PG_TIMESTAMPTZ, PG_TEXT, 1, &d, &err),
            CUSTOS_EINVAL);
    }
}

static void
refused(uint32_t oid, enum pg_format format, str bytes, custos_status want)
{
    struct pg_bytes b = {.bytes = bytes_copy(bytes)};
    struct datum d = {.type = TYPE_TEXT, .n = 7};
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(pg_value_read(&b, oid, format, 12, &d, &err), want);
    assert_non_null(strstr(whole_said(&err), "parameter $12 "));
    assert_int_equal(d.n, 7);
    free((char *)b.bytes.ptr);
}

static void
parameters_that_are_refused(void **state)
{
    static const struct {
        uint32_t oid;
        const char *hex;
    } binary[] = {
        {PG_BOOL, "02"},
        {PG_BOOL, ""},
        {PG_INT2, "000000"},
        {PG_INT8, "00000000"},
        {PG_FLOAT8, "7ff8000000000000"}, /* NaN */
        {PG_FLOAT8, "7ff0000000000000"}, /* infinity */
        {PG_FLOAT8, "fff0000000000000"},
        {PG_FLOAT8, "7e37e43c8800759c"}, /* 1e300 */
        {PG_FLOAT8, "01a56e1fc2f8f359"}, /* 1e-300 */
        {PG_FLOAT4, "7fc00000"},
        {PG_DATE, "7fffffff"}, /* infinity */
        {PG_DATE, "80000000"},
        {PG_DATE, "002c95d4"}, /* 10000-01-01 */
        {PG_DATE, "fff4dbf8"}, /* a day before 0001-01-01 */
        {PG_TIMESTAMP, "7fffffffffffffff"},
        {PG_TIMESTAMP, "8000000000000000"},
        {PG_TIMESTAMP, "0380e70b913b8000"},
        {PG_TIMESTAMP, "ff1fe2ffc59c5fff"},
        {PG_NUMERIC, ""},
        {PG_NUMERIC, "00000000000000"},
        {PG_NUMERIC, "00010000c0000000"},     /* NaN, a digit missing */
        {PG_NUMERIC, "00000000c0000000"},     /* NaN */
        {PG_NUMERIC, "00000000d0000000"},     /* infinity */
        {PG_NUMERIC, "00000000f0000000"},     /* -infinity */
        {PG_NUMERIC, "00010000000000002710"}, /* a digit of 10,000 */
        {PG_NUMERIC, "000100000000000000"},
        {PG_NUMERIC, "0001000000000000000100"},
        {PG_NUMERIC, "00010009000000000001"}, /* 1e36: 37 digits */
        {PG_NUMERIC, "00017fff000000000001"},
        {PG_NUMERIC, "00018000000000000001"},
        {PG_NUMERIC, "0001fff6000000000001"}, /* 1e-40 */
        {PG_NUMERIC, "ffff0000000000000001"},
        {PG_STRING, "6100"},
        {PG_STRING, "c0af"},
        {PG_UNKNOWN, "ff"},
    };
    static const struct {
        uint32_t oid;
        const char *text;
    } text[] = {
        {PG_INT4, "x"},      {PG_INT4, ""},           {PG_INT4, "1.5"},
        {PG_FLOAT8, "NaN"},  {PG_FLOAT8, "Infinity"}, {PG_NUMERIC, "NaN"},
        {PG_BOOL, "maybe"},  {PG_DATE, "infinity"},   {PG_DATE, "2026-02-30"},
        {PG_STRING, "\xff"}, {PG_NUMERIC, "1e37"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(binary); i++) {
        str bytes = bytes_of_hex(binary[i].hex);

        refused(binary[i].oid, PG_BINARY, bytes, CUSTOS_EINVAL);
        free((char *)bytes.ptr);
    }
    for (size_t i = 0; i < COUNT_OF(text); i++)
        refused(text[i].oid, PG_TEXT, str_of(text[i].text), CUSTOS_EINVAL);
    refused(PG_INT2, PG_TEXT, str_of("32768"), CUSTOS_ERANGE);
    refused(PG_INT4, PG_TEXT, str_of("-2147483649"), CUSTOS_ERANGE);
    refused(PG_INT8, PG_TEXT, str_of("9223372036854775808"), CUSTOS_ERANGE);
    refused(PG_OID, PG_TEXT, str_of("-1"), CUSTOS_ERANGE);
    refused(3802, PG_TEXT, str_of("{}"), CUSTOS_EUNSUPPORTED); /* jsonb */
    refused(17, PG_BINARY, str_of("x"), CUSTOS_EUNSUPPORTED);  /* bytea */
}

static void
nulls_and_blanks(void **state)
{
    struct pg_bytes null = {.is_null = true};
    struct datum d = {.type = TYPE_INT, .n = -7}, got;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(pg_value_read(&null, PG_INT4, PG_TEXT, 1, &got, &err),
                     CUSTOS_OK);
    assert_int_equal(got.type, TYPE_NULL);
    assert_read(str_of(" -7  "), PG_INT4, PG_TEXT, &d);
    d = (struct datum){.type = TYPE_TEXT, .text = str_of(" -7 ")};
    assert_read(str_of(" -7 "), 0, PG_TEXT, &d);
    assert_read(str_of(" -7 "), PG_UNKNOWN, PG_BINARY, &d);
}

static void
values_that_do_not_fit(void **state)
{
    const struct datum wide = {.type = TYPE_INT, .n = (i128)1 << 63};
    const struct datum part = {.type = TYPE_DECIMAL, .n = 15, .scale = 1};
    const struct datum text = {.type = TYPE_TEXT, .text = str_of("x")};
    struct buf out;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    buf_init(&out, NULL, 100);
    for (int i = 0; i < 2; i++) {
        enum pg_format format = i ? PG_BINARY : PG_TEXT;

        assert_int_equal(pg_value_write(&wide, PG_INT8, format, &out, &err),
                         CUSTOS_ERANGE);
        assert_int_equal(pg_value_write(&part, PG_INT8, format, &out, &err),
                         CUSTOS_EUNSUPPORTED);
        assert_int_equal(pg_value_write(&text, PG_INT4, format, &out, &err),
                         CUSTOS_EUNSUPPORTED);
    }
    assert_int_equal(pg_value_write(&text, PG_DATE, PG_BINARY, &out, &err),
                     CUSTOS_EUNSUPPORTED);
    assert_int_equal(pg_value_write(&text, PG_NUMERIC, PG_BINARY, &out, &err),
                     CUSTOS_EUNSUPPORTED);
    assert_int_equal(out.len, 0);
    /* for a type that is not known, the binary form is the text too */
    assert_int_equal(pg_value_write(&text, 2205, PG_BINARY, &out, &err),
                     CUSTOS_OK);
    assert_hex(&out, "78");
    buf_clear(&out);
}

static void
types_of_columns(void **state)
{
    static const struct {
        enum data_type type;
        enum pg_width width;
        uint32_t oid;
        int length;
    } rows[] = {
        {TYPE_BOOL, PG_64_BITS, 16, 1},   {TYPE_INT, PG_64_BITS, 20, 8},
        {TYPE_INT, PG_WIDER, 1700, -1},   {TYPE_DECIMAL, PG_64_BITS, 1700, -1},
        {TYPE_REAL, PG_64_BITS, 701, 8},  {TYPE_TEXT, PG_64_BITS, 25, -1},
        {TYPE_DATE, PG_64_BITS, 1082, 4}, {TYPE_TIMESTAMP, PG_64_BITS, 1114, 8},
        {TYPE_NULL, PG_64_BITS, 25, -1},
    };
    enum data_type type;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pg_type t = pg_type_of(rows[i].type, rows[i].width);

        assert_int_equal(t.oid, rows[i].oid);
        assert_int_equal(t.length, rows[i].length);
        assert_int_equal(t.modifier, -1);
    }
    assert_int_equal(pg_type_by_oid(PG_UNKNOWN).length, -2);
    assert_int_equal(pg_type_by_oid(3802).length, -1);
    assert_true(pg_data_type(0, &type));
    assert_int_equal(type, TYPE_TEXT);
    assert_false(pg_data_type(3802, &type));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_out),
        cmocka_unit_test(values_in),
        cmocka_unit_test(numerics_of_other_forms),
        cmocka_unit_test(numerics_come_back),
        cmocka_unit_test(zones),
        cmocka_unit_test(parameters_that_are_refused),
        cmocka_unit_test(nulls_and_blanks),
        cmocka_unit_test(values_that_do_not_fit),
        cmocka_unit_test(types_of_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
