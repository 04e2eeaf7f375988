#include "release/owner_report.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "store/file.h"

/* So much of a release's name is enough in a path that people type. */
enum { ID_LETTERS = 16 };

static const char *const FILES[] = {"private-report.html",
                                    "private-report.json"};

static custos_status
join(const char *folder, const char *name, char out[STORE_PATH_MAX],
     custos_err *err)
{
    if (snprintf(out, STORE_PATH_MAX, "%s/%s", folder, name) < STORE_PATH_MAX)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL, "the path is too long");
}

/* Is the path in what is published, or will be, or in the store, where it could be
   taken for a release? */
static custos_status
check_place(const char *path, const char *store, const struct folder *out,
            custos_err *err)
{
    if (folder_would_be_in(path, out->path))
        return custos_fail(err, CUSTOS_EINVAL,
                           "%.150s is inside the folder to publish" HINT
                           "the report is not private: name a folder elsewhere",
                           path);
    if (folder_would_be_in(path, store))
        return custos_fail(err, CUSTOS_EINVAL,
                           "%.150s is inside the store" HINT
                           "the store has the report anyway: name a folder "
                           "elsewhere",
                           path);
    if (folder_above_has(path, "synopsis.custos"))
        return custos_fail(err, CUSTOS_EINVAL,
                           "%.150s is inside a folder of a release" HINT
                           "the report is not private: name a folder elsewhere",
                           path);
    return CUSTOS_OK;
}

static custos_status
place_copy(const char *path, const char *store, const struct folder *out,
           char copy[STORE_PATH_MAX], custos_err *err)
{
    struct folder f;
    custos_status st = check_place(path, store, out, err);

    if (st)
        return st;
    st = folder_place(path, NULL, &f, err);
    if (!st)
        memcpy(copy, f.path, sizeof f.path);
    return st;
}

custos_status
owner_report_place(const char *store, const char *id, const char *copy,
                   const struct folder *out, struct owner_report *report,
                   custos_err *err)
{
    char name[64];

    snprintf(name, sizeof name, "reports/%.*s", ID_LETTERS, id);
    report->copy[0] = '\0';
    if (join(store, name, report->path, err))
        return CUSTOS_EINVAL;
    return copy ? place_copy(copy, store, out, report->copy, err) : CUSTOS_OK;
}

/* Makes the folder, and the one above it, if need be. */
static custos_status
make_folder(const char *path, custos_err *err)
{
    char above[STORE_PATH_MAX];
    custos_status st = CUSTOS_OK;

    snprintf(above, sizeof above, "%.*s", (int)(strrchr(path, '/') - path),
             path);
    if (access(above, F_OK))
        st = folder_new(above, err);
    return st || !access(path, F_OK) ? st : folder_new(path, err);
}

static custos_status
copy_files(const char *from, const char *to, custos_err *err)
{
    char path[2][STORE_PATH_MAX];
    custos_status st = folder_new(to, err);

    for (size_t i = 0; !st && i < COUNT_OF(FILES); i++) {
        st = join(from, FILES[i], path[0], err);
        if (!st)
            st = join(to, FILES[i], path[1], err);
        if (!st)
            st = file_copy(path[0], path[1], err);
    }
    return st;
}

custos_status
owner_report_write(const struct owner_report *report, const struct schema *s,
                   const struct coded *rows,
                   const struct synthetic_rows *synthetic,
                   void (*progress)(void *ctx, unsigned done), void *ctx,
                   custos_err *err)
{
    const uint16_t *const *codes;
    custos_status st = CUSTOS_OK;

    if (rows) {
        const size_t n = coded_rows(rows, &codes);

        st = make_folder(report->path, err);
        if (!st)
            st = private_report_write(s, codes, n, synthetic, SIZE_MAX,
                                      report->path, progress, ctx, err);
    } else if (*report->copy && access(report->path, F_OK)) {
        st = custos_fail(err, CUSTOS_ENAME,
                         "the store has no report of this release");
    }
    return st || !*report->copy ? st
                                : copy_files(report->path, report->copy, err);
}
