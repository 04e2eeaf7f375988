/*
 * What `custos audit --object FILE.so` calls: one function, which a shared object
 * defines to have its mechanism audited without starting a process for each
 * output.
 *
 *     #include <custos_audit.h>
 *     int
 *     custos_audit_run(const double *data, size_t n, double *out, size_t room,
 *                      size_t *length)
 *     {
 *         ... a mechanism on data[0] ... data[n-1] ...
 *         out[0] = answer;
 *         *length = 1;
 *         return 0;
 *     }
 *
 *     cc -shared -fPIC -o mine.so mine.c
 *     custos audit --object ./mine.so --claim 0.5
 *
 * The header contains nothing but this declaration and needs no library.
 */
#ifndef CUSTOS_AUDIT_H
#define CUSTOS_AUDIT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One output of the mechanism on n values; data may be NULL if n is 0. Writes at
 * most `room` (64) numbers to `out` and how many to *length, which is 0 before.
 * Returns 0 or an error code; the code, the length and the time that the call
 * takes are visible to the auditor, as they are to anybody who uses the
 * mechanism. Every call draws fresh noise.
 *
 * Called by one thread, unless the auditor is told --threads N with N > 1: then
 * by several at the same time.
 */
int custos_audit_run(const double *data, size_t n, double *out, size_t room,
                     size_t *length);

#ifdef __cplusplus
}
#endif

#endif
