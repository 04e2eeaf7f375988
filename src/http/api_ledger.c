/*
 * Rows of the ledger, page by page. An analyst gets the rows under their own
 * name; the owner gets all rows, or those of one analyst. Both can restrict this
 * to the charges that rest on a given theorem.
 */
#include "http/api.h"

#include <inttypes.h>

#include "base/error.h"
#include "wire/json.h"

enum {
    PAGE_ROWS = 100,
    PAGE_ROWS_MAX = 1000,
    PAGE_BYTES = 1 << 28,
};

/* If `all`, adds the remaining hashed fields, so that the owner can recompute
   the hash. */
static void
add_row(struct buf *b, const struct ledger_row *r, bool all)
{
    char receipt[RECEIPT_TEXT_MAX];

    receipt_write(&r->receipt, receipt);
    buf_printf(b, "{\"row\":%" PRIu64 ",\"time\":", r->seq);
    json_add_moment(b, r->time);
    json_add_member(b, "what", r->kind);
    json_add_member(b, "who", r->who);
    json_add_member(b, "query", r->query);
    json_add_member(b, "plan", r->plan);
    json_add_member(b, "theorems", r->theorems);
    json_add_member(b, "words", r->words);
    json_add_member(b, "epsilon", r->epsilon);
    json_add_member(b, "rho", r->rho);
    json_add_member(b, "delta", r->delta);
    buf_printf(b, ",\"data_version\":%" PRIu64, r->data_version);
    json_add_member(b, "version", r->version);
    buf_printf(b, ",\"receipt\":\"%s\"", receipt);
    if (all) {
        buf_printf(b, ",\"time_us\":\"%" PRId64 "\",\"policy\":", r->time);
        json_add_hex(b, r->policy, sizeof r->policy);
        buf_add_text(b, ",\"before\":");
        json_add_hex(b, r->before, sizeof r->before);
    }
    buf_add_text(b, "}");
}

/* Reads a whole number from 0 to max; an empty text leaves *out as it is.
   False: the text is not such a number. */
static bool
number_read(str text, uint64_t max, uint64_t *out)
{
    struct datum d;

    if (!text.len)
        return true;
    if (!datum_read(TYPE_INT, text, &d) || d.n < 0 || d.n > (i128)max)
        return false;
    *out = (uint64_t)d.n;
    return true;
}

static custos_status
add_page(struct curator *c, str who, str theorem, uint64_t from, size_t limit,
         bool all, arena *a, struct buf *b, custos_err *err)
{
    struct ledger_row *rows = NULL;
    size_t n = limit;
    custos_status st =
        ledger_rows(curator_ledger(c), from, who, theorem, a, &rows, &n, err);

    if (st)
        return st;
    buf_add_text(b, "{\"rows\":[");
    for (size_t i = 0; i < n; i++) {
        buf_add_text(b, i ? ",\n" : "\n");
        add_row(b, &rows[i], all);
    }
    if (n == limit)
        buf_printf(b, "],\n\"next\":%" PRIu64 "}\n", rows[n - 1].seq + 1);
    else
        buf_add_text(b, "],\n\"next\":null}\n");
    return b->failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                     : CUSTOS_OK;
}

void
api_ledger(struct curator *c, str who, const struct http_request *r,
           struct http_reply *out)
{
    uint64_t from = 0, limit = PAGE_ROWS;
    str analyst = http_argument(r, "analyst");
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    arena *a;

    if (!number_read(http_argument(r, "from"), INT64_MAX, &from) ||
        !number_read(http_argument(r, "limit"), PAGE_ROWS_MAX, &limit) ||
        limit == 0) {
        http_fault(out, HTTP_FAULT_ARGUMENT);
        return;
    }
    if (who.len && analyst.len && !str_equal(who, analyst)) {
        http_fault(out, HTTP_FAULT_OWNER);
        return;
    }
    a = arena_new(NULL, PAGE_BYTES);
    st = a ? add_page(c, who.len ? who : analyst, http_argument(r, "theorem"),
                      from, limit, !who.len, a, &out->body, &err)
           : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    if (st)
        http_refuse(out, &err, str_of(""));
    arena_free(a);
}
