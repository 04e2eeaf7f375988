/*
 * Neighbouring stores in words: whom a store has besides the people of all stores,
 * and which rows of which tables are this person's.
 */
#ifndef AUDIT_STRANGER_DATA_WORDS_H
#define AUDIT_STRANGER_DATA_WORDS_H

#include "audit/stranger/data.h"

/*
 * "the same people and target person 1, who has 1 row in people: (id 200, age
 * 120)". `target` is as in data_write. Long values and many rows are shortened;
 * the text is one line. Returns how many rows the person has.
 */
size_t data_words(const struct schema *schema, const struct generated *g,
                  int target, struct buf *out);

#endif
