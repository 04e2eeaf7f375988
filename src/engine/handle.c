/*
 * The calls of engine.h that an engine answers by itself.
 */
#include "engine/handle.h"

custos_status
engine_share(struct engine *e, struct engine **out, custos_err *err)
{
    return e->ops->share(e, out, err);
}

void
engine_close(struct engine *e)
{
    if (!e)
        return;
    engine_unprepare(e);
    e->ops->close(e);
}

void
engine_interrupt(struct engine *e)
{
    e->ops->interrupt(e);
}

uint64_t
engine_version(const struct engine *e)
{
    return e->version;
}
