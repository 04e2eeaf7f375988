/*
 * A schema with a column of every type, with and without a range, listed values
 * and NULL; with tables that reference each other, with one and with several
 * rows a unit, with a bound that the policy states and with one that queries
 * choose; and with public tables. What a query can do to one of its columns, it
 * can do to any column of any policy. Its tables have the names of the hospital
 * that the queries of test/attack are about, so that these can be asked of it.
 */
#ifndef AUDIT_CURATOR_ALL_TYPES_H
#define AUDIT_CURATOR_ALL_TYPES_H

#include "audit/stranger/schema.h"

extern const struct schema all_types;

/* The tables of `custos demo`. */
extern const struct schema demo_types;

#endif
