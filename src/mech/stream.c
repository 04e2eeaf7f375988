/*
 * Partial sums of elements that arrive one after the other: the same steps as a
 * release of all sums at once (sums.c), with a state that is kept in between.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "mech/sealed.h"
#include "mech/sums.h"

struct custos_stream {
    custos_alloc alloc;
    custos_sums *sums;
    struct sums_run run;
};

custos_status
custos_stream_new(const custos_alloc *alloc, const custos_sums_options *options,
                  custos_stream **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_stream *made = NULL;
    custos_sums *sums = NULL;
    custos_status st;

    if (!out)
        return custos_fail(err, CUSTOS_EINVAL, "out must not be NULL");
    st = custos_sums_new(alloc, options, &sums, err);
    if (st)
        return st;
    made = alloc_take(&hooks, 1, sizeof *made);
    if (!made) {
        custos_sums_free(sums);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    made->alloc = hooks;
    made->sums = sums;
    if (sums->method == CUSTOS_SQUARE_ROOT) {
        made->run.elements = alloc_take(&hooks, sums->n, sizeof(i128));
        made->run.solved = alloc_take(&hooks, sums->n, sizeof(i128));
        if (!made->run.elements || !made->run.solved) {
            custos_stream_free(made);
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        }
    }
    *out = made;
    return CUSTOS_OK;
}

void
custos_stream_free(custos_stream *stream)
{
    custos_alloc hooks;

    if (!stream)
        return;
    hooks = stream->alloc;
    alloc_give(&hooks, stream->run.elements, stream->sums->n, sizeof(i128));
    alloc_give(&hooks, stream->run.solved, stream->sums->n, sizeof(i128));
    custos_sums_free(stream->sums);
    alloc_give(&hooks, stream, 1, sizeof *stream);
}

size_t
custos_stream_left(const custos_stream *stream)
{
    return stream ? stream->sums->n - stream->run.t : 0;
}

const custos_sums *
custos_stream_sums(const custos_stream *stream)
{
    return stream ? stream->sums : NULL;
}

/* The draws are made before the seal is opened, so that a failure uses up
   neither the elements nor the stream. */
custos_status
custos_stream_add(custos_stream *stream, custos_rng *rng,
                  custos_sealed *elements, int64_t *out, size_t n,
                  custos_err *err)
{
    i128 *values, *draws;
    custos_status st;

    if (!stream || !rng || !elements || !out || n == 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "stream, rng, elements and out must not be NULL, "
                           "nor n 0");
    if (n > custos_stream_left(stream))
        return custos_fail(err, CUSTOS_ESPENT,
                           "the stream takes only %zu more elements, not %zu",
                           custos_stream_left(stream), n);
    draws = alloc_take(&stream->alloc, n, sizeof *draws);
    if (!draws)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = noise_draw(stream->sums->noise, rng, draws, n);
    if (st)
        custos_fail(err, st, "%s", custos_status_words(st));
    else
        st = sealed_open(elements, SEALED_INTS, n, &values, err);
    if (!st) {
        sums_next(stream->sums, &stream->run, values, draws, out, n);
        sealed_wipe(elements);
    }
    alloc_give(&stream->alloc, draws, n, sizeof *draws);
    return st;
}
