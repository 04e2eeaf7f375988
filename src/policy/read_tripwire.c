/*
 * Reads `tripwire:`, which says how many analysts must have failures before
 * everybody is suspended, and which rate of overruns suspends an analyst. The
 * first failure of an analyst always suspends that analyst: it is a bug by
 * definition, and no key can allow it.
 */
#include "base/base.h"
#include "num/rat.h"
#include "policy/read.h"

enum { FAILURES = 3, OVERRUNS = 1, FAILURES_MOST = 1000000 };

static const char *const tripwire_keys[] = {"failures", "overrun_rate"};

/* Reads a rate in [0, 1] as a number of questions of the window, rounded
   down. */
static custos_status
read_rate(const struct reading *r, const struct node *n, uint64_t *out)
{
    custos_status st;
    rat x, window;
    bool good;
    str text;

    st = node_text(r, n, "overrun_rate", &text);
    if (st)
        return st;
    rat_init(&x);
    rat_init(&window);
    good = !rat_read(text.ptr, "overrun_rate", &x, NULL) && rat_sign(&x) >= 0 &&
           rat_cmp_i64(&x, 1) <= 0;
    rat_set_i64(&window, POLICY_OVERRUN_WINDOW, 1);
    rat_mul(&x, &x, &window);
    good = good && rat_floor_u64(&x, out);
    rat_clear(&x);
    rat_clear(&window);
    if (good)
        return CUSTOS_OK;
    return reading_fail(r, n->line,
                        "overrun_rate must be a number from 0 to 1, such as "
                        "0.001, not '%.*s'",
                        SHOWN(text));
}

custos_status
read_tripwire(const struct reading *r, const struct node *root,
              struct policy *p)
{
    const struct node *map = node_find(root, "tripwire"), *n;
    custos_status st;

    p->max_failures = FAILURES;
    p->max_overruns = OVERRUNS;
    if (!map)
        return CUSTOS_OK;
    st =
        node_is_map(r, map, "tripwire", tripwire_keys, COUNT_OF(tripwire_keys));
    n = st ? NULL : node_find(map, "failures");
    if (n)
        st = node_count(r, n, "failures", 1, FAILURES_MOST, &p->max_failures);
    n = st ? NULL : node_find(map, "overrun_rate");
    return n ? read_rate(r, n, &p->max_overruns) : st;
}
