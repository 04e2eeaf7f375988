/*
 * What an audit found, for people and for programs: as text, as JSON, as one HTML
 * page with the event drawn, and the drawing alone as SVG. All of them say what
 * was refuted, how sure that is, and how to see it again.
 */
#ifndef AUDIT_REPORT_H
#define AUDIT_REPORT_H

#include "audit/audit.h"
#include "base/json.h"

enum { REPORT_NUMBER_MAX = 32 };

/* What every report ends with. */
#define REPORT_LIMITS                                                          \
    "An audit refutes and never proves: an event that it did not look for, "   \
    "or that is too rare for its samples, stays unseen."

/* One of the neighbours, if its values would tell a reader nothing. */
struct neighbour {
    const char *words; /* NULL: its values are shown */
    size_t rows;       /* of the person in whom the neighbours differ */
};

struct report {
    const struct finding *finding;
    const char *title; /* what was audited: a name, or a command */
    const char *again; /* a command line that runs it again */
    const char *note;  /* may be NULL: what the reader should know besides */
    struct neighbour a, b; /* of the finding's pair */
};

void report_text(const struct report *r, struct buf *out);

/* Members of an object that the caller has opened: Audit in contract.txt. */
void report_json(const struct report *r, struct json *j);

void report_html(const struct report *r, struct buf *out);

/* A whole SVG document; it can also stand inside an HTML page. */
void report_svg(const struct report *r, struct buf *out);

/* ---------------------------------------------------- pieces of all forms -- */

/* "epsilon 0.1 at delta 1e-06", "mu 0.5 (Gaussian differential privacy)", and the
   same for rho. */
void report_claim(const struct claim *claim, struct buf *out);

/* The result in one sentence. */
void report_verdict(const struct finding *f, struct buf *out);

/* "95 %", "99.9999 %". */
void report_confidence(double level, char text[REPORT_NUMBER_MAX]);

/* A bound from below with four digits, never rounded up. */
void report_down(double x, char text[REPORT_NUMBER_MAX]);
/* A bound from above, never rounded down. */
void report_up(double x, char text[REPORT_NUMBER_MAX]);

/* What a neighbour has: its words, or the first of its values. Returns how many
   rows that are. */
size_t report_neighbour(const struct neighbour *n, const struct data *data,
                        struct buf *out);

/* 12345 as 12,345. */
void report_count(uint64_t n, char text[REPORT_NUMBER_MAX]);

/* Text for HTML and SVG: markup is escaped, control characters become blanks. */
void report_escape(const char *text, struct buf *out);

/* Why the counts refute it, in one sentence; empty if they show nothing. */
void report_reason(const struct finding *f, struct buf *out);

#endif
