/*
 * Writes what json_read has read. Recursive; json_read has checked the depth.
 */
#include "wire/json.h"

void
json_add_value(struct json *j, const char *name, const struct json_value *value)
{
    switch (value->kind) {
    case JSON_NULL_VALUE: json_add_null(j, name); return;
    case JSON_TRUTH: json_add_bool(j, name, value->truth); return;
    case JSON_NUMBER: json_add_number(j, name, value->text); return;
    case JSON_TEXT: json_add_text(j, name, value->text); return;
    case JSON_LIST: json_begin_list(j, name); break;
    case JSON_MEMBERS: json_begin(j, name); break;
    }
    for (size_t i = 0; i < value->n; i++)
        json_add_value(
            j, value->kind == JSON_MEMBERS ? value->items[i].name.ptr : NULL,
            &value->items[i]);
    json_end(j);
}
