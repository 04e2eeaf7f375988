/*
 * Files of queries: the standing corpus of an attack. Each query ends with an
 * empty line, $P stands for a person, lines that begin with # are remarks, and a
 * line such as "@ 0.01" before a query is its price. test/attack/errors.txt is
 * such a file.
 */
#ifndef AUDIT_CURATOR_CORPUS_H
#define AUDIT_CURATOR_CORPUS_H

#include <stddef.h>

#include "custos.h"

struct corpus_query {
    char *sql;
    double epsilon; /* 0: the file states none */
};

struct corpus {
    struct corpus_query *query;
    size_t n, room;
};

/* Adds the queries of a file. May fail: CUSTOS_EIO, CUSTOS_ENOMEM, CUSTOS_EINVAL
   if it has none. */
CUSTOS_MUST_USE custos_status corpus_read(struct corpus *corpus,
                                          const char *path, custos_err *err);

/* Adds the queries that showed a person once, or would have: those of
   test/attack/errors.txt and time.txt, and causes.txt. They are about the tables of
   all_types.h. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status corpus_standing(struct corpus *corpus,
                                              custos_err *err);

/* Can queries be added to this file? To be asked before a long attack; leaves no
   new file. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status corpus_check_append(const char *path,
                                                  custos_err *err);

/* Adds a query to a file, which is made if it does not exist; `remark` goes
   before it. May fail: CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status corpus_append(const char *path,
                                            const char *remark, const char *sql,
                                            double epsilon, custos_err *err);

void corpus_clear(struct corpus *corpus);

#endif
