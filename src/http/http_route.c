#include "http/http_route.h"

#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "http/console.h"

struct path {
    const char *path;
    struct http_route route;
    bool posts;            /* POST; else GET and HEAD */
    bool csv;              /* can reply in CSV too */
    const char *arguments; /* that it knows, separated by blanks */
};

static const struct path paths[] = {
    {"/v1/query", {TASK_QUERY, ACCESS_TOKEN, 0, 0}, true, true, "format"},
    {"/v1/explain", {TASK_EXPLAIN, ACCESS_TOKEN, 0, 0}, true, false, ""},
    {"/v1/batch", {TASK_BATCH, ACCESS_TOKEN, 0, 0}, true, false, ""},
    {"/v1/batch/explain",
     {TASK_BATCH_EXPLAIN, ACCESS_TOKEN, 0, 0},
     true,
     false,
     ""},
    {"/v1/budget", {TASK_BUDGET, ACCESS_TOKEN, 0, 0}, false, false, ""},
    {"/v1/schema", {TASK_SCHEMA, ACCESS_TOKEN, 0, 0}, false, false, ""},
    {"/v1/ledger",
     {TASK_LEDGER, ACCESS_TOKEN, 0, 0},
     false,
     false,
     "from limit analyst theorem"},
    {"/v1/me", {TASK_ME, ACCESS_TOKEN, 0, 0}, false, false, ""},
    {"/v1/risk",
     {TASK_RISK, ACCESS_TOKEN, 0, 0},
     false,
     false,
     "epsilon delta"},
    {"/v1/learn", {TASK_LEARN, ACCESS_OPEN, 0, 0}, false, false, "epsilon"},
    {"/v1/budget/history",
     {TASK_HISTORY, ACCESS_TOKEN, 0, 0},
     false,
     false,
     ""},
    {"/v1/ledger/verify", {TASK_VERIFY, ACCESS_TOKEN, 0, 0}, false, false, ""},
    {"/v1/owner/policy",
     {TASK_OWNER_POLICY, ACCESS_OWNER, 0, 0},
     false,
     false,
     ""},
    {"/v1/owner/analysts",
     {TASK_OWNER_ANALYSTS, ACCESS_OWNER, 0, 0},
     false,
     false,
     ""},
    {"/v1/owner/analysts", {TASK_OWNER_ACT, ACCESS_ACT, 0, 0}, true, false, ""},
    {"/v1/owner/reload",
     {TASK_OWNER_RELOAD, ACCESS_ACT, 0, 0},
     true,
     false,
     ""},
    {"/v1/owner/data", {TASK_OWNER_DATA, ACCESS_OWNER, 0, 0}, false, false, ""},
    {"/v1/owner/health",
     {TASK_OWNER_HEALTH, ACCESS_OWNER, 0, 0},
     false,
     false,
     ""},
    {"/v1/health", {TASK_HEALTH, ACCESS_OPEN, 0, 0}, false, false, ""},
    {"/v1/health/deep",
     {TASK_HEALTH_DEEP, ACCESS_WATCH, 0, 0},
     false,
     false,
     ""},
    {"/v1/openapi.json", {TASK_OPENAPI, ACCESS_OPEN, 0, 0}, false, false, ""},
    {"/metrics", {TASK_METRICS, ACCESS_WATCH, 0, 0}, false, false, ""},
};

/* The route that the request means, or NULL. *allow: the methods of the path;
   NULL: there is no such path. */
static const struct path *
path_find(const struct http_request *r, const char **allow)
{
    bool looks = r->method == HTTP_GET || r->method == HTTP_HEAD;
    bool posts = r->method == HTTP_POST;
    bool has_get = false, has_post = false;
    const struct path *found = NULL;

    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        const struct path *p = &paths[i];

        if (!str_equal(r->path, str_of(p->path)))
            continue;
        has_get = has_get || !p->posts;
        has_post = has_post || p->posts;
        if (p->posts ? posts : looks)
            found = p;
    }
    *allow = has_get && has_post ? "GET, HEAD, POST, OPTIONS"
             : has_get           ? "GET, HEAD, OPTIONS"
             : has_post          ? "POST, OPTIONS"
                                 : NULL;
    return found;
}

/* ----------------------------------------------------------------- forms -- */

/* Takes the text before the next `mark` off *rest, and trims blanks around
   it. */
static str
part_next(str *rest, char mark)
{
    const char *end = memchr(rest->ptr, mark, rest->len);
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    str part = {rest->ptr, len};

    rest->ptr += len + (end != NULL);
    rest->len -= len + (end != NULL);
    while (part.len && strchr(" \t", part.ptr[0]))
        part.ptr++, part.len--;
    while (part.len && strchr(" \t", part.ptr[part.len - 1]))
        part.len--;
    return part;
}

static bool
same_word(str a, const char *b)
{
    return str_equal_but_case(a, str_of(b));
}

/* Reads a quality such as "0.35", in thousandths. 0 if it is not valid. */
static int
quality_read(str text)
{
    int value = 0, digits = 0;

    if (!text.len || (text.ptr[0] != '0' && text.ptr[0] != '1') ||
        text.len > 5 || (text.len > 1 && text.ptr[1] != '.'))
        return 0;
    value = text.ptr[0] - '0';
    for (size_t i = 2; i < text.len; i++, digits++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return 0;
        value = 10 * value + (text.ptr[i] - '0');
    }
    for (; digits < 3; digits++)
        value *= 10;
    return value > 1000 ? 0 : value;
}

/* The quality that an Accept header gives to a type, in thousandths. The most
   specific match counts: the type itself, then its family, then any type. */
static int
accept_quality(str accept, const char *type)
{
    size_t family = (size_t)(strchr(type, '/') - type) + 1;
    int best = 0, fit = 0;

    while (accept.len) {
        str range = part_next(&accept, ',');
        str name = part_next(&range, ';');
        int quality = 1000, how = 0;

        if (same_word(name, type))
            how = 3;
        else if (name.len == family + 1 && name.ptr[family] == '*' &&
                 !strncasecmp(name.ptr, type, family))
            how = 2;
        else if (same_word(name, "*/*"))
            how = 1;
        while (range.len) {
            str parameter = part_next(&range, ';');

            if (parameter.len > 2 && !strncasecmp(parameter.ptr, "q=", 2))
                quality =
                    quality_read((str){parameter.ptr + 2, parameter.len - 2});
        }
        if (how > fit) {
            fit = how;
            best = quality;
        }
    }
    return best;
}

static bool
form_choose(const struct http_request *r, const struct path *p,
            enum http_form *out)
{
    str asked = http_argument(r, "format");
    int json, csv;

    *out = FORM_JSON;
    if (asked.len) {
        *out = same_word(asked, "csv") ? FORM_CSV : FORM_JSON;
        return *out == FORM_CSV || same_word(asked, "json");
    }
    if (!r->accept.len || p->route.task == TASK_METRICS)
        return true;
    json = accept_quality(r->accept, "application/json");
    csv = p->csv ? accept_quality(r->accept, "text/csv") : 0;
    if (csv > json)
        *out = FORM_CSV;
    return csv || json;
}

static bool
body_is_json(str type)
{
    return same_word(part_next(&type, ';'), "application/json");
}

/* ----------------------------------------------------------------- route -- */

static bool
argument_known(const struct path *p, str name)
{
    str known = str_of(p->arguments);

    while (known.len)
        if (str_equal(part_next(&known, ' '), name))
            return name.len > 0;
    return false;
}

static bool
arguments_known(const struct http_request *r, const struct path *p)
{
    if (r->n_arguments > HTTP_ARGUMENTS_MAX)
        return false;
    for (size_t i = 0; i < r->n_arguments; i++) {
        if (!argument_known(p, r->arguments[i].name))
            return false;
        for (size_t j = 0; j < i; j++)
            if (str_equal(r->arguments[j].name, r->arguments[i].name))
                return false;
    }
    return true;
}

static bool
refuse_request(struct http_reply *reply, enum http_fault fault)
{
    http_fault(reply, fault);
    return false;
}

/* Answers a request for a file of the console. Always returns false: *reply has
   the answer. */
static bool
page_route(const struct http_request *r, const struct console_file *f,
           struct http_reply *reply)
{
    if (r->method == HTTP_GET || r->method == HTTP_HEAD) {
        console_give(f, reply);
        return false;
    }
    http_header(reply, "Allow", "GET, HEAD");
    return refuse_request(reply, HTTP_FAULT_METHOD);
}

bool
http_route(const struct http_request *r, struct http_route *out,
           struct http_reply *reply)
{
    const struct console_file *f = console_find(r->path);
    const char *allow;
    const struct path *p = path_find(r, &allow);

    if (f)
        return page_route(r, f, reply);
    if (!allow)
        return refuse_request(reply, HTTP_FAULT_NOT_FOUND);
    if (!p)
        http_header(reply, "Allow", "%s", allow);
    if (r->method == HTTP_OPTIONS) {
        reply->status = 204;
        reply->type = NULL;
        return false;
    }
    if (!p)
        return refuse_request(reply, HTTP_FAULT_METHOD);
    if (!arguments_known(r, p))
        return refuse_request(reply, HTTP_FAULT_ARGUMENT);
    *out = p->route;
    out->takes_body = p->posts;
    if (!form_choose(r, p, &out->form))
        return refuse_request(reply, http_argument(r, "format").len
                                         ? HTTP_FAULT_ARGUMENT
                                         : HTTP_FAULT_ACCEPT);
    if (p->posts && !body_is_json(r->content_type))
        return refuse_request(reply, HTTP_FAULT_TYPE);
    return true;
}
