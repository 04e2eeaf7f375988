/*
 * One store and the curator opened on it, for programs whose cases each have a
 * store of their own: the set-up writes the files and calls open_store, and end
 * is the tear-down.
 */
#ifndef TEST_CURATOR_OPENED_H
#define TEST_CURATOR_OPENED_H

#include "support/hospital.h"

static struct test_store files;
static struct curator *c;

static inline void
reopen(void)
{
    curator_close(c);
    c = NULL;
    c = test_open(&files);
}

/* Imports what test_store_write has written. */
static inline void
open_store(void)
{
    test_store_init(&files);
    reopen();
}

static inline int
end(void **state)
{
    (void)state;
    curator_close(c);
    c = NULL;
    test_store_remove(&files);
    return 0;
}

#endif
