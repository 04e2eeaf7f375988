/*
 * A reader stays within the length that the message states, and keeps its first
 * error in `bad`. So a message is parsed to its end without checks in between;
 * then its fields must fill that length exactly.
 */
#include "wire/pg_in.h"

#include <string.h>

#include "base/error.h"
#include "wire/pg_bytes.h"

enum {
    VERSION_MAJOR = 3,
    CODE_CANCEL = 1234 << 16 | 5678,
    CODE_SSL = 1234 << 16 | 5679,
    CODE_GSS = 1234 << 16 | 5680,
    LENGTH_BYTES = 4,
    KEY_LENGTH_MAX = 256, /* of a cancel key, by the protocol */
    LENGTH_MAX = 0x7fffffff,
};

static const char too_short[] = "is shorter than what it should hold";

struct reader {
    const char *at, *end;
    const char *bad; /* what is wrong, or NULL */
    size_t list_max;
    bool too_many;
};

static void
reader_fail(struct reader *r, const char *what)
{
    if (!r->bad)
        r->bad = what;
    r->at = r->end;
}

static const char *
take_bytes(struct reader *r, size_t n)
{
    const char *p = r->at;

    if (r->bad || (size_t)(r->end - p) < n) {
        reader_fail(r, too_short);
        return NULL;
    }
    r->at += n;
    return p;
}

static uint32_t
take_u16(struct reader *r)
{
    const char *p = take_bytes(r, 2);

    return p ? u16_at(p) : 0;
}

static uint32_t
take_u32(struct reader *r)
{
    const char *p = take_bytes(r, 4);

    return p ? u32_at(p) : 0;
}

/* Takes a text and the NUL that ends it. */
static str
take_text(struct reader *r)
{
    const char *begin = r->at, *nul = NULL;

    if (!r->bad && begin && begin < r->end)
        nul = memchr(begin, 0, (size_t)(r->end - begin));
    if (!nul) {
        reader_fail(r, "has a text without an end");
        return (str){"", 0};
    }
    r->at = nul + 1;
    return (str){begin, (size_t)(nul - begin)};
}

static str
take_rest(struct reader *r)
{
    str rest = {r->at, (size_t)(r->end - r->at)};

    r->at = r->end;
    return rest;
}

/* ------------------------------------------------------------ lists -- */

/* Takes the count at the beginning of a list. */
static size_t
take_count(struct reader *r)
{
    size_t n = take_u16(r);

    if (n > r->list_max) {
        r->too_many = true;
        reader_fail(r, "has a list that is too long");
        return 0;
    }
    return n;
}

static struct pg_list
take_types(struct reader *r)
{
    size_t n = take_count(r);
    const char *at = take_bytes(r, 4 * n);

    return (struct pg_list){at, at ? n : 0};
}

static struct pg_list
take_formats(struct reader *r)
{
    size_t n = take_count(r);
    const char *at = take_bytes(r, 2 * n);

    for (size_t i = 0; at && i < n; i++)
        if (u16_at(at + 2 * i) > PG_BINARY)
            reader_fail(r, "has a format that is neither text nor binary");
    return (struct pg_list){at, r->bad ? 0 : n};
}

static struct pg_list
take_values(struct reader *r, const struct pg_list *formats)
{
    size_t n = take_count(r);
    const char *at = r->at;

    if (formats->n > 1 && formats->n != n)
        reader_fail(r, "has a different number of formats than of values");
    for (size_t i = 0; i < n && !r->bad; i++) {
        uint32_t len = take_u32(r);

        if (len > LENGTH_MAX && len != UINT32_MAX)
            reader_fail(r, "has a value of a negative length");
        else if (len != UINT32_MAX)
            take_bytes(r, len);
    }
    return (struct pg_list){at, r->bad ? 0 : n};
}

uint32_t
pg_type_at(const struct pg_list *types, size_t i)
{
    return u32_at(types->at + 4 * i);
}

enum pg_format
pg_format_at(const struct pg_list *formats, size_t i)
{
    size_t at = formats->n == 1 ? 0 : i;

    return at < formats->n && u16_at(formats->at + 2 * at) ? PG_BINARY
                                                           : PG_TEXT;
}

bool
pg_value_next(struct pg_list *values, struct pg_bytes *out)
{
    uint32_t len;

    if (values->n == 0)
        return false;
    len = u32_at(values->at);
    values->at += 4;
    values->n--;
    out->is_null = len == UINT32_MAX;
    out->bytes = (str){values->at, out->is_null ? 0 : len};
    values->at += out->bytes.len;
    return true;
}

bool
pg_pair_next(struct pg_list *pairs, str *name, str *value)
{
    if (pairs->n == 0)
        return false;
    *name = str_of(pairs->at);
    *value = str_of(pairs->at + name->len + 1);
    pairs->at += name->len + value->len + 2;
    pairs->n--;
    return true;
}

/* ---------------------------------------------------- first packets -- */

static void
read_startup(struct reader *r, struct pg_startup *out)
{
    struct pg_list pairs = {r->at, 0};
    str name, value;

    while (!r->bad && r->at < r->end && *r->at) {
        name = take_text(r);
        value = take_text(r);
        if (r->bad)
            return;
        pairs.n++;
        if (str_equal(name, str_of("user")))
            out->user = value;
        else if (str_equal(name, str_of("database")))
            out->database = value;
    }
    if (take_text(r).len || r->bad)
        return;
    if (out->user.len == 0)
        reader_fail(r, "names no user");
    if (out->database.len == 0)
        out->database = out->user;
    out->pairs = pairs;
}

static enum pg_in
refuse_message(custos_err *err, const char *message, const struct reader *r)
{
    custos_status code = r->too_many ? CUSTOS_EOVERFLOW : CUSTOS_EPROTOCOL;

    custos_fail(err, code, "the client's message %s %s", message, r->bad);
    return PG_IN_BAD;
}

/* Finds the bytes of the next message, if its length is allowed and all of it has
   arrived. */
static enum pg_in
find_frame(str bytes, size_t head, size_t least, size_t most, struct reader *r,
           size_t *used, custos_err *err)
{
    size_t len;

    if (bytes.len < head + LENGTH_BYTES) {
        *used = head + LENGTH_BYTES;
        return PG_IN_MORE;
    }
    len = u32_at(bytes.ptr + head);
    if (len < least) {
        custos_fail(err, CUSTOS_EPROTOCOL,
                    "the client's message has a length of %zu bytes, less "
                    "than its own head",
                    len);
        return PG_IN_BAD;
    }
    if (len > LENGTH_MAX || len + head > most) {
        custos_fail(err, CUSTOS_EOVERFLOW,
                    "the client's message has %zu bytes" HINT "at most %zu are "
                    "taken",
                    len + head, most);
        return PG_IN_BAD;
    }
    *used = head + len;
    if (bytes.len < *used)
        return PG_IN_MORE;
    r->at = bytes.ptr + head + LENGTH_BYTES;
    r->end = bytes.ptr + *used;
    return PG_IN_MESSAGE;
}

/* A key has 4 to 256 bytes. If it is longer than ours, its beginning is kept. */
static void
read_cancel(struct reader *r, struct pg_cancel *out)
{
    size_t len, kept;
    const char *key;

    out->process = take_u32(r);
    len = (size_t)(r->end - r->at);
    if (len < PG_KEY_MIN || len > KEY_LENGTH_MAX) {
        reader_fail(r, len < PG_KEY_MIN ? "has a cancel key that is too short"
                                        : "has a cancel key that is too long");
        return;
    }
    key = take_bytes(r, len);
    kept = len < PG_KEY_MAX ? len : PG_KEY_MAX;
    out->len = (uint32_t)len;
    if (key)
        memcpy(out->key, key, kept);
}

static enum pg_in
bad_version(custos_err *err, uint32_t code)
{
    custos_fail(err, CUSTOS_EPROTOCOL,
                "the client speaks version %u.%u of the protocol" HINT
                "this server "
                "speaks 3.0 and 3.2",
                code >> 16, code & 0xffff);
    return PG_IN_BAD;
}

enum pg_in
pg_in_first(str bytes, struct pg_message *out, size_t *used, custos_err *err)
{
    struct reader r = {0};
    struct pg_message m = {0};
    enum pg_in got = find_frame(bytes, 0, 8, PG_FIRST_BYTES, &r, used, err);
    uint32_t code;

    if (got != PG_IN_MESSAGE)
        return got;
    code = take_u32(&r);
    if (code == CODE_SSL) {
        m.kind = PG_SSL_REQUEST;
    } else if (code == CODE_GSS) {
        m.kind = PG_GSS_REQUEST;
    } else if (code == CODE_CANCEL) {
        m.kind = PG_CANCEL_REQUEST;
        read_cancel(&r, &m.cancel);
    } else if (code >> 16 == VERSION_MAJOR) {
        m.kind = PG_STARTUP;
        m.startup.minor = (int)(code & 0xffff);
        read_startup(&r, &m.startup);
    } else {
        return bad_version(err, code);
    }
    if (r.at != r.end)
        reader_fail(&r, "is longer than what it holds");
    if (r.bad)
        return refuse_message(err, "that begins the connection", &r);
    *out = m;
    return PG_IN_MESSAGE;
}

/* ------------------------------------------------------ all others -- */

static void
read_query(struct reader *r, struct pg_message *m)
{
    m->text = take_text(r);
}

static void
read_parse(struct reader *r, struct pg_message *m)
{
    m->parse.name = take_text(r);
    m->parse.sql = take_text(r);
    m->parse.types = take_types(r);
}

static void
read_bind(struct reader *r, struct pg_message *m)
{
    m->bind.portal = take_text(r);
    m->bind.statement = take_text(r);
    m->bind.formats = take_formats(r);
    m->bind.values = take_values(r, &m->bind.formats);
    m->bind.results = take_formats(r);
}

static void
read_named(struct reader *r, struct pg_message *m)
{
    const char *object = take_bytes(r, 1);

    if (object && *object != PG_STATEMENT && *object != PG_PORTAL)
        reader_fail(r, "names neither a statement nor a portal");
    m->named.object = object && *object == PG_PORTAL ? PG_PORTAL : PG_STATEMENT;
    m->named.name = take_text(r);
}

static void
read_execute(struct reader *r, struct pg_message *m)
{
    m->execute.portal = take_text(r);
    m->execute.rows = take_u32(r);
    if (m->execute.rows > LENGTH_MAX)
        m->execute.rows = 0; /* negative: no limit, as in PostgreSQL */
}

static void
read_bytes(struct reader *r, struct pg_message *m)
{
    m->text = take_rest(r);
}

static void
read_nothing(struct reader *r, struct pg_message *m)
{
    (void)r;
    (void)m;
}

static void
read_call(struct reader *r, struct pg_message *m)
{
    uint32_t result;

    m->call.function = take_u32(r);
    m->call.formats = take_formats(r);
    m->call.values = take_values(r, &m->call.formats);
    result = take_u16(r);
    if (result > PG_BINARY)
        reader_fail(r, "has a format that is neither text nor binary");
    m->call.result = result ? PG_BINARY : PG_TEXT;
}

static const struct row {
    char letter;
    enum pg_kind kind;
    const char *name;
    void (*read)(struct reader *, struct pg_message *);
} rows[] = {
    {'Q', PG_QUERY, "Query", read_query},
    {'P', PG_PARSE, "Parse", read_parse},
    {'B', PG_BIND, "Bind", read_bind},
    {'D', PG_DESCRIBE, "Describe", read_named},
    {'E', PG_EXECUTE, "Execute", read_execute},
    {'C', PG_CLOSE, "Close", read_named},
    {'H', PG_FLUSH, "Flush", read_nothing},
    {'S', PG_SYNC, "Sync", read_nothing},
    {'X', PG_TERMINATE, "Terminate", read_nothing},
    {'p', PG_SECRET, "Password", read_bytes},
    {'d', PG_COPY_DATA, "CopyData", read_bytes},
    {'c', PG_COPY_DONE, "CopyDone", read_nothing},
    {'f', PG_COPY_FAIL, "CopyFail", read_query},
    {'F', PG_FUNCTION_CALL, "FunctionCall", read_call},
};

static const struct row *
row_of(char letter)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].letter == letter)
            return &rows[i];
    return NULL;
}

enum pg_in
pg_in_next(str bytes, const struct pg_limits *limits, struct pg_message *out,
           size_t *used, custos_err *err)
{
    struct reader r = {.list_max = limits->list_max};
    struct pg_message m = {0};
    const struct row *row;
    enum pg_in got;

    if (bytes.len == 0) {
        *used = 1 + LENGTH_BYTES;
        return PG_IN_MORE;
    }
    /* Checked before the length: do not wait for the rest of an unknown kind. */
    row = row_of(bytes.ptr[0]);
    if (!row) {
        custos_fail(err, CUSTOS_EPROTOCOL,
                    "the client's message is of an unknown kind (byte %d)",
                    (unsigned char)bytes.ptr[0]);
        return PG_IN_BAD;
    }
    got = find_frame(bytes, 1, LENGTH_BYTES, limits->message_bytes, &r, used,
                     err);
    if (got != PG_IN_MESSAGE)
        return got;
    m.kind = row->kind;
    row->read(&r, &m);
    if (r.at != r.end)
        reader_fail(&r, "is longer than what it holds");
    if (r.bad)
        return refuse_message(err, row->name, &r);
    *out = m;
    return PG_IN_MESSAGE;
}

custos_status
pg_sasl_first(str secret, str *mechanism, struct pg_bytes *response,
              custos_err *err)
{
    struct reader r = {.at = secret.ptr, .end = secret.ptr + secret.len};
    str name = take_text(&r);
    uint32_t len = take_u32(&r);
    str rest = take_rest(&r);

    if (r.bad || rest.len != (len == UINT32_MAX ? 0 : len))
        return custos_fail(err, CUSTOS_EPROTOCOL,
                           "the client's message SASLInitialResponse is not "
                           "whole");
    *mechanism = name;
    *response = (struct pg_bytes){len == UINT32_MAX, rest};
    return CUSTOS_OK;
}
