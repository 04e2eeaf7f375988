/*
 * Rows of the ledger, page by page. An analyst gets the rows under their own
 * name; the owner gets all rows, or those of one analyst. Both can restrict this
 * to the charges that rest on a given theorem.
 */
#include "http/api.h"

#include "base/error.h"
#include "contract/contract.h"

enum {
    PAGE_ROWS = 100,
    PAGE_ROWS_MAX = 1000,
    PAGE_BYTES = 1 << 28,
};

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
         enum contract_reader reader, arena *a, struct buf *b, custos_err *err)
{
    struct ledger_row *rows = NULL;
    size_t n = limit;
    struct json j;
    custos_status st =
        ledger_rows(curator_ledger(c), from, who, theorem, a, &rows, &n, err);

    if (st)
        return st;
    json_init(&j, b, JSON_LINES);
    json_begin(&j, NULL);
    json_begin_list(&j, "rows");
    for (size_t i = 0; i < n; i++) {
        json_begin(&j, NULL);
        contract_ledger_row(&j, &rows[i], reader);
        json_end(&j);
    }
    json_end(&j);
    if (n == limit)
        json_add_count(&j, "next", rows[n - 1].seq + 1);
    else
        json_add_null(&j, "next");
    json_end(&j);
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
                      from, limit, who.len ? READER_ANALYST : READER_OWNER, a,
                      &out->body, &err)
           : custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    if (st)
        http_refuse(out, &err, str_of(""));
    arena_free(a);
}
