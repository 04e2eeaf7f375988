/*
 * All stores are made of one set of generated people, and the neighbours beside
 * the first store, whose secret they share: a different secret would choose other
 * rows of everybody, and not only of the person who is tried.
 */
#include "audit/stranger/stores.h"

#include <stdio.h>
#include <stdlib.h>

#include "audit/stranger/data_words.h"
#include "base/error.h"

enum { WORDS_MAX = 1 << 14 };

/* Store number i < targets has target i; the last has none of them. */
static int
target_of(const struct stores *s, size_t i)
{
    return i < s->options.targets ? (int)i : DATA_NOBODY;
}

static void
describe_stores(struct stores *s)
{
    size_t last = s->options.targets;

    for (size_t i = 0; i <= last; i++) {
        size_t rows;

        buf_init(&s->words[i], NULL, WORDS_MAX);
        rows = data_words(s->options.schema, &s->data, target_of(s, i),
                          &s->words[i]);
        s->neighbour[i] = (struct neighbour){buf_text(&s->words[i]), rows};
        s->number[i] = (double)i;
    }
    for (size_t i = 0; i < last; i++) {
        s->pair[i] =
            (struct pair){.a = {&s->number[i], 1}, .b = {&s->number[last], 1}};
        snprintf(s->pair[i].name, sizeof s->pair[i].name,
                 "with and without target person %zu", i + 1);
    }
}

/* Serves the next store: the first, or a neighbour of it. */
static custos_status
start_next(struct stores *s, custos_err *err)
{
    const struct stranger_options o = {
        .program = s->options.program,
        .analysts = s->options.analysts,
        .clock = CLOCK_NONE,
        .workers = 1, /* of each store; there are as many stores as cores */
    };
    const struct schema *schema = s->options.schema;
    struct stranger_server *out = &s->server[s->n];
    size_t n = schema->n_tables;
    struct buf *csv = calloc(n + 1, sizeof *csv);
    str *texts = calloc(n + 1, sizeof *texts);
    custos_status st;

    if (!csv || !texts)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else
        st = data_write(&s->data, target_of(s, s->n), csv, err);
    if (!st) {
        for (size_t i = 0; i < n; i++)
            texts[i] = (str){csv[i].ptr, csv[i].len};
        st = s->n
                 ? stranger_start_beside(&s->server[0], schema, texts, out, err)
                 : stranger_start(schema, texts, &o, out, err);
        for (size_t i = 0; i < n; i++)
            buf_clear(&csv[i]);
    }
    s->n += !st;
    free(csv);
    free(texts);
    return st;
}

custos_status
stores_start(struct stores *s, const struct stores_options *options,
             custos_err *err)
{
    str hints[DATA_HINTS_MAX];
    const struct data_options o = {
        .seed = options->seed,
        .people = options->people,
        .targets = options->targets,
        .hints = hints,
        .n_hints = data_hints_of(options->sql, hints),
    };
    custos_status st = data_make(options->schema, &o, &s->data, err);

    s->options = *options;
    if (st)
        return st;
    describe_stores(s);
    return start_next(s, err);
}

custos_status
stores_add_neighbours(struct stores *s, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    while (!st && s->n <= s->options.targets)
        st = start_next(s, err);
    return st;
}

custos_status
stores_show_times(struct stores *s, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < s->n && !st; i++)
        st = stranger_restart(&s->server[i], CLOCK_PUBLIC, err);
    return st;
}

struct neighbour
stores_neighbour(const struct stores *s, const struct data *data)
{
    return s->neighbour[(size_t)data->value[0]];
}

void
stores_stop(struct stores *s)
{
    for (size_t i = 0; i < s->n; i++)
        stranger_stop(&s->server[i]);
    s->n = 0;
}

void
stores_clear(struct stores *s)
{
    for (size_t i = 0; i <= STORES_TARGETS_MAX; i++)
        buf_clear(&s->words[i]);
    data_clear(&s->data);
}
