/*
 * A folder of its own for every case, and a path in it that does not exist yet.
 */
#ifndef TEST_STORE_PLACE_H
#define TEST_STORE_PLACE_H

#include <stdio.h>

#include "store/file.h"
#include "support/support.h"

struct place {
    char folder[64], path[96];
    custos_err err;
};

static inline int
set_up(void **state)
{
    struct place *p = calloc(1, sizeof *p);

    p->err = (custos_err)CUSTOS_ERR_INIT;
    snprintf(p->folder, sizeof p->folder, "/tmp/custos-store-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/here", p->folder);
    *state = p;
    return 0;
}

static inline int
tear_down(void **state)
{
    struct place *p = *state;

    tree_remove(p->folder);
    free(p);
    return 0;
}

#endif
