#include "http/http_message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/json.h"
#include "wire/http_code.h"

str
http_argument(const struct http_request *r, const char *name)
{
    for (size_t i = 0; i < r->n_arguments && i < HTTP_ARGUMENTS_MAX; i++)
        if (str_equal(r->arguments[i].name, str_of(name)))
            return r->arguments[i].value;
    return str_of("");
}

void
http_reply_init(struct http_reply *r)
{
    *r = (struct http_reply){.status = 200, .type = "application/json"};
    buf_init(&r->body, NULL, HTTP_REPLY_MAX);
}

void
http_reply_clear(struct http_reply *r)
{
    buf_clear(&r->body); /* wipes it: it may have secrets */
}

void
http_header(struct http_reply *r, const char *name, const char *format, ...)
{
    struct http_header *h = &r->headers[r->n_headers];
    va_list args;

    CUSTOS_REQUIRE(r->n_headers < HTTP_HEADERS_MAX);
    h->name = name;
    va_start(args, format);
    vsnprintf(h->value, sizeof h->value, format, args);
    va_end(args);
    r->n_headers++;
}

/* ---------------------------------------------------------------- errors -- */

/* The number, from 1, of the character at byte `at` of a UTF-8 text. */
static size_t
position_of(str text, int at)
{
    size_t position = 1;

    for (size_t i = 0; i < text.len && i < (size_t)at; i++)
        position += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return position;
}

static void
error_body(struct http_reply *r, const char *code, const char *sqlstate,
           str said, const char *hint, size_t position)
{
    struct json j;

    buf_clear(&r->body);
    buf_init(&r->body, NULL, HTTP_REPLY_MAX);
    r->type = "application/json";
    r->code = code;
    json_init(&j, &r->body, JSON_ONE_LINE);
    json_begin(&j, NULL);
    json_begin(&j, "error");
    json_add_text(&j, "code", str_of(code));
    json_add_text(&j, "sqlstate", str_of(sqlstate));
    json_add_text(&j, "message", said);
    json_add_text_or_null(&j, "hint", str_of(hint));
    if (position)
        json_add_count(&j, "position", position);
    else
        json_add_null(&j, "position");
    json_end(&j);
    json_end(&j);
}

void
http_refuse(struct http_reply *r, const custos_err *err, str text)
{
    bool placed = err->at >= 0 && (size_t)err->at <= text.len && text.len;

    r->status = http_code(err->code);
    error_body(r, status_name(err->code), custos_status_sqlstate(err->code),
               str_of(err->said), err->hint,
               placed ? position_of(text, err->at) : 0);
}

static const struct {
    const char *name;
    int status;
    const char *sqlstate, *words;
} faults[] = {
#define FAULT(name, status, sqlstate, words) {#name, status, sqlstate, words},
    HTTP_FAULT_LIST(FAULT)
#undef FAULT
};

void
http_fault(struct http_reply *r, enum http_fault fault)
{
    const char *words = faults[fault].words;

    r->status = faults[fault].status;
    error_body(r, faults[fault].name, faults[fault].sqlstate,
               (str){words, (size_t)hint_before(words)}, hint_after(words), 0);
}

const char *
http_fault_said(enum http_fault fault)
{
    return faults[fault].words;
}
