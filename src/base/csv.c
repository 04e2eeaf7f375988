/*
 * CSV, RFC 4180. Texts are never changed: not even "=1+1", which a spreadsheet
 * would take for a formula.
 */
#include "base/csv.h"

#include <string.h>

static bool
needs_quotes(str text)
{
    if (text.len == 0)
        return true;
    for (size_t i = 0; i < text.len; i++)
        if (strchr(",\"\r\n", text.ptr[i]))
            return true;
    return false;
}

void
csv_add_text(struct buf *out, str text)
{
    bool quotes = needs_quotes(text);

    if (quotes)
        buf_add(out, "\"", 1);
    for (size_t i = 0; i < text.len; i++)
        buf_add(out, text.ptr[i] == '"' ? "\"\"" : &text.ptr[i],
                1 + (text.ptr[i] == '"'));
    if (quotes)
        buf_add(out, "\"", 1);
}

void
csv_add_datum(struct buf *out, const struct datum *value)
{
    if (value->type == TYPE_TEXT)
        csv_add_text(out, value->text);
    else if (value->type != TYPE_NULL)
        datum_write(value, out); /* never has a comma or a quote */
}
