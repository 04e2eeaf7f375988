/*
 * A YAML document as a tree of nodes with line numbers, and functions that read
 * its parts. Types are not inferred: "no" is text unless a flag is read.
 * Anchors, aliases, tags and multiple documents are rejected.
 *
 * A mistake is CUSTOS_EPOLICY with a message, "policy.yaml, line 12: ...".
 * Reading stops at the first one, unless all are collected (struct mistakes).
 */
#ifndef POLICY_NODE_H
#define POLICY_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

enum {
    NODE_BYTES_MAX = 1 << 20, /* of a file */
    NODE_DEPTH_MAX = 16,
    NODE_KEYS_MAX = 2000, /* of one map */
    NODE_MISTAKES_MAX = 100,
    NODE_NAME_MAX = 63, /* bytes: PostgreSQL silently truncates longer ones */
};

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    int line;
    bool plain;        /* a text written without quotes */
    str text;          /* NODE_TEXT; NUL-terminated, no NUL inside */
    size_t begin, end; /* NODE_TEXT: its bytes in the file, with its quotes */
    str key;           /* its key, in a map */
    bool key_plain;
    int key_line;
    size_t n;           /* children */
    struct node *first; /* child */
    struct node *next;  /* sibling */
};

/* The mistakes of a file, at most one per line, in the order they were
   found. */
struct mistakes {
    struct mistake {
        int line;
        const char *said;
    } list[NODE_MISTAKES_MAX];
    size_t n;
};

/* The context of a reading: memory, file name, error. */
struct reading {
    arena *a;
    const char *path;
    custos_err *err;      /* may be NULL */
    struct mistakes *all; /* NULL: stop at the first mistake */
    bool past;            /* reading a policy that was in force
                             (policy_read_past) */
};

/* CUSTOS_EPOLICY with "FILE, line N: " before the message. */
custos_status reading_fail(const struct reading *r, int line, const char *said,
                           ...) CUSTOS_PRINTF(3, 4);

/*
 * Continues with the next independent part: CUSTOS_OK if st is a mistake and
 * all mistakes are collected, else st. The part that failed keeps its defaults.
 */
CUSTOS_MUST_USE custos_status reading_go_on(const struct reading *r,
                                            custos_status st);
custos_status reading_no_memory(const struct reading *r);

/*
 * How many bytes of a text a message shows: at most 40, cut between characters.
 * For "%.*s" use SHOWN(text).
 */
int shown_bytes(str text);
#define SHOWN(text) shown_bytes(text), (text).ptr

/* Parses the text; rejects anchors, aliases, tags and multiple documents. */
CUSTOS_MUST_USE custos_status node_load(const struct reading *r, str text,
                                        struct node **out);

/* The child of a map under this key, or NULL. */
const struct node *node_find(const struct node *map, const char *key);

/* Checks that a node is a map with only these keys. `what` names it in
   messages: "budget". */
CUSTOS_MUST_USE custos_status node_is_map(const struct reading *r,
                                          const struct node *map,
                                          const char *what,
                                          const char *const *keys, size_t n);

/* Checks that a node is a map whose keys are valid names, chosen by the
   owner. */
CUSTOS_MUST_USE custos_status node_is_names(const struct reading *r,
                                            const struct node *map,
                                            const char *what);

/*
 * Read a text that is not empty; a flag (true, false); a whole number in
 * [least, most], which may be written as 1e6. `key` is for the message.
 */
CUSTOS_MUST_USE custos_status node_text(const struct reading *r,
                                        const struct node *n, const char *key,
                                        str *out);
CUSTOS_MUST_USE custos_status node_flag(const struct reading *r,
                                        const struct node *n, const char *key,
                                        bool *out);
CUSTOS_MUST_USE custos_status node_count(const struct reading *r,
                                         const struct node *n, const char *key,
                                         uint64_t least, uint64_t most,
                                         uint64_t *out);

#endif
