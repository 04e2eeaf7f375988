/*
 * A made-up hospital: patients and visits from a formula, the same on every
 * run, with a policy for them.
 */
#ifndef CLI_DEMO_HOSPITAL_H
#define CLI_DEMO_HOSPITAL_H

#include <stdbool.h>
#include <stdint.h>

enum { HOSPITAL_CITIES = 6 };

struct hospital {
    uint64_t people;
    uint64_t visits;                   /* set by hospital_write */
    uint64_t by_city[HOSPITAL_CITIES]; /* likewise: people of each city */
};

extern const char *const hospital_city[HOSPITAL_CITIES];

/* Writes patients.csv, visits.csv, departments.csv and policy.yaml into a
   folder. False when the disk fails (errno says how). */
bool hospital_write(struct hospital *h, const char *folder,
                    void (*progress)(void *ctx, uint64_t done, uint64_t total),
                    void *ctx);

#endif
