/*
 * Where the report for the owner goes: into the store, and into a folder of the
 * owner's if asked for; never into the folder of a release, which will be published.
 */
#ifndef RELEASE_OWNER_REPORT_H
#define RELEASE_OWNER_REPORT_H

#include "release/coded.h"
#include "release/folder.h"
#include "release/private_report.h"

struct owner_report {
    char path[STORE_PATH_MAX]; /* its folder in the store */
    char copy[STORE_PATH_MAX]; /* another; empty: none */
};

/*
 * Finds the places: `store` is the store's folder, `id` names the release, `out` is the
 * release's place. `copy`: a folder that does not exist yet, or NULL. May fail:
 * CUSTOS_EINVAL (copy exists, or is inside of out, of the store or of any folder with
 * a synopsis), CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status owner_report_place(
    const char *store, const char *id, const char *copy,
    const struct folder *out, struct owner_report *report, custos_err *err);

/*
 * Writes the report, or, without rows, copies the one that the store has. Nothing but
 * this report depends on whether it fails. May fail: as private_report_write;
 * CUSTOS_ENAME (no rows, and the store has none).
 */
CUSTOS_MUST_USE custos_status owner_report_write(
    const struct owner_report *report, const struct schema *s,
    const struct coded *rows, const struct synthetic_rows *synthetic,
    void (*progress)(void *ctx, unsigned done), void *ctx, custos_err *err);

#endif
