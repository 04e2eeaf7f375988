#include "base/error.h"
#include "engine/work.h"

custos_status
run_fold(struct engine *e, const struct plan *plan, struct exact *x,
         custos_err *err)
{
    (void)e;
    (void)plan;
    (void)x;
    return custos_fail(err, CUSTOS_EENGINE, "not written yet");
}

custos_status
run_general(struct engine *e, const struct plan *plan, struct exact *x,
            custos_err *err)
{
    (void)e;
    (void)plan;
    (void)x;
    return custos_fail(err, CUSTOS_EENGINE, "not written yet");
}
