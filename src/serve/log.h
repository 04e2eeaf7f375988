/*
 * The operator's log: one line of logfmt per event, on standard error.
 *
 *     time=2026-01-31T12:00:00.000Z event=login pg=7 from="127.0.0.1" who="ana"
 *
 * It holds names, addresses, times, statuses, numbers of ledger rows, and the
 * cause of a failure as a word of a closed list (log_cause.c). It never holds
 * data, the text or literals of a query, or the engine's messages
 * (custos_err.noted), which may quote data and queries: logs are kept long and
 * copied widely.
 */
#ifndef SERVE_LOG_H
#define SERVE_LOG_H

#include <stdint.h>

#include "base/str.h"
#include "custos.h"

/* A line being built. Call log_begin, add pairs, then call log_end, which hands
   the line over in one piece: to the log's writer (log_writer.h) if one runs,
   else to the descriptor at once. */
struct log_line {
    char text[1024];
    size_t len;
};

void log_begin(struct log_line *l, const char *event);
/* Names are our own constants; values are quoted, and cut at 400 bytes. */
void log_text(struct log_line *l, const char *name, str value);
void log_int(struct log_line *l, const char *name, int64_t value);
void log_end(struct log_line *l, int fd);

/* If err has a note, adds cause="...", a word from our list; nothing of the note
   itself is logged. */
void log_cause(struct log_line *l, const custos_err *err);
const char *log_cause_of(const custos_err *err);

/* An event with a sentence: event=..., said="..." */
void log_say(const char *event, const char *said);

enum { LOG_FD = 2 };

#endif
