/* Pieces of the linkage attack: a town's register and its hospital. */
#ifndef AUDIT_ATTACK_LINKAGE_H
#define AUDIT_ATTACK_LINKAGE_H

#include "audit/attack/attack.h"

/* A resident. The register has the name (a number here), birth date, sex and zip
   code; the hospital's table has these without the name, and the diagnosis. */
struct resident {
    uint16_t day; /* of birth, since 1920-01-01 */
    uint8_t sex, zip;
    bool ill;
};

enum { LINKAGE_ZIPS = 8 };

/* Draws residents; they are in no order, so that the first ones may be the
   patients. */
void draw_residents(struct resident *town, size_t n, struct coins *coins);

/* Which columns the hospital left in its table. */
enum linkage_columns {
    LINKAGE_YEAR = 1,
    LINKAGE_DATE = 2,
    LINKAGE_SEX = 4,
    LINKAGE_ZIP = 8,
};

/*
 * How many of the first `patients` residents are the only ones in town with their
 * values in these columns: the register names them. If `example` is not NULL, it
 * becomes one of them. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status link_patients(const struct resident *town,
                                            size_t n, size_t patients,
                                            unsigned columns, uint64_t *named,
                                            size_t *example, custos_err *err);

#endif
