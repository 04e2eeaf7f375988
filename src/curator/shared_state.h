/*
 * What all handles on one store share, and the snapshot they answer from: a
 * policy with the data imported under it. A question keeps its snapshot from
 * beginning to end, even if a newer one comes into force meanwhile.
 */
#ifndef CURATOR_SHARED_STATE_H
#define CURATOR_SHARED_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "curator/catalogs.h"
#include "curator/curator.h"
#include "curator/executor.h"
#include "curator/ledger_writer.h"
#include "plan/reply_class.h"

struct snapshot {
    atomic_size_t holders;
    arena *a;
    struct policy *policy;
    struct engine *engine; /* handles share it, under the mutex */
    struct catalogs *catalogs;
    struct work_snapshot of; /* as the store numbers it */
    struct reply_speeds speeds;
    bool measured;         /* speeds are this machine's, else the usual ones */
    uint64_t rows_version; /* of the data that its row bounds are for */
};

/* Since the store was opened, for operators. */
struct trips {
    _Atomic uint64_t failures, overruns, refusals, no_room, delayed;
};

struct shared_state {
    pthread_mutex_t mutex; /* guards all but the ledger writer and atomics */
    size_t handles;
    struct store store;
    struct stat current; /* of the file that says what is in force */
    struct snapshot *snapshot;
    struct ledger_writer *writer; /* NULL in a worker, which has no ledger */
    int crashes;                  /* the file of marks, or none (crash.h) */
    _Atomic uint64_t
        crashes_seen;       /* its crash_size when no mark was left in it */
    atomic_bool unreadable; /* it has an unreadable mark: nobody is charged */
    atomic_bool unwritten;  /* a failure has no row yet: nobody is charged */
    struct trips trips;
};

struct curator {
    struct shared_state *shared;
    struct snapshot *snapshot;
    pthread_mutex_t mutex; /* guards engine, for curator_interrupt */
    struct engine *engine; /* of the snapshot; NULL: not connected yet */
    struct ledger *ledger; /* to read from */
    custos_rng *rng;
    struct mechs *mechs;             /* of its last questions */
    const struct executor *executor; /* NULL: this thread works */
    enum curator_trip trip;
    uint64_t trip_seq;
    uint64_t crashes, crash_row; /* not reported yet: curator_crashes */
};

#endif
