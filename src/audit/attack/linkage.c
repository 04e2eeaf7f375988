/*
 * Linkage: a hospital publishes its table without names. A register that anybody
 * can buy has names, birth dates, sexes and zip codes. Who is alone with theirs has
 * a name again, and with it a diagnosis (Sweeney 1997 found the governor of
 * Massachusetts so).
 *
 * custos publishes no rows. The same question, how many patients are ill, is asked
 * privately beside it; and somebody who knows every other patient tries to learn
 * the last one's diagnosis from the answer.
 */
#include "audit/attack/linkage.h"

#include <stdio.h>
#include <stdlib.h>

#include "audit/attack/guess_one.h"
#include "base/error.h"

enum {
    FIRST_YEAR = 1920,
    YEARS = 85, /* the youngest are grown up */
    DAYS = 365,
};

/* -------------------------------------------------------------- the town -- */

void
draw_residents(struct resident *town, size_t n, struct coins *coins)
{
    /* Zip codes are of unequal size, and old people are fewer. */
    static const double zip_share[LINKAGE_ZIPS] = {.24, .2,  .16, .12,
                                                   .1,  .08, .06, .04};

    for (size_t i = 0; i < n; i++) {
        double at = coins_uniform(coins);
        uint8_t zip = 0;
        uint32_t year;

        while (zip + 1 < LINKAGE_ZIPS && at > zip_share[zip])
            at -= zip_share[zip++];
        do
            year = coins_below(coins, YEARS);
        while (year < 30 && !coins_flip(coins, (year + 2) / 32.0));
        town[i] = (struct resident){
            .day = (uint16_t)(year * DAYS + coins_below(coins, DAYS)),
            .sex = coins_flip(coins, 0.5),
            .zip = zip,
            .ill = coins_flip(coins, 0.1),
        };
    }
}

static uint64_t
key_of(const struct resident *x, unsigned columns)
{
    uint64_t key = 0;

    if (columns & LINKAGE_YEAR)
        key = x->day / DAYS + 1u;
    if (columns & LINKAGE_DATE)
        key = x->day + 1u;
    if (columns & LINKAGE_SEX)
        key = key * 2 + x->sex;
    if (columns & LINKAGE_ZIP)
        key = key * LINKAGE_ZIPS + x->zip;
    return key;
}

custos_status
link_patients(const struct resident *town, size_t n, size_t patients,
              unsigned columns, uint64_t *named, size_t *example,
              custos_err *err)
{
    const size_t keys = (size_t)(YEARS * DAYS + 1) * 2 * LINKAGE_ZIPS;
    uint32_t *count = calloc(keys, sizeof *count);

    if (!count)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        count[key_of(&town[i], columns)]++;
    *named = 0;
    for (size_t i = patients; i-- > 0;)
        if (count[key_of(&town[i], columns)] == 1) {
            ++*named;
            if (example)
                *example = i;
        }
    free(count);
    return CUSTOS_OK;
}

/* ------------------------------------------------------------ the report -- */

static const char *const first_names[] = {"Ada",   "Bruno", "Clara", "Dario",
                                          "Edith", "Felix", "Greta", "Hugo"};
static const char *const last_names[] = {"Abel",   "Brandt", "Costa",
                                         "Dupont", "Ekberg", "Ferrari",
                                         "Gruber", "Hansen"};

/* The example in words: what the attacker reads. */
static void
describe(const struct resident *x, size_t i, char *text, size_t room)
{
    static const int ends[] = {31,  59,  90,  120, 151, 181,
                               212, 243, 273, 304, 334, 365};
    int day = x->day % DAYS, month = 0;

    while (day >= ends[month])
        month++;
    snprintf(text, room, "%s %s, born %d-%02d-%02d, zip code 0213%d: %s",
             first_names[(i / 4 * 2 + x->sex) % 8], last_names[i / 32 % 8],
             FIRST_YEAR + x->day / DAYS, month + 1,
             day - (month ? ends[month - 1] : 0) + 1, x->zip + 1,
             x->ill ? "diabetes" : "no diabetes");
}

/* The same question asked privately, beside an example of who was found. */
static custos_status
write_means(const struct resident *town, size_t patients, size_t example,
            const char *epsilon, double ceiling, struct attack_report *r,
            custos_err *err)
{
    char who[96], many[ATTACK_GROUPED];
    struct attack_counts *counts = NULL;
    int64_t ill = 0, told = 0, bar = 0;
    custos_status st = attack_counts_new(epsilon, 1, 1, &counts, err);

    for (size_t i = 0; i < patients; i++)
        ill += town[i].ill;
    if (!st)
        st = attack_counts_release(counts, &ill, &told, err);
    if (!st)
        st = attack_counts_error(counts, &bar, err);
    attack_counts_free(counts);
    if (st)
        return st;
    attack_grouped(patients, many);
    describe(&town[example], example, who, sizeof who);
    snprintf(r->means, sizeof r->means,
             "Leaving out names protects few: %s. Asked privately at epsilon "
             "%s, how many of the %s patients have diabetes: %lld, give or "
             "take %lld. That answer is as useful, names nobody, and lets no "
             "attacker guess one patient's diagnosis right more often than "
             "%.1f %%.",
             who, epsilon, many, (long long)told, (long long)bar,
             attack_percent_up(ceiling));
    return CUSTOS_OK;
}

struct columns {
    unsigned columns;
    const char *who;
};

static custos_status
write_rows(const struct resident *town, size_t n, size_t patients,
           size_t *example, struct attack_report *r, custos_err *err)
{
    static const char measure[] = "patients with a name again";
    static const struct columns left[] = {
        {LINKAGE_SEX | LINKAGE_ZIP, "sex, zip code"},
        {LINKAGE_YEAR | LINKAGE_SEX | LINKAGE_ZIP,
         "year of birth, sex, zip code"},
        {LINKAGE_DATE | LINKAGE_SEX, "birth date, sex"},
        {LINKAGE_DATE | LINKAGE_SEX | LINKAGE_ZIP, "birth date, sex, zip code"},
    };
    struct attack_row *row;
    uint64_t named;

    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        custos_status st = link_patients(town, n, patients, left[i].columns,
                                         &named, example, err);

        if (st)
            return st;
        row = attack_add_share(r, i < 2 ? SERVER_WEAK : SERVER_NAIVE, measure,
                               named, patients);
        snprintf(row->who, sizeof row->who, "%s", left[i].who);
    }
    row = attack_add_share(r, SERVER_CUSTOS, measure, 0, patients);
    snprintf(row->who, sizeof row->who, "custos: answers, never rows");
    row->ceiling = 0;
    return CUSTOS_OK;
}

static custos_status
write_custos(const struct attack_options *o, const char *epsilon,
             struct coins *coins, double *ceiling, struct attack_report *r,
             custos_err *err)
{
    static const char measure[] = "right guesses, knowing all others";
    const uint64_t trials = o->quick ? 10000 : 100000;
    struct attack_row *row;
    uint64_t right;
    custos_status st = attack_ceiling(epsilon, NULL, ceiling, err);

    if (!st)
        st = guess_one(epsilon, trials, coins, &right, err);
    if (st)
        return st;
    row = attack_add_share(r, SERVER_NAIVE, measure, trials, trials);
    snprintf(row->who, sizeof row->who, "exact count of the ill");
    row = attack_add_share(r, SERVER_CUSTOS, measure, right, trials);
    snprintf(row->who, sizeof row->who, "custos, epsilon %.20s", epsilon);
    row->ceiling = *ceiling;
    return CUSTOS_OK;
}

static void
write_head(size_t n, size_t patients, struct attack_report *r)
{
    char many[ATTACK_GROUPED], all[ATTACK_GROUPED];

    attack_grouped(patients, many);
    attack_grouped(n, all);
    snprintf(r->title, sizeof r->title, "Linkage with a public register");
    snprintf(r->knows, sizeof r->knows,
             "A hospital publishes %s patients without names, but with birth "
             "date, sex, zip code and diagnosis. The attacker buys the town's "
             "register of %s residents, with names, and joins the two tables. "
             "A patient whose values only one resident has is found. (Town and "
             "names are made up.)",
             many, all);
    snprintf(r->picture, sizeof r->picture,
             "by the columns that the published table has; %s residents", all);
    r->x = (struct attack_axis){.label = "patients with a name again, %",
                                .most = 100};
}

static custos_status
run(const struct attack_options *o, struct attack_report *r, custos_err *err)
{
    const char *epsilon = attack_epsilon(o, "1");
    const size_t n = 54805, patients = 2000; /* as many as Sweeney's register */
    struct resident *town = calloc(n, sizeof *town);
    size_t example = 0;
    struct coins coins;
    double ceiling;
    custos_status st;

    if (!town)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    coins_seed(&coins, o->seed, 5);
    draw_residents(town, n, &coins);
    write_head(n, patients, r);
    st = write_rows(town, n, patients, &example, r, err);
    if (!st)
        st = write_custos(o, epsilon, &coins, &ceiling, r, err);
    if (!st)
        st = write_means(town, patients, example, epsilon, ceiling, r, err);
    free(town);
    return st;
}

const struct attack attack_linkage = {
    .name = "linkage",
    .summary = "a table without names, beside a public register",
    .run = run,
};
