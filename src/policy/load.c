/*
 * Parses YAML to nodes; the only user of libyaml. It reads libyaml's events, so
 * that anchors, aliases, tags and deep nesting are rejected before they cost
 * anything.
 */
#include <string.h>

#include <yaml.h>

#include "base/base.h"
#include "policy/node.h"

struct loader {
    const struct reading *r;
    str text;
    yaml_parser_t yaml;
    yaml_event_t event; /* the last one read */
    bool has_event;
    size_t skipped;      /* bytes of the file before text */
    size_t chars, bytes; /* how far byte_of has gone through text */
};

static int
line_of(const yaml_mark_t *mark)
{
    return mark->line < NODE_BYTES_MAX ? (int)mark->line + 1 : 1;
}

static int
event_line(const struct loader *l)
{
    return line_of(&l->event.start_mark);
}

/* The line of a byte that is not valid UTF-8: in this case libyaml reports an
   offset, not a line. */
static int
line_of_byte(str text, size_t at)
{
    int line = 1;

    for (size_t i = 0; i < at && i < text.len; i++)
        line += text.ptr[i] == '\n';
    return line;
}

/*
 * The byte of the file at which a mark stands: libyaml counts characters. Goes
 * through the text once, so marks must be asked for in their order.
 */
static size_t
byte_of(struct loader *l, const yaml_mark_t *mark)
{
    str text = l->text;

    for (; l->chars < mark->index && l->bytes < text.len; l->chars++)
        do
            l->bytes++;
        while (l->bytes < text.len && (text.ptr[l->bytes] & 0xc0) == 0x80);
    return l->skipped + l->bytes;
}

static custos_status
fail_yaml(struct loader *l)
{
    const yaml_parser_t *y = &l->yaml;
    int line = y->error == YAML_READER_ERROR
                   ? line_of_byte(l->text, y->problem_offset)
                   : line_of(&y->problem_mark);

    if (y->error == YAML_MEMORY_ERROR)
        return reading_no_memory(l->r);
    return reading_fail(l->r, line, "not valid YAML: %s",
                        y->problem ? y->problem : "unreadable");
}

/* Reads the next event; rejects anchors, aliases and tags. */
static custos_status
next_event(struct loader *l)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;

    if (l->has_event)
        yaml_event_delete(&l->event);
    l->has_event = yaml_parser_parse(&l->yaml, &l->event) != 0;
    if (!l->has_event)
        return fail_yaml(l);
    switch (l->event.type) {
    case YAML_ALIAS_EVENT: anchor = l->event.data.alias.anchor; break;
    case YAML_SCALAR_EVENT:
        anchor = l->event.data.scalar.anchor;
        tag = l->event.data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = l->event.data.sequence_start.anchor;
        tag = l->event.data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = l->event.data.mapping_start.anchor;
        tag = l->event.data.mapping_start.tag;
        break;
    default: break;
    }
    if (anchor)
        return reading_fail(l->r, event_line(l),
                            "anchors and aliases (& and *) are not allowed in "
                            "this file" HINT "put quotes around such text");
    if (tag)
        return reading_fail(l->r, event_line(l),
                            "tags (!) are not allowed in this file" HINT
                            "put quotes "
                            "around such text");
    return CUSTOS_OK;
}

static custos_status read_value(struct loader *l, int depth, struct node **out);

static custos_status
read_scalar(struct loader *l, str *text, bool *plain)
{
    const unsigned char *value = l->event.data.scalar.value;
    size_t len = l->event.data.scalar.length;

    if (memchr(value, '\0', len))
        return reading_fail(l->r, event_line(l), "text with a NUL in it");
    text->ptr = arena_copy(l->r->a, (str){(const char *)value, len});
    text->len = len;
    *plain = l->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return text->ptr ? CUSTOS_OK : reading_no_memory(l->r);
}

static custos_status
read_key(struct loader *l, const struct node *map, str *key, bool *plain)
{
    custos_status st;

    if (l->event.type != YAML_SCALAR_EVENT)
        return reading_fail(l->r, event_line(l), "a key must be a text");
    if (map->n >= NODE_KEYS_MAX)
        return reading_fail(l->r, event_line(l), "more than %d keys",
                            (int)NODE_KEYS_MAX);
    st = read_scalar(l, key, plain);
    if (st)
        return st;
    for (const struct node *c = map->first; c; c = c->next)
        if (str_equal(c->key, *key))
            return reading_fail(l->r, event_line(l),
                                "the key '%.*s' is given twice, first in line "
                                "%d",
                                SHOWN(*key), c->key_line);
    return CUSTOS_OK;
}

/* Reads the children of a list or a map, up to its end. */
static custos_status
read_children(struct loader *l, int depth, struct node *parent)
{
    yaml_event_type_t end = parent->kind == NODE_MAP ? YAML_MAPPING_END_EVENT
                                                     : YAML_SEQUENCE_END_EVENT;
    struct node **tail = &parent->first;
    custos_status st = next_event(l);

    while (!st && l->event.type != end) {
        struct node *child = NULL;
        str key = {"", 0};
        bool plain = false;
        int line = event_line(l);

        if (parent->kind == NODE_MAP) {
            st = read_key(l, parent, &key, &plain);
            if (!st)
                st = next_event(l);
        }
        if (!st)
            st = read_value(l, depth, &child);
        if (st)
            return st;
        CUSTOS_REQUIRE(child);
        child->key = key;
        child->key_plain = plain;
        child->key_line = line;
        *tail = child;
        tail = &child->next;
        parent->n++;
        st = next_event(l);
    }
    return st;
}

/* Rejects TODO, which a draft leaves for the owner to replace. */
static custos_status
refuse_todo(struct loader *l, const struct node *n)
{
    if (!n->plain || n->text.len < 4 || memcmp(n->text.ptr, "TODO", 4) != 0)
        return CUSTOS_OK;
    return reading_fail(l->r, n->line,
                        "this TODO is still open" HINT
                        "only the owner of the data knows the answer; the "
                        "comment beside it has the question");
}

/* Reads a value whose first event has been read already. */
static custos_status
read_value(struct loader *l, int depth, struct node **out)
{
    struct node *n = arena_take(l->r->a, 1, sizeof *n);
    custos_status st;

    if (!n)
        return reading_no_memory(l->r);
    n->line = event_line(l);
    n->text = (str){"", 0};
    *out = n;
    if (l->event.type == YAML_SCALAR_EVENT) {
        n->kind = NODE_TEXT;
        n->begin = byte_of(l, &l->event.start_mark);
        n->end = byte_of(l, &l->event.end_mark);
        st = read_scalar(l, &n->text, &n->plain);
        return st ? st : reading_go_on(l->r, refuse_todo(l, n));
    }
    n->kind = l->event.type == YAML_MAPPING_START_EVENT ? NODE_MAP : NODE_LIST;
    if (depth == NODE_DEPTH_MAX)
        return reading_fail(l->r, n->line, "nested deeper than %d levels",
                            (int)NODE_DEPTH_MAX);
    return read_children(l, depth + 1, n);
}

/* STREAM-START DOCUMENT-START value DOCUMENT-END STREAM-END */
static custos_status
read_stream(struct loader *l, struct node **out)
{
    custos_status st = next_event(l);

    if (!st)
        st = next_event(l);
    if (!st && l->event.type == YAML_STREAM_END_EVENT)
        return reading_fail(l->r, 1, "the file is empty");
    if (!st && (l->event.data.document_start.version_directive ||
                l->event.data.document_start.tag_directives.start !=
                    l->event.data.document_start.tag_directives.end))
        return reading_fail(l->r, event_line(l),
                            "directives (%%) are not allowed in this file");
    if (!st)
        st = next_event(l);
    if (!st)
        st = read_value(l, 0, out);
    if (!st)
        st = next_event(l);
    if (!st)
        st = next_event(l);
    if (!st && l->event.type != YAML_STREAM_END_EVENT)
        return reading_fail(l->r, event_line(l),
                            "a second document (---) begins here" HINT
                            "there can "
                            "be only one");
    return st;
}

custos_status
node_load(const struct reading *r, str text, struct node **out)
{
    struct loader l = {.r = r, .text = text};
    struct node *root = NULL;
    custos_status st;

    if (text.len > NODE_BYTES_MAX)
        return reading_fail(r, 1, "the file is larger than %d bytes",
                            (int)NODE_BYTES_MAX);
    if (!yaml_parser_initialize(&l.yaml))
        return reading_no_memory(r);
    /* skip a byte order mark, which libyaml counts as a column */
    if (text.len >= 3 && !memcmp(text.ptr, "\xef\xbb\xbf", 3)) {
        l.skipped = 3;
        l.text = text = (str){text.ptr + 3, text.len - 3};
    }
    yaml_parser_set_encoding(&l.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &l.yaml, (const unsigned char *)(text.ptr ? text.ptr : ""), text.len);
    st = read_stream(&l, &root);
    if (l.has_event)
        yaml_event_delete(&l.event);
    yaml_parser_delete(&l.yaml);
    if (!st)
        *out = root;
    return st;
}
