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
#include "plan/cost/reply_class.h"

struct snapshot {
    atomic_size_t holders;
    arena *a;
    struct policy *policy;
    struct engine *engine; /* shared by all handles, under the mutex */
    struct catalogs *catalogs;
    struct work_snapshot of; /* its numbers in the store */
    struct reply_speeds speeds;
    bool measured;         /* speeds were measured on this machine; else
                              defaults */
    uint64_t rows_version; /* the data version that its row bounds are for */
};

/* Counts since the store was opened, for operators. */
struct trips {
    _Atomic uint64_t failures, overruns, refusals, no_room, delayed;
};

struct shared_state {
    pthread_mutex_t mutex; /* guards everything except the ledger writer and
                              atomics */
    size_t handles;
    struct store store;
    struct stat current; /* stat of the file `current` */
    struct snapshot *snapshot;
    struct ledger_writer *writer; /* NULL in a worker, which has no ledger */
    int crashes;                  /* descriptor of the crash file, or
                                     CRASH_NO_FILE, CRASH_READ_ONLY */
    _Atomic uint64_t
        crashes_seen;       /* crash_size when all marks in the file had been
                               taken up */
    atomic_bool unreadable; /* the crash file has an unreadable mark: nobody is
                               charged */
    atomic_bool unwritten;  /* a failure could not be written: nobody is
                               charged */
    struct trips trips;
};

struct curator {
    struct shared_state *shared;
    struct snapshot *snapshot;
    pthread_mutex_t mutex; /* guards engine, for curator_interrupt */
    struct engine *engine; /* of the snapshot; NULL: not connected yet */
    struct ledger *ledger; /* see curator_ledger */
    custos_rng *rng;
    struct mechs *mechs;             /* mechanisms cached from earlier
                                        questions */
    const struct executor *executor; /* NULL: this thread does the work */
    enum curator_trip trip;
    uint64_t trip_seq;
    uint64_t crashes, crash_row; /* not yet reported by curator_crashes */
};

#endif
