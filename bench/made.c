/* Makes the store in the same way as `custos init`. */
#include "made.h"

#include <stdio.h>
#include <stdlib.h>

#include "curator/init.h"
#include "measure.h"

enum { PATH_ROOM = 600, ARENA = 1 << 26 };

_Noreturn void
made_stop(const char *what, const custos_err *err)
{
    printf("bench: FAILED: %s: %s (%s)\n", what, err->said, err->noted);
    exit(1);
}

static void
no_progress(void *ctx, uint64_t done, uint64_t total, const char *what)
{
    (void)ctx;
    (void)done;
    (void)total;
    (void)what;
}

void
made_store(const char *folder, const char *policy)
{
    char path[PATH_ROOM], store[PATH_ROOM];
    arena *a = arena_new(NULL, ARENA);
    struct init_report report;
    custos_err err = CUSTOS_ERR_INIT;
    double t;
    FILE *f;

    snprintf(path, sizeof path, "%s/policy.yaml", folder);
    snprintf(store, sizeof store, "%s/store", folder);
    f = fopen(path, "we");
    if (!f || fputs(policy, f) < 0 || fclose(f))
        exit(1);
    t = measure_seconds();
    if (curator_init(path, store, LOSS_PPM_DEFAULT, 1, no_progress, NULL, a,
                     &report, &err))
        made_stop("init", &err);
    printf("import %.0f s\n", measure_seconds() - t);
    arena_free(a);
}

void
made_tiny(struct duck_connection *c, const char *folder)
{
    char sql[PATH_ROOM + 200];
    custos_err err = CUSTOS_ERR_INIT;

    snprintf(sql, sizeof sql,
             "COPY (SELECT i %% 40 AS person, i %% 50 AS shop, i * 1.0 AS "
             "amount FROM range(100) t(i)) TO '%s/tiny.parquet'",
             folder);
    if (duck_do(c, sql, &err))
        made_stop("tiny", &err);
}
