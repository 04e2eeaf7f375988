/* Writes the policy of a synopsis. */
#include "synopsis/policy.h"

#include "base/error.h"
#include "policy/emit.h"

enum { TEXT_MAX = 1 << 26 };

void
synopsis_policy_write(const struct synopsis *s, struct buf *out)
{
    const struct schema *of = s->schema;

    buf_printf(out,
               "custos: %d\n"
               "adjacency: add-remove\n"
               "budget: {epsilon: 1, delta: 0}\n"
               "analysts: {" SYNOPSIS_READER ": {}}\n"
               "tables:\n"
               "  ",
               POLICY_FORMAT);
    emit_name(out, of->table);
    buf_add_text(out, ":\n"
                      "    public: released\n"
                      "    source: " SYNOPSIS_SOURCE "\n"
                      "    columns:\n");
    for (size_t i = 0; i < of->n; i++) {
        const struct schema_column *c = &of->columns[i];

        buf_add_text(out, "      ");
        emit_name(out, c->name);
        buf_add_text(out, ": {");
        emit_type(out, c->type, c->scale);
        buf_printf(out, ", nullable: %s}\n", c->nullable ? "true" : "false");
    }
}

custos_status
synopsis_policy(arena *a, const struct synopsis *s, struct policy **out,
                custos_err *err)
{
    custos_status st;
    struct buf text;

    buf_init(&text, NULL, TEXT_MAX);
    synopsis_policy_write(s, &text);
    st = text.failed
             ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
             : policy_read(a, (str){text.ptr, text.len}, "synopsis", out, err);
    buf_clear(&text);
    return st;
}
