#include "release/publish.h"

#include <stdio.h>

#include "base/error.h"
#include "release/products.h"
#include "store/store.h"

custos_status
release_publish(const struct synopsis *s, const char *folder, uint64_t rows,
                uint64_t most, custos_rng *rng,
                const struct products_options *o, struct synthetic_rows *drawn,
                custos_err *err)
{
    const size_t can = synthetic_rows_most(s->schema->domain.n);
    struct synthetic_rows made = {.n = 0};
    char path[STORE_PATH_MAX];
    custos_status st;

    if (snprintf(path, sizeof path, "%s/synopsis.custos", folder) >=
        (int)sizeof path)
        return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
    if (most > can)
        most = can;
    if (rows == 0)
        rows = s->model && s->model->total > (double)most
                   ? most
                   : SYNTHETIC_ROWS_NOISY;
    st = synopsis_write(s, path, err);
    if (!st)
        st = synthetic_draw(s, rng, rows, &made, err);
    if (!st)
        st = products_write(s, &made, rng, o, folder, err);
    if (st)
        synthetic_free(&made);
    else
        *drawn = made;
    return st;
}
