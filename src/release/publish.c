#include "release/publish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "store/store.h"
#include "synopsis/synthetic.h"
#include "synopsis/tables.h"

static custos_status
join(const char *folder, const char *name, char out[STORE_PATH_MAX],
     custos_err *err)
{
    if (snprintf(out, STORE_PATH_MAX, "%s/%s", folder, name) < STORE_PATH_MAX)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
}

static custos_status
publish_synopsis(const struct synopsis *s, const char *folder, custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st = join(folder, "synopsis.custos", path, err);

    return st ? st : synopsis_write(s, path, err);
}

static custos_status
publish_tables(const struct synopsis *s, const struct synthetic_rows *rows,
               const char *folder, arena *a, custos_err *err)
{
    struct tables_list tables;
    char path[STORE_PATH_MAX];
    custos_status st = join(folder, "tables", path, err);

    if (!st && mkdir(path, 0777))
        st = custos_fail(err, CUSTOS_EIO, "cannot create %.150s: %s", path,
                         strerror(errno));
    return st ? st
              : tables_write(s, rows, TABLES_UNBIASED, path, a, NULL, NULL,
                             &tables, err);
}

custos_status
release_publish(const struct synopsis *s, const char *folder, uint64_t rows,
                custos_rng *rng, arena *a, custos_err *err)
{
    struct synthetic_rows drawn = {.n = 0};
    struct table_file file;
    custos_status st = publish_synopsis(s, folder, err);

    if (!st)
        st = synthetic_draw(s, rng, rows ? rows : SYNTHETIC_ROWS_NOISY, &drawn,
                            err);
    if (!st)
        st = publish_tables(s, &drawn, folder, a, err);
    if (!st)
        st = synthetic_write(s, &drawn, rng, folder, a, NULL, NULL, &file, err);
    synthetic_free(&drawn);
    return st;
}
