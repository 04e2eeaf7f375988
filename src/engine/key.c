/*
 * Prints keys as engine text. If a key is made NULL, its row stays and is in the
 * NULL group.
 */
#include "engine/key.h"

void
key_print(enum data_type type, bool wide, const char *value, struct buf *out)
{
    const char *name = type == TYPE_TEXT        ? "VARCHAR"
                       : type == TYPE_DATE      ? "DATE"
                       : type == TYPE_TIMESTAMP ? "TIMESTAMP"
                       : wide                   ? "HUGEINT"
                                                : "BIGINT";
    struct buf v;

    if (type == TYPE_DECIMAL) {
        buf_add_text(out, value);
        return;
    }
    buf_init(&v, NULL, out->limit);
    buf_printf(&v, "TRY_CAST(%s AS %s)", value, name);
    if (type == TYPE_DATE || type == TYPE_TIMESTAMP)
        buf_printf(out,
                   "CASE WHEN %s BETWEEN %s '0001-01-01' AND %s '9999-12-31' "
                   "THEN %s END",
                   buf_text(&v), name, name, buf_text(&v));
    else if (type == TYPE_TEXT)
        buf_printf(out, "CASE WHEN strlen(%s) <= %d THEN %s END", buf_text(&v),
                   (int)KEY_TEXT_MAX, buf_text(&v));
    else
        buf_add_text(out, buf_text(&v));
    out->failed |= v.failed;
    buf_clear(&v);
}
