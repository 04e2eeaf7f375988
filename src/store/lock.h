/* What the files of this folder share: the lock of imports without the
   cleaning, for changes of `current`; names of versions. */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include "store/store.h"

/* May fail: CUSTOS_EBUSY, CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status import_take(struct store *s, custos_err *err);

/* The number of a version by the name of its file; false: it is none. */
bool version_of_name(const char *name, uint64_t *number);

#endif
