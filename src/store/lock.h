/* The lock of imports without the cleaning, for changes of `current`. */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include "store/store.h"

/* May fail: CUSTOS_EBUSY, CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status import_take(struct store *s, custos_err *err);

#endif
