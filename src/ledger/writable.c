/*
 * Can a charge be written now? For health checks, so it must leave nothing
 * behind: it takes the lock, runs a transaction that writes nothing, and checks
 * the free space.
 */
#include <sys/statvfs.h>

#include "base/error.h"
#include "ledger/inside.h"

static custos_status
step_nothing(struct ledger *l, void *arg, custos_err *err)
{
    (void)l;
    (void)arg;
    (void)err;
    return CUSTOS_OK;
}

custos_status
ledger_check_writable(struct ledger *l, uint64_t *free_bytes, custos_err *err)
{
    struct statvfs disk;
    custos_status st = ledger_write(l, step_nothing, NULL, err);

    *free_bytes = 0;
    if (st)
        return st;
    if (statvfs(l->path, &disk))
        return custos_fail(err, CUSTOS_EIO, "the store's disk cannot be read");
    *free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (*free_bytes < LEDGER_FREE_LEAST)
        return custos_fail(err, CUSTOS_EIO,
                           "the store's disk is nearly full: charges stop when "
                           "the ledger cannot grow" HINT "free some space");
    return CUSTOS_OK;
}
