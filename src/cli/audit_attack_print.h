/* Prints the reports of `custos audit attack`. */
#ifndef CLI_AUDIT_ATTACK_PRINT_H
#define CLI_AUDIT_ATTACK_PRINT_H

#include "audit/attack/attack.h"
#include "base/json.h"
#include "cli/chart.h"

/* A chart and what it borrows besides the report. */
struct attack_picture {
    struct chart chart;
    struct chart_bar bars[ATTACK_ROWS_MAX];
};

/* Without curves, the rows of the first measure as bars. Borrows r. */
void
attack_make_picture(const struct attack_report *r, struct attack_picture *p);

void attack_print_text(struct out *o, const struct attack *attack,
                       const struct attack_report *r);

/* Writes an element of a list that is open. */
void attack_print_json(struct json *j, const struct attack *attack,
                       const struct attack_report *r);

#endif
