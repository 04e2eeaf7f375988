/*
 * The report that ships with a release: what it promises, what was measured with how
 * much noise, how accurate the tables are, and how to use the files. It is made from
 * noise levels, bounds and released values; nothing in it was compared with the data.
 */
#ifndef SYNOPSIS_PUBLIC_REPORT_H
#define SYNOPSIS_PUBLIC_REPORT_H

#include "synopsis/tables.h"

/* Writes DIR/report.html and DIR/report.json. facts: of the workload's tables; rows:
   how many synthetic rows were written, 0: none. May fail: CUSTOS_EIO, CUSTOS_EINVAL
   (the path is too long), CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status
public_report_write(const struct synopsis *s, const struct table_facts *facts,
                    size_t rows, const char *dir, custos_err *err);

#endif
