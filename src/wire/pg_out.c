/*
 * Each message begins with room for its length, which is filled in when the
 * message ends.
 */
#include "wire/pg_out.h"

#include <stdio.h>
#include <string.h>

#include "wire/pg_bytes.h"

enum { AUTH_OK = 0, AUTH_SASL = 10, AUTH_SASL_CONTINUE = 11, AUTH_FINAL = 12 };

/* Writes a text and a NUL. The text ends at its first NUL. */
static void
add_text(struct buf *out, str text)
{
    const char *nul = text.len ? memchr(text.ptr, 0, text.len) : NULL;

    buf_add(out, text.ptr, nul ? (size_t)(nul - text.ptr) : text.len);
    add_u8(out, 0);
}

static void
add_count(struct buf *out, size_t n)
{
    if (n > INT16_MAX)
        out->failed = true;
    add_u16(out, (uint16_t)n);
}

/* Begins a message; returns the position of its length. */
static size_t
begin_message(struct buf *out, char letter)
{
    size_t at;

    buf_add(out, &letter, 1);
    at = out->len;
    add_u32(out, 0);
    return at;
}

/* Fills in the length at `at`: the number of bytes after it, plus with_itself,
   which is 4 for messages because they count the length field. */
static void
fill_length(struct buf *out, size_t at, size_t with_itself)
{
    size_t len;

    if (out->failed)
        return;
    len = out->len - at - 4 + with_itself;
    if (len > INT32_MAX) {
        out->failed = true;
        return;
    }
    u32_put(out->ptr + at, (uint32_t)len);
}

static void
end_message(struct buf *out, size_t at)
{
    fill_length(out, at, 4);
}

/* ------------------------------------------------------------- login -- */

static void
add_auth(struct buf *out, uint32_t what, str data)
{
    size_t at = begin_message(out, 'R');

    add_u32(out, what);
    buf_add(out, data.ptr, data.len);
    end_message(out, at);
}

void
pg_out_auth_ok(struct buf *out)
{
    add_auth(out, AUTH_OK, (str){"", 0});
}

void
pg_out_auth_sasl(struct buf *out, enum pg_sasl offer)
{
    static const char both[] = "SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0";
    static const char one[] = "SCRAM-SHA-256\0";

    /* The NUL of the literal ends the list. */
    if (offer == PG_SASL_PLUS)
        add_auth(out, AUTH_SASL, (str){both, sizeof both});
    else
        add_auth(out, AUTH_SASL, (str){one, sizeof one});
}

void
pg_out_auth_sasl_continue(struct buf *out, str data)
{
    add_auth(out, AUTH_SASL_CONTINUE, data);
}

void
pg_out_auth_sasl_final(struct buf *out, str data)
{
    add_auth(out, AUTH_FINAL, data);
}

void
pg_out_parameter(struct buf *out, const char *name, const char *value)
{
    size_t at = begin_message(out, 'S');

    add_text(out, str_of(name));
    add_text(out, str_of(value));
    end_message(out, at);
}

void
pg_out_key(struct buf *out, uint32_t process, str key)
{
    size_t at = begin_message(out, 'K');

    add_u32(out, process);
    buf_add(out, key.ptr, key.len);
    end_message(out, at);
}

static bool
is_option(str name)
{
    return name.len >= 5 && !memcmp(name.ptr, "_pq_.", 5);
}

static uint32_t
count_options(const struct pg_startup *s)
{
    struct pg_list pairs = s->pairs;
    uint32_t n = 0;
    str name, value;

    while (pg_pair_next(&pairs, &name, &value))
        n += is_option(name);
    return n;
}

int
pg_minor_spoken(const struct pg_startup *s)
{
    return s->minor >= PG_MINOR ? PG_MINOR : 0;
}

bool
pg_must_negotiate(const struct pg_startup *s)
{
    return s->minor != pg_minor_spoken(s) || count_options(s) > 0;
}

void
pg_out_negotiate(struct buf *out, const struct pg_startup *s)
{
    struct pg_list pairs = s->pairs;
    size_t at = begin_message(out, 'v');
    str name, value;

    /* Both major and minor version: PostgreSQL's server sends it so. */
    add_u32(out, 3u << 16 | (uint32_t)pg_minor_spoken(s));
    add_u32(out, count_options(s));
    while (pg_pair_next(&pairs, &name, &value))
        if (is_option(name))
            add_text(out, name);
    end_message(out, at);
}

/* ----------------------------------------------------------- queries -- */

void
pg_out_ready(struct buf *out, enum pg_state state)
{
    size_t at = begin_message(out, 'Z');

    add_u8(out, (uint8_t)state);
    end_message(out, at);
}

void
pg_out_row_description(struct buf *out, const struct pg_column *columns,
                       size_t n)
{
    size_t at = begin_message(out, 'T');

    add_count(out, n);
    for (size_t i = 0; i < n; i++) {
        const struct pg_column *c = &columns[i];

        add_text(out, c->name);
        add_u32(out, c->table);
        add_u16(out, (uint16_t)c->number);
        add_u32(out, c->type.oid);
        add_u16(out, (uint16_t)c->type.length);
        add_u32(out, (uint32_t)c->type.modifier);
        add_u16(out, (uint16_t)c->format);
    }
    end_message(out, at);
}

void
pg_out_parameter_description(struct buf *out, const uint32_t *types, size_t n)
{
    size_t at = begin_message(out, 't');

    add_count(out, n);
    for (size_t i = 0; i < n; i++)
        add_u32(out, types[i]);
    end_message(out, at);
}

size_t
pg_row_begin(struct buf *out, size_t n)
{
    size_t at = begin_message(out, 'D');

    add_count(out, n);
    return at;
}

/* Removes a message that was begun: its length, at begin_at, follows its letter. */
static void
take_back(struct buf *out, size_t begin_at)
{
    if (out->failed)
        return;
    out->len = begin_at - 1;
    out->ptr[out->len] = '\0';
}

static custos_status
end_value(struct buf *out, size_t begin_at, size_t at, custos_status st)
{
    if (st)
        take_back(out, begin_at);
    else
        fill_length(out, at, 0);
    return st;
}

custos_status
pg_row_add(struct buf *out, size_t begin_at, const struct datum *value,
           const struct pg_column *column, custos_err *err)
{
    size_t at = out->len;

    if (value->type == TYPE_NULL) {
        add_u32(out, UINT32_MAX);
        return CUSTOS_OK;
    }
    add_u32(out, 0);
    return end_value(
        out, begin_at, at,
        pg_value_write(value, column->type.oid, column->format, out, err));
}

/* One dimension from 1 to n, each element as pg_row_add writes it. */
static custos_status
array_binary(struct buf *out, const struct datum *values, size_t n, uint32_t of,
             custos_err *err)
{
    custos_status st = CUSTOS_OK;
    bool nulls = false;

    for (size_t i = 0; i < n; i++)
        nulls = nulls || values[i].type == TYPE_NULL;
    add_u32(out, 1);
    add_u32(out, nulls);
    add_u32(out, of);
    add_u32(out, (uint32_t)n);
    add_u32(out, 1);
    for (size_t i = 0; i < n && !st; i++) {
        size_t at = out->len;
        bool null = values[i].type == TYPE_NULL;

        add_u32(out, null ? UINT32_MAX : 0);
        if (null)
            continue;
        st = pg_value_write(&values[i], of, PG_BINARY, out, err);
        if (!st)
            fill_length(out, at, 0);
    }
    return st;
}

/* {1,2,NULL}; times have blanks, and are quoted. */
static custos_status
array_text(struct buf *out, const struct datum *values, size_t n, uint32_t of,
           custos_err *err)
{
    custos_status st = CUSTOS_OK;

    buf_add_text(out, "{");
    for (size_t i = 0; i < n && !st; i++) {
        const char *quote = values[i].type == TYPE_TIMESTAMP ? "\"" : "";

        buf_add_text(out, i > 0 ? "," : "");
        if (values[i].type == TYPE_NULL) {
            buf_add_text(out, "NULL");
            continue;
        }
        buf_add_text(out, quote);
        st = pg_value_write(&values[i], of, PG_TEXT, out, err);
        buf_add_text(out, quote);
    }
    buf_add_text(out, "}");
    return st;
}

custos_status
pg_row_add_array(struct buf *out, size_t begin_at, const struct datum *values,
                 size_t n, uint32_t of, const struct pg_column *column,
                 custos_err *err)
{
    size_t at = out->len;

    add_u32(out, 0);
    return end_value(out, begin_at, at,
                     column->format == PG_BINARY
                         ? array_binary(out, values, n, of, err)
                         : array_text(out, values, n, of, err));
}

custos_status
pg_row_add_text(struct buf *out, size_t begin_at, const struct pg_bytes *text,
                const struct pg_column *column, custos_err *err)
{
    size_t at = out->len;

    if (text->is_null) {
        add_u32(out, UINT32_MAX);
        return CUSTOS_OK;
    }
    add_u32(out, 0);
    return end_value(
        out, begin_at, at,
        pg_text_write(text->bytes, column->type.oid, column->format, out, err));
}

void
pg_row_end(struct buf *out, size_t begin_at)
{
    end_message(out, begin_at);
}

void
pg_out_complete(struct buf *out, const char *tag)
{
    size_t at = begin_message(out, 'C');

    add_text(out, str_of(tag));
    end_message(out, at);
}

void
pg_out_complete_select(struct buf *out, uint64_t rows)
{
    char tag[40];

    snprintf(tag, sizeof tag, "SELECT %llu", (unsigned long long)rows);
    pg_out_complete(out, tag);
}

void
pg_out_word(struct buf *out, enum pg_word word)
{
    end_message(out, begin_message(out, (char)word));
}

/* ------------------------------------------------ errors and notices -- */

static void
add_field(struct buf *out, char letter, str text)
{
    if (text.len == 0)
        return;
    buf_add(out, &letter, 1);
    add_text(out, text);
}

void
pg_out_report(struct buf *out, const struct pg_report *report)
{
    static const char *const words[] = {
        [PG_NOTICE] = "NOTICE",
        [PG_WARNING] = "WARNING",
        [PG_ERROR] = "ERROR",
        [PG_FATAL] = "FATAL",
    };
    size_t at = begin_message(out, report->severity >= PG_ERROR ? 'E' : 'N');
    char position[16];

    add_field(out, 'S', str_of(words[report->severity]));
    add_field(out, 'V', str_of(words[report->severity]));
    add_field(out, 'C', str_of(report->sqlstate));
    add_field(out, 'M', report->message);
    add_field(out, 'D', report->detail);
    add_field(out, 'H', report->hint);
    if (report->position > 0) {
        snprintf(position, sizeof position, "%d", report->position);
        add_field(out, 'P', str_of(position));
    }
    add_u8(out, 0);
    end_message(out, at);
}

/* How many characters of UTF-8 begin before byte `at`. */
static int
characters_before(str text, size_t at)
{
    int n = 0;

    for (size_t i = 0; i < at && i < text.len; i++)
        n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return n;
}

struct pg_report
pg_report_of(enum pg_severity severity, const custos_err *err, str sql)
{
    struct pg_report report = {
        .severity = severity,
        .sqlstate = custos_status_sqlstate(err->code),
        .message = str_of(err->said),
        .hint = str_of(err->hint),
    };

    if (sql.len > 0 && err->at >= 0)
        report.position = 1 + characters_before(sql, (size_t)err->at);
    return report;
}
