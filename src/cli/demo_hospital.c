/*
 * The data generator of `custos demo`. It uses a hash in place of random numbers,
 * so that all runs have the same data.
 */
#include "cli/demo_hospital.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/base.h"
#include "base/datum.h"

enum {
    PATH_ROOM = 4096,
    PROGRESS_EVERY = 1 << 14,
    VISITS_MORE = 1000, /* slack in max_rows, for small hospitals */
    DAYS = 731,         /* 2024 and 2025 */
};

const char *const hospital_city[HOSPITAL_CITIES] = {
    "Bergen", "Lisbon", "Porto", "Rome", "Turin", "Vienna",
};

static const unsigned city_share[HOSPITAL_CITIES] = {60,  190, 110,
                                                     310, 130, 200};

static const struct department {
    const char *name;
    unsigned share; /* of 1,000 visits */
    unsigned nights, cost;
    int floor, beds;
} departments[] = {
    {"cardiology", 170, 4, 4200, 3, 60}, {"emergency", 420, 1, 700, 0, 40},
    {"maternity", 130, 3, 2600, 2, 48},  {"oncology", 110, 6, 6100, 4, 52},
    {"surgery", 170, 5, 5300, 1, 90},
};

static const char *const policy_text =
    "# The policy of a made-up hospital.\n"
    "custos: 2\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 1, delta: 1e-9, n: %" PRIu64 "}\n"
    "query: {epsilon: 0.1, max_epsilon: 0.5, delta: 1e-12}\n"
    "tables:\n"
    "  patients:\n"
    "    source: patients.csv\n"
    "    unit: id\n"
    "    max_rows: %" PRIu64 "\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      born: {type: integer, range: [1920, 2025], nullable: false}\n"
    "      sex: {type: text, values: [f, m], nullable: false}\n"
    "      city: {type: text, nullable: false,\n"
    "             values: [Bergen, Lisbon, Porto, Rome, Turin, Vienna]}\n"
    "      smoker: {type: boolean, nullable: false}\n"
    "  visits:\n"
    "    source: visits.csv\n"
    "    unit: patient_id\n"
    "    rows_per_unit: 8\n"
    "    max_rows: %" PRIu64 "\n"
    "    columns:\n"
    "      patient_id: {type: integer, references: patients.id, nullable: "
    "false}\n"
    "      day: {type: date, range: [2024-01-01, 2025-12-31], nullable: "
    "false}\n"
    "      department:\n"
    "        type: text\n"
    "        values: [cardiology, emergency, maternity, oncology, surgery]\n"
    "        nullable: false\n"
    "      nights: {type: integer, range: [0, 30], nullable: false}\n"
    "      cost: {type: decimal, scale: 2, range: [0, 20000], nullable: "
    "false}\n"
    "  departments:\n"
    "    public: true\n"
    "    source: departments.csv\n"
    "    columns:\n"
    "      name: {type: text, nullable: false}\n"
    "      floor: {type: integer}\n"
    "      beds: {type: integer}\n"
    "analysts:\n"
    "  ana:\n"
    "    budget: {epsilon: 0.5, delta: 1e-10}\n"
    "    tables: {patients: [born, sex, city], visits: all, departments: "
    "all}\n";

/* Similar to the finalizer of splitmix64. Not random. */
static uint64_t
hash_of(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static FILE *
file_new(const char *folder, const char *name)
{
    char path[PATH_ROOM];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >=
        (int)sizeof path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    return fopen(path, "we");
}

static size_t
pick_by_share(const unsigned *share, size_t n, unsigned of_1000)
{
    size_t i = 0;

    while (i + 1 < n && of_1000 >= share[i])
        of_1000 -= share[i++];
    return i;
}

static void
write_visit(struct hospital *h, FILE *visits, uint64_t id, uint64_t at)
{
    unsigned share[COUNT_OF(departments)];
    uint64_t x = hash_of(at);
    const struct department *d;
    struct datum day = {.type = TYPE_DATE};
    char text[32];
    struct buf b;
    unsigned nights, cost;

    for (size_t i = 0; i < COUNT_OF(departments); i++)
        share[i] = departments[i].share;
    d = &departments[pick_by_share(share, COUNT_OF(departments),
                                   (unsigned)(x % 1000))];
    x /= 1000;
    day.n = date_days(2024, 1, 1) + (int64_t)(x % DAYS);
    x /= DAYS;
    nights = (unsigned)(x % (2 * d->nights + 1));
    cost = d->cost * 40 + (unsigned)(x % 997) * d->cost / 8 + nights * 31000;
    buf_init(&b, NULL, sizeof text);
    datum_write(&day, &b);
    fprintf(visits, "%" PRIu64 ",%s,%s,%u,%u.%02u\n", id, buf_text(&b), d->name,
            nights, cost / 100, cost % 100);
    buf_clear(&b);
    h->visits++;
}

static void
write_person(struct hospital *h, FILE *patients, FILE *visits, uint64_t i)
{
    uint64_t x = hash_of(i), id = 1000 + 7 * i;
    size_t city =
        pick_by_share(city_share, HOSPITAL_CITIES, (unsigned)(x % 1000));
    unsigned age = (unsigned)((x / 1000 % 90 + x / 90000 % 60) * 2 / 3);
    uint64_t n = x >> 40, stays = n % 100 < 30 ? 0 : n % 100 < 65 ? 1 : n % 9;

    h->by_city[city]++;
    fprintf(patients, "%" PRIu64 ",%u,%s,%s,%s\n", id, 2025 - age,
            x >> 32 & 1 ? "f" : "m", hospital_city[city],
            x >> 33 & 3 ? "false" : "true");
    for (uint64_t k = 0; k < stays; k++)
        write_visit(h, visits, id, i * 16 + k + ((uint64_t)1 << 48));
}

static bool
close_all(FILE *const *files, size_t n)
{
    bool good = true;

    for (size_t i = 0; i < n; i++)
        if (files[i]) {
            bool failed = ferror(files[i]) != 0;

            good = fclose(files[i]) == 0 && !failed && good;
        } else {
            good = false;
        }
    return good;
}

bool
hospital_write(struct hospital *h, const char *folder,
               void (*progress)(void *ctx, uint64_t done, uint64_t total),
               void *ctx)
{
    FILE *f[] = {
        file_new(folder, "patients.csv"),
        file_new(folder, "visits.csv"),
        file_new(folder, "departments.csv"),
        file_new(folder, "policy.yaml"),
    };

    if (!f[0] || !f[1] || !f[2] || !f[3])
        return close_all(f, COUNT_OF(f));
    fputs("id,born,sex,city,smoker\n", f[0]);
    fputs("patient_id,day,department,nights,cost\n", f[1]);
    fputs("name,floor,beds\n", f[2]);
    for (uint64_t i = 0; i < h->people; i++) {
        write_person(h, f[0], f[1], i);
        if (i % PROGRESS_EVERY == 0)
            progress(ctx, i, h->people);
    }
    for (size_t i = 0; i < COUNT_OF(departments); i++)
        fprintf(f[2], "%s,%d,%d\n", departments[i].name, departments[i].floor,
                departments[i].beds);
    /* People have 1.76 visits on average, and at most 8. */
    fprintf(f[3], policy_text, h->people, h->people,
            h->people / 5 * 9 + VISITS_MORE);
    return close_all(f, COUNT_OF(f));
}
