/*
 * Reads `storage:`, which says how long cached answers are kept, how many bytes
 * of them, and how much an analyst's queries may add to the ledger.
 */
#include "base/base.h"
#include "policy/read.h"

enum { DAYS_MOST = 36500 };

static const uint64_t gib = UINT64_C(1) << 30, most = UINT64_C(1) << 50;

static const char *const storage_keys[] = {
    "answer_days",
    "answer_bytes",
    "ledger_bytes",
    "ledger_bytes_per_minute",
};

custos_status
read_storage(const struct reading *r, const struct node *root, struct policy *p)
{
    const struct node *map = node_find(root, "storage");
    uint64_t *const values[] = {&p->answer_days, &p->answer_bytes,
                                &p->ledger_bytes, &p->ledger_minute_bytes};
    custos_status st;

    p->answer_days = 0;
    p->answer_bytes = gib;
    p->ledger_bytes = 8 * gib;
    p->ledger_minute_bytes = gib / 4;
    if (!map)
        return CUSTOS_OK;
    st = node_is_map(r, map, "storage", storage_keys, COUNT_OF(storage_keys));
    for (size_t i = 0; i < COUNT_OF(values) && !st; i++) {
        const struct node *n = node_find(map, storage_keys[i]);

        if (n)
            st = node_count(r, n, storage_keys[i], 1, i ? most : DAYS_MOST,
                            values[i]);
    }
    return st;
}
