/* Shared by the files of this folder: taking the import lock to change `current`,
   without removing leftovers; and the file names of versions. */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include "store/store.h"

/* May fail: CUSTOS_EBUSY, CUSTOS_EIO, and as store_refresh does. */
CUSTOS_MUST_USE custos_status import_take(struct store *s, custos_err *err);

/* The version whose data file has this name; false if the name is not that of a
   data file. */
bool version_of_name(const char *name, uint64_t *number);

#endif
