/*
 * Keys as terms of a statement. If a key is made NULL, its row stays and is in the
 * NULL group.
 */
#include "engine/run/key.h"

static struct store_type
key_type(enum data_type type, bool wide)
{
    return type == TYPE_TEXT        ? STORED(TEXT)
           : type == TYPE_DATE      ? STORED(DATE)
           : type == TYPE_TIMESTAMP ? STORED(TIMESTAMP)
           : wide                   ? STORED(I128)
                                    : STORED(I64);
}

const struct term *
key_term(struct builder *b, enum data_type type, bool wide,
         const struct term *value)
{
    struct store_type to = key_type(type, wide);

    if (type == TYPE_DECIMAL)
        return value;
    value = term_try_cast(b, value, to);
    if (type == TYPE_DATE || type == TYPE_TIMESTAMP)
        return term_if(b,
                       term_between(b, value, term_day(b, to, "0001-01-01"),
                                    term_day(b, to, "9999-12-31")),
                       value);
    if (type == TYPE_TEXT)
        return term_if(b,
                       term_binary(b, term_call(b, TERM_BYTES, value, NULL),
                                   TERM_AT_MOST, term_number(b, KEY_TEXT_MAX)),
                       value);
    return value;
}
