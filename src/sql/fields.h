/*
 * PostgreSQL's tree without knowledge of its nodes: messages, their fields and
 * what these hold, by the descriptors of the tree.
 */
#ifndef SQL_FIELDS_H
#define SQL_FIELDS_H

#include "sql/pg.h"

typedef ProtobufCMessage pg_message;
typedef ProtobufCFieldDescriptor pg_field;

/*
 * The fields of a message that can be set, from first to before end: of a node
 * the one that says what it is, for it has hundreds.
 */
struct field_span {
    unsigned first, end;
};
struct field_span fields_of(const pg_message *m);

/* Does the field hold more than nothing? */
bool field_is_set(const pg_message *m, const pg_field *f);

/* Of a repeated field. */
size_t field_count(const pg_message *m, const pg_field *f);

/* How many messages it holds: 0 when it is of another type or not set. */
size_t field_messages(const pg_message *m, const pg_field *f);

/* The message a field points to, or item i of a repeated one. */
pg_message *field_message(const pg_message *m, const pg_field *f, size_t i);

/* Where it begins, or `otherwise` when it does not know. */
int message_at(const pg_message *m, int otherwise);

/* "A_Expr" of "pg_query.A_Expr". */
const char *message_name(const ProtobufCMessageDescriptor *d);

#endif
