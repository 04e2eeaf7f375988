/*
 * `custos synopsis VERB`: asks a synopsis, and shows what is in it. No store, no
 * budget: all of it was released.
 */
#include "cli/cli.h"

#include "base/base.h"

extern const struct verb verb_synopsis_query;
extern const struct verb verb_synopsis_info;

static const struct verb *const subs[] = {&verb_synopsis_query,
                                          &verb_synopsis_info};

const struct verb verb_synopsis = {
    .name = "synopsis",
    .summary = "ask a release, without the data and for free",
    .usage = "synopsis VERB FILE [options]",
    .about =
        "custos release writes a synopsis: one file with noisy tables, a "
        "model of them\nand the receipt of their price. Whoever has the "
        "file can ask it anything, as\noften as they like: it has released "
        "values only. custos serve --synopsis FILE\nshows it to "
        "PostgreSQL clients.",
    .examples = "custos synopsis query synopsis.custos \\\n"
                "    \"SELECT ward, count(*) FROM visits GROUP BY ward\"\n"
                "custos synopsis info synopsis.custos\n",
    .subs = subs,
    .n_subs = COUNT_OF(subs),
    .run = subs_run,
};
