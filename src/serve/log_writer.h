/*
 * The log's writer: a bounded queue of lines and one thread that writes them to
 * standard error. If nobody reads the log, threads that log still never wait.
 * Lines that find the queue full are dropped and counted, and a line says how
 * many once there is room again.
 */
#ifndef SERVE_LOG_WRITER_H
#define SERVE_LOG_WRITER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "custos.h"

enum {
    LOG_QUEUE_BYTES = 1 << 18,
    LOG_STOP_MS = 1000, /* to write what is left when the server stops */
};

/*
 * At most one writer runs in a process. *dropped counts the lines that found the
 * queue full. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status log_writer_start(int fd,
                                               _Atomic uint64_t *dropped,
                                               custos_err *err);

/* Writes the queued lines; waits for that at most LOG_STOP_MS and 2 s more. No-op
   if no writer was started. */
void log_writer_stop(void);

/* Queues or drops a line. False: no writer runs for this descriptor. */
bool log_writer_put(int fd, const char *line, size_t len);

#endif
