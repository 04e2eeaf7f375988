/*
 * A hospital that nobody lives in: patients and visits from a formula, the
 * same on every run, with the policy that protects them.
 */
#ifndef CLI_DEMO_HOSPITAL_H
#define CLI_DEMO_HOSPITAL_H

#include <stdbool.h>
#include <stdint.h>

enum { HOSPITAL_CITIES = 6 };

struct hospital {
    uint64_t people;
    uint64_t visits;                   /* made on the way */
    uint64_t by_city[HOSPITAL_CITIES]; /* exactly, for the end of the story */
};

extern const char *const hospital_city[HOSPITAL_CITIES];

/* Writes patients.csv, visits.csv, departments.csv and policy.yaml into a
   folder. False when the disk fails (errno says how). */
bool hospital_write(struct hospital *h, const char *folder,
                    void (*progress)(void *ctx, uint64_t done, uint64_t total),
                    void *ctx);

#endif
