/*
 * A store for tests: files and policy in a temporary folder.
 */
#ifndef TEST_HOSPITAL_H
#define TEST_HOSPITAL_H

#include "curator/curator.h"

struct test_store {
    char folder[64];
    char policy[96];
    char store[96];
};

/*
 * Makes a new folder with the policy and up to three files (name, text, ...,
 * NULL). Fails the test if it cannot.
 */
void test_store_write(struct test_store *s, const char *policy, ...);

/* Writes the policy again. */
void test_store_policy(const struct test_store *s, const char *policy);

/* Calls curator_init, which must succeed; test_store_try returns its status. */
void test_store_init(const struct test_store *s);
custos_status test_store_try(const struct test_store *s, custos_err *err);

/* Opens the store, which must succeed; curator_close frees the handle. */
struct curator *test_open(const struct test_store *s);

void test_store_remove(struct test_store *s);

/*
 * test_ask must get an answer, freed by answer_free; test_refused returns the
 * status of the error.
 */
struct answer *test_ask(struct curator *c, const char *who, const char *sql,
                        const char *epsilon);
custos_status test_refused(struct curator *c, const char *who, const char *sql,
                           const char *epsilon, custos_err *err);

/* The cell as a whole number; it must be of TYPE_INT. */
int64_t test_whole(const struct answer *a, size_t row, size_t column);

/* What is left of the common budget, or of an analyst's. */
const char *test_left(struct curator *c, const char *who, char text[64]);

#endif
