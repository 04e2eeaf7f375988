/*
 * How much work the quantiles of a part are, once their values have been read and
 * sorted. From public facts alone: ceilings of rows and groups, and the options.
 */
#ifndef PLAN_COST_QUANTILE_WORK_H
#define PLAN_COST_QUANTILE_WORK_H

#include "plan/plan.h"

/*
 * The most picoseconds for at most so many rows and groups, where a row takes
 * `row_ps` to be read and sorted; `levels` as plan_levels(). Saturates.
 */
uint64_t quantile_work(const struct part_quantiles *q, uint64_t rows,
                       uint64_t groups, uint64_t levels, uint64_t row_ps);

#endif
