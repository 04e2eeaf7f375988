#include "release/publish.h"

#include <stdio.h>

#include "base/error.h"
#include "release/products.h"
#include "store/store.h"

/* Of a file that this store wrote. */
#define READ_BYTES ((size_t)1 << 34)

static custos_status
synopsis_path(const char *folder, char out[STORE_PATH_MAX], custos_err *err)
{
    if (snprintf(out, STORE_PATH_MAX, "%s/synopsis.custos", folder) <
        STORE_PATH_MAX)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
}

custos_status
release_publish(const struct synopsis *s, const char *folder, uint64_t rows,
                uint64_t most, custos_rng *rng,
                const struct products_options *o, struct synthetic_rows *drawn,
                custos_err *err)
{
    const size_t can = synthetic_rows_most(s->schema->domain.n);
    struct synthetic_rows made = {.n = 0};
    char path[STORE_PATH_MAX];
    custos_status st = synopsis_path(folder, path, err);

    if (most > can)
        most = can;
    if (rows == 0)
        rows = s->model && s->model->total > (double)most
                   ? most
                   : SYNTHETIC_ROWS_NOISY;
    if (!st)
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

custos_status
release_publish_consistent(const char *folder, const struct products_options *o,
                           custos_err *err)
{
    arena *a = arena_new(NULL, READ_BYTES);
    struct synopsis *s = NULL;
    char path[STORE_PATH_MAX];
    custos_status st = a ? synopsis_path(folder, path, err)
                         : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st)
        st = synopsis_read(a, path, &s, err);
    if (!st) {
        st = products_write_consistent(s, o, folder, err);
        synopsis_close(s);
    }
    arena_free(a);
    return st;
}
