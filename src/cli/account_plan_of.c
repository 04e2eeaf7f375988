/* Makes a plan from --mechanism options. */
#include <string.h>

#include "cli/account.h"

int
account_plan_of(const struct args *args, const char *adjacency,
                custos_plan **out)
{
    custos_adjacency how;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code = account_read_adjacency(adjacency, &how);

    *out = NULL;
    if (code)
        return code;
    if (args->n_many == 0)
        return fail_usage("--mechanism is missing" HINT
                          "give one, as in --mechanism "
                          "laplace:epsilon=0.1:count=100");
    st = custos_plan_new(NULL, how, out, &err);
    for (size_t i = 0; i < args->n_many && !st; i++) {
        st = custos_plan_add(*out, args->many[i], &err);
        if (st == CUSTOS_EINVAL || st == CUSTOS_EPARSE || st == CUSTOS_ERANGE)
            code = fail_usage("--mechanism %.60s: %s" HINT "%s", args->many[i],
                              err.said, err.hint);
    }
    if (st && !code)
        code = fail_status(st, &err);
    if (code) {
        custos_plan_free(*out);
        *out = NULL;
    }
    return code;
}
