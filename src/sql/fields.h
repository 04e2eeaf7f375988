/*
 * Access to PostgreSQL's tree without knowledge of its nodes: messages and
 * their fields, by the descriptors of the tree.
 */
#ifndef SQL_FIELDS_H
#define SQL_FIELDS_H

#include "sql/pg.h"

typedef ProtobufCMessage pg_message;
typedef ProtobufCFieldDescriptor pg_field;

/*
 * The fields of a message that can be set, from `first` to before `end`. A node
 * has hundreds of fields, of which only the one that says what it is can be
 * set.
 */
struct field_span {
    unsigned first, end;
};
struct field_span fields_of(const pg_message *m);

/* Does the field have a value other than the default? */
bool field_is_set(const pg_message *m, const pg_field *f);

/* The number of items of a repeated field. */
size_t field_count(const pg_message *m, const pg_field *f);

/* How many messages a field holds: 0 when it has another type or is not set. */
size_t field_messages(const pg_message *m, const pg_field *f);

/* The message a field points to, or item i of a repeated one. */
pg_message *field_message(const pg_message *m, const pg_field *f, size_t i);

/*
 * Goes through the messages inside a message, in the order of its fields:
 *
 *     for (struct insides in = insides_of(m); insides_next(&in);)
 *         visit(in.at);
 */
struct insides {
    const pg_message *of;
    struct field_span left; /* fields */
    size_t item;            /* the next one of the first field left */
    pg_message *at;
};
struct insides insides_of(const pg_message *m);
bool insides_next(struct insides *in);

/* Where a message begins in the text, or `otherwise` if it has no position. */
int message_at(const pg_message *m, int otherwise);

/* The short name: "A_Expr" for "pg_query.A_Expr". */
const char *message_name(const ProtobufCMessageDescriptor *d);

#endif
