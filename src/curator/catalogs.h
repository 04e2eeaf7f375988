/*
 * The catalogs of a snapshot's analysts, made when they are first needed.
 */
#ifndef CURATOR_CATALOGS_H
#define CURATOR_CATALOGS_H

struct catalogs;

struct catalogs *catalogs_new(void); /* NULL: no memory */
void catalogs_free(struct catalogs *c);

#endif
