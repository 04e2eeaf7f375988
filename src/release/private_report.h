/*
 * The report for the owner alone: a release judged against the true rows
 * (release/judge.h), as a page and as JSON. NOT PRIVATE.
 */
#ifndef RELEASE_PRIVATE_REPORT_H
#define RELEASE_PRIVATE_REPORT_H

#include "release/judge.h"
#include "synopsis/estimate.h"

/*
 * Writes FOLDER/private-report.html and FOLDER/private-report.json, which only the
 * owner of the files may read (mode 0600). The folder must be one that is never
 * published; it is the caller's part to see to that. codes[c][row]: the true rows, by
 * the codes of the schema. target and progress: as judge(). May fail: CUSTOS_EINVAL (no
 * rows), CUSTOS_EIO, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status private_report_write(
    const struct schema *s, const uint16_t *const *codes, size_t n,
    const struct synthetic_rows *synthetic, size_t target, const char *folder,
    void (*progress)(void *ctx, unsigned done), void *ctx, custos_err *err);

#endif
