#include "cli/replies.h"

#include "cli/at_store.h"
#include "cli/paint.h"
#include "curator/reply_init.h"

static void
print_bound(struct out *o, const struct reply_table *t)
{
    char receipt[RECEIPT_TEXT_MAX], rows[32];

    out_text(o, "  ");
    out_add(o, t->name.ptr, t->name.len);
    if (t->bound == 0) {
        out_printf(o,
                   ": the policy has no max_rows, and the rows could not be "
                   "counted (%s); its reply times are not public until the "
                   "policy has max_rows\n",
                   t->err.code ? t->err.said : "too many");
        return;
    }
    write_grouped((int64_t)t->bound, rows);
    receipt_write(&t->receipt, receipt);
    out_printf(o,
               ": the policy has no max_rows; a noisy count was charged, "
               "epsilon %.*s, as it is at every init: at most %s rows, which "
               "is public. Receipt %s\n",
               (int)t->epsilon.len, t->epsilon.ptr, rows, receipt);
}

custos_status
replies_count(const char *store, arena *a, struct out *o, custos_err *err)
{
    struct reply_report r;
    custos_status st = reply_rows_charge(store, clock_us(), a, &r, err);

    for (size_t i = 0; !st && i < r.n; i++)
        print_bound(o, &r.tables[i]);
    return st;
}

custos_status
replies_prepare(const char *store, arena *a, struct out *o, custos_err *err)
{
    custos_status st = replies_count(store, a, o, err);
    struct curator *c = NULL;

    if (!st)
        st = curator_open(store, &c, err);
    if (!st)
        st = reply_speed_ready(c, err);
    curator_close(c);
    return st;
}
