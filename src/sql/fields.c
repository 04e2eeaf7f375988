/*
 * Fields by their descriptors. A node is a message with one field set, the one
 * that says what it is.
 */
#include "sql/fields.h"

#include <string.h>

#include "sql/read.h"

/* A node's fields are numbered from 1, in the order of its descriptor. */
struct field_span
fields_of(const pg_message *m)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    unsigned chosen;

    if (d != &pg_query__node__descriptor)
        return (struct field_span){0, d->n_fields};
    chosen = (unsigned)((const pg_node *)m)->node_case;
    if (chosen == 0)
        return (struct field_span){0, 0};
    if (chosen <= d->n_fields && d->fields[chosen - 1].id == chosen)
        return (struct field_span){chosen - 1, chosen};
    return (struct field_span){0, d->n_fields};
}

static const void *
field_of(const pg_message *m, const pg_field *f)
{
    return (const char *)m + f->offset;
}

size_t
field_count(const pg_message *m, const pg_field *f)
{
    size_t n;

    memcpy(&n, (const char *)m + f->quantifier_offset, sizeof n);
    return n;
}

pg_message *
field_message(const pg_message *m, const pg_field *f, size_t i)
{
    pg_message *one;
    ProtobufCMessage *const *all;

    if (f->label != PROTOBUF_C_LABEL_REPEATED) {
        memcpy(&one, field_of(m, f), sizeof(void *));
        return one;
    }
    memcpy(&all, field_of(m, f), sizeof all);
    return all[i];
}

/* field_is_set for a field that is neither a message nor a list. */
static bool
scalar_is_set(const pg_message *m, const pg_field *f)
{
    const char *text;
    uint32_t four;
    uint64_t eight;
    protobuf_c_boolean yes;

    switch (f->type) {
    case PROTOBUF_C_TYPE_STRING:
        memcpy(&text, field_of(m, f), sizeof text);
        return text && text[0];
    case PROTOBUF_C_TYPE_BOOL:
        memcpy(&yes, field_of(m, f), sizeof yes);
        return yes;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_ENUM:
        memcpy(&four, field_of(m, f), sizeof four);
        return four != 0;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_DOUBLE:
        memcpy(&eight, field_of(m, f), sizeof eight);
        return eight != 0;
    default: return true; /* no tree has such fields so far */
    }
}

bool
field_is_set(const pg_message *m, const pg_field *f)
{
    uint32_t chosen;

    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        return field_count(m, f) > 0;
    if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        memcpy(&chosen, (const char *)m + f->quantifier_offset, sizeof chosen);
        return chosen == f->id;
    }
    if (f->type == PROTOBUF_C_TYPE_MESSAGE)
        return field_message(m, f, 0) != NULL;
    return scalar_is_set(m, f);
}

size_t
field_messages(const pg_message *m, const pg_field *f)
{
    if (f->type != PROTOBUF_C_TYPE_MESSAGE || !field_is_set(m, f))
        return 0;
    return f->label == PROTOBUF_C_LABEL_REPEATED ? field_count(m, f) : 1;
}

struct insides
insides_of(const pg_message *m)
{
    return (struct insides){.of = m, .left = fields_of(m)};
}

bool
insides_next(struct insides *in)
{
    for (; in->left.first < in->left.end; in->left.first++, in->item = 0) {
        const pg_field *f = &in->of->descriptor->fields[in->left.first];

        if (in->item < field_messages(in->of, f)) {
            in->at = field_message(in->of, f, in->item++);
            return true;
        }
    }
    return false;
}

int
message_at(const pg_message *m, int otherwise)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    const struct field_span span = fields_of(m);
    int32_t at;

    for (unsigned i = span.first; i < span.end; i++)
        if (!strcmp(d->fields[i].name, "location") &&
            d->fields[i].type == PROTOBUF_C_TYPE_INT32) {
            memcpy(&at, field_of(m, &d->fields[i]), sizeof at);
            return at >= 0 ? at : otherwise;
        }
    return otherwise;
}

const char *
message_name(const ProtobufCMessageDescriptor *d)
{
    const char *dot = strrchr(d->name, '.');

    return dot ? dot + 1 : d->name;
}

/* The message that a node holds. */
static const pg_message *
node_message(const pg_node *node)
{
    const struct field_span span = fields_of(&node->base);

    return span.first < span.end
               ? field_message(&node->base,
                               &node->base.descriptor->fields[span.first], 0)
               : NULL;
}

int
node_at(const pg_node *node, int otherwise)
{
    const pg_message *m = node ? node_message(node) : NULL;

    return m ? message_at(m, otherwise) : otherwise;
}
