#include "curator/reply.h"

#include "engine/speed.h"
#include "store/file.h"

enum { ROWS_FILE_MAX = 1 << 20, BOUND_LOG2_MAX = 48 };

/* Removes a prefix from text; false if text does not begin with it. */
static bool
take_prefix(str *text, const char *beginning)
{
    str b = str_of(beginning);

    if (text->len < b.len || memcmp(text->ptr, b.ptr, b.len) != 0)
        return false;
    text->ptr += b.len;
    text->len -= b.len;
    return true;
}

/* Removes a whole number from the beginning of text; it must be positive,
   without leading zeros. */
static bool
take_number(str *text, uint64_t *out)
{
    size_t digits = 0;

    *out = 0;
    while (digits < text->len && digits < 19 && text->ptr[digits] >= '0' &&
           text->ptr[digits] <= '9')
        *out = 10 * *out + (uint64_t)(text->ptr[digits++] - '0');
    if (digits == 0 || text->ptr[0] == '0')
        return false;
    text->ptr += digits;
    text->len -= digits;
    return true;
}

static bool
take_line(str *text, str *line)
{
    const char *end = memchr(text->ptr, '\n', text->len);

    if (!end)
        return false;
    *line = (str){text->ptr, (size_t)(end - text->ptr)};
    text->len -= line->len + 1;
    text->ptr = end + 1;
    return true;
}

bool
reply_rows_parse(str text, const struct policy *p, uint64_t *version,
                 uint64_t *bounds)
{
    uint64_t bound = 0;
    str line;

    for (size_t i = 0; i < p->n_tables; i++)
        bounds[i] = 0;
    if (!take_prefix(&text, "custos rows 1\nversion ") ||
        !take_number(&text, version) || !take_prefix(&text, "\n"))
        return false;
    while (text.len > 0) {
        const struct policy_table *t;

        if (!take_line(&text, &line) || !take_number(&line, &bound) ||
            !take_prefix(&line, " ") || bound >> BOUND_LOG2_MAX)
            return false;
        t = policy_table_find(p, line);
        if (t && !t->is_public)
            bounds[t->number] = bound;
    }
    return true;
}

void
reply_rows_print(uint64_t version, const struct policy *p,
                 const uint64_t *bounds, struct buf *out)
{
    buf_printf(out, "custos rows 1\nversion %llu\n",
               (unsigned long long)version);
    for (size_t i = 0; i < p->n_tables; i++)
        if (bounds[i]) {
            buf_printf(out, "%llu ", (unsigned long long)bounds[i]);
            buf_add(out, p->tables[i].name.ptr, p->tables[i].name.len);
            buf_add_text(out, "\n");
        }
}

void
reply_load(const struct store *s, struct snapshot *w)
{
    uint64_t *bounds = arena_take(w->a, w->policy->n_tables, sizeof *bounds);
    char path[STORE_PATH_MAX];
    custos_err quiet = CUSTOS_ERR_INIT;
    str text;

    w->speeds = REPLY_SPEEDS_DEFAULT;
    w->measured = engine_speed_known(s, &w->speeds);
    store_path(s, "rows", path);
    if (bounds && !file_read(path, ROWS_FILE_MAX, w->a, &text, &quiet) &&
        reply_rows_parse(text, w->policy, &w->rows_version, bounds))
        w->speeds.rows = bounds;
}

int64_t
reply_class_of(const struct curator *c, const struct plan *p)
{
    struct plan_known known = {.count = engine_count, .ctx = c->engine};
    struct reply_speeds s = c->snapshot->speeds;

    if (c->engine)
        s.known = &known;
    return plan_class_us(p, &s);
}
