/*
 * A synopsis as bytes: refused, or read into one that can be written, and that
 * answers. Memory stays in proportion to the bytes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "synopsis/codec.h"
#include "synth/infer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { LEN_MAX = 1 << 16, WRITTEN_MAX = 1 << 24, CELLS_MAX = 1 << 12 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static void
ask_model(const struct model *m)
{
    static double out[CELLS_MAX];

    for (size_t i = 0; i < m->domain.n && i < 4; i++) {
        const struct colset set = colset_of(i);

        if (domain_cells(&m->domain, set) > CELLS_MAX)
            continue;
        require(!model_marginal(m, set, CELLS_MAX, out, NULL));
        for (size_t k = 0; k < domain_cells(&m->domain, set); k++)
            require(out[k] >= 0);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    arena *a = arena_new(NULL, 24 * len + (1 << 20));
    custos_err err = CUSTOS_ERR_INIT;
    struct synopsis *s = NULL;
    custos_status st;
    struct buf b;

    require(a != NULL);
    if (len > LEN_MAX)
        goto out;
    st = synopsis_unpack(a, (str){(const char *)data, len}, &s, &err);
    if (st) {
        require(!s && err.said[0]);
        require(st == CUSTOS_ECORRUPT || st == CUSTOS_EOVERFLOW);
    } else {
        buf_init(&b, NULL, WRITTEN_MAX);
        synopsis_pack(s, &b);
        require(!b.failed);
        buf_clear(&b);
        if (s->model)
            ask_model(s->model);
    }
    synopsis_close(s);
out:
    arena_free(a);
    return 0;
}
