/*
 * How an entry of the battery is found, run and judged.
 */
#include "audit/battery/battery.h"

#include <string.h>

#include "audit/bound.h"

const struct battery_entry *
battery_find(const char *name)
{
    for (size_t i = 0; i < battery_n_entries; i++)
        if (!strcmp(battery_entries[i].name, name))
            return &battery_entries[i];
    return NULL;
}

custos_status
battery_pairs(const struct battery_entry *entry, struct pairs *out,
              custos_err *err)
{
    custos_status st;

    *out = (struct pairs){0};
    st = patterns_sweep(out, entry->adjacency, entry->dimensions, entry->step,
                        err);
    if (!st && entry->more)
        st = entry->more(out, err);
    if (st)
        pairs_clear(out);
    return st;
}

bool
battery_goal_required(const struct battery_entry *entry, uint64_t n)
{
    return entry->goal > 0 && entry->goal_samples <= BATTERY_GOAL_SAMPLES &&
           n >= entry->goal_samples;
}

enum battery_verdict
battery_judge(const struct battery_entry *entry, const struct finding *finding)
{
    bool reached = finding->epsilon >= entry->goal;

    if (entry->soundness == CORRECT && finding->refuted)
        return BATTERY_FALSE_ALARM;
    if (battery_goal_required(entry, finding->n) && !reached)
        return BATTERY_MISSED;
    if (entry->soundness == CORRECT)
        return BATTERY_QUIET;
    return finding->refuted ? BATTERY_CAUGHT : BATTERY_NOT_CAUGHT;
}

bool
battery_accuses(const struct battery_entry *entry,
                const struct finding *finding, double level)
{
    struct bound b =
        bound_of_counts(finding->hits, finding->other_hits, finding->n,
                        entry->claim.delta, level / (double)finding->finalists);

    return b.epsilon > entry->claim.epsilon;
}

custos_status
battery_run(const struct battery_entry *entry,
            const struct audit_options *options, struct finding *out,
            custos_err *err)
{
    struct audit_options own = *options;
    struct pairs pairs;
    custos_status st = battery_pairs(entry, &pairs, err);

    if (st)
        return st;
    if (!own.samples)
        own.samples = entry->samples;
    st = audit_run(entry->target, &entry->claim, pairs.pair, pairs.n, &own, out,
                   err);
    if (!st)
        out->pair.a = out->pair.b = (struct data){0};
    pairs_clear(&pairs);
    return st;
}
