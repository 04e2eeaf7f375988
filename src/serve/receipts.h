/*
 * Exports receipts to another place, so that `custos ledger verify --against`
 * can tell if the ledger was restored from an older copy.
 *
 * A thread follows the chain with a handle of its own, and sends the number,
 * hash and time of each row that any process has committed. The chain itself is
 * the queue: charges never wait for the export, and rows that could not be
 * sent are sent again later. (UDP does not report every loss.)
 */
#ifndef SERVE_RECEIPTS_H
#define SERVE_RECEIPTS_H

#include "curator/curator.h"
#include "serve/counts.h"

enum receipts_kind {
    RECEIPTS_FILE,
    RECEIPTS_SYSLOG_UDP,
    RECEIPTS_SYSLOG_TCP,
    RECEIPTS_HTTP,
};

struct receipts_target {
    enum receipts_kind kind;
    char host[128], port[8];
    char path[512]; /* of a file, or of a request */
};

/* file:PATH, syslog:HOST:PORT (UDP), syslog+tcp:HOST:PORT or
   http://HOST:PORT/path. May fail: CUSTOS_EINVAL. */
CUSTOS_MUST_USE custos_status receipts_target_read(const char *text,
                                                   struct receipts_target *out,
                                                   custos_err *err);

struct receipts;

/*
 * A file is continued after its last line; other targets begin with the newest
 * row, whose hash vouches for all rows before it. May fail: CUSTOS_EIO (the file
 * cannot be written), CUSTOS_ENOMEM, and as curator_share and reading the
 * ledger do.
 */
CUSTOS_MUST_USE custos_status receipts_start(struct curator *c,
                                             const struct receipts_target *to,
                                             struct counts *counts,
                                             struct receipts **out,
                                             custos_err *err);

/* Sends what is left, unless the last attempt failed; then ends. */
void receipts_stop(struct receipts *r);

/* Number of rows not yet sent when the thread last looked. */
uint64_t receipts_lag(const struct receipts *r);

/* Sends lines to the target. False: not all could be sent; the caller sends all of
   them again later. For receipts.c alone. */
struct receipts_line {
    str text; /* "17:9f3c... 2026-11-17T00:00:00.000000Z" */
};
bool receipts_send(const struct receipts_target *to, int file,
                   const struct receipts_line *lines, size_t n);

#endif
