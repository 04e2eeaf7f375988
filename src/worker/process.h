/*
 * One worker process, from the server's side: start, messages, end. The server
 * owns the worker's folder of temporary files, so that nothing is left behind
 * however the worker ends.
 */
#ifndef WORKER_PROCESS_H
#define WORKER_PROCESS_H

#include <sys/types.h>

#include "store/store.h"
#include "worker/channel.h"

struct process_options {
    const char *command; /* the program: custos */
    const struct store *store;
    uint64_t memory_bytes;
    int nice; /* added to the server's nice value */
    steady_clock now_us;
};

struct process {
    pid_t pid;
    struct channel to;
    struct work_snapshot of;
    char spill[STORE_PATH_MAX];
    int held; /* the lock on its folder */
};

/* Why it ended. */
enum process_death {
    DEATH_KILLED, /* by SIGKILL, from the server or from outside */
    DEATH_FAULT,  /* by itself: it crashed or exited */
};

/*
 * Starts a worker on a snapshot and waits, no longer than until_us, until it is
 * ready. The worker dies with the thread that calls this. May fail: CUSTOS_EIO,
 * CUSTOS_ENOMEM, and with the errors of opening the data.
 */
CUSTOS_MUST_USE custos_status process_start(const struct process_options *o,
                                            const struct work_snapshot *of,
                                            int64_t until_us,
                                            struct process *out,
                                            custos_err *err);

/* Ends it if it still runs, reaps it, and clears its folder. */
enum process_death process_end(struct process *p);

#endif
