/*
 * The people of the two stores that an attack compares: the same in both,
 * except that one store has a person more, with more rows than may count, the
 * longest texts and values at the ends of all ranges. Everybody has values
 * inside and outside the public domains. Where neighbours differ in a person's
 * rows (change-one), the person has one ordinary row in the other store.
 */
#ifndef AUDIT_CURATOR_CROWD_H
#define AUDIT_CURATOR_CROWD_H

#include "audit/stranger/schema.h"

enum crowd_side { CROWD_WITH, CROWD_WITHOUT };

/*
 * Small tables: the server passes numbers to its engine one way; with a table
 * of more than 122,880 rows, the other.
 */
enum crowd_size { CROWD_SMALL, CROWD_LARGE };

enum { CROWD_PERSON = 1007, CROWD_TABLES_MAX = 64 };

/* Writes the CSV file of a table; `out` must be able to hold 16 MiB. */
void crowd_write(const struct schema *schema, size_t table,
                 enum crowd_side side, enum crowd_size size, struct buf *out);

/* The person as a literal of SQL: for $P. */
void crowd_person(const struct schema *schema, char out[32]);

/* Can the schema's store be made large? */
bool crowd_can_be_large(const struct schema *schema);

#endif
