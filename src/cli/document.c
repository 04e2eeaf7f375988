/*
 * The JSON documents that the command prints; each begins with its version.
 */
#include "cli/document.h"

#include <errno.h>

#include "contract/contract.h"

enum { TEXT_MAX = 1 << 30 };

void
document_begin(struct document *d, struct out *o)
{
    d->o = o;
    buf_init(&d->text, NULL, TEXT_MAX);
    json_init(&d->json, &d->text, JSON_LINES);
    json_begin(&d->json, NULL);
    json_add_int(&d->json, "version", CONTRACT_VERSION);
}

void
document_flush(struct document *d)
{
    if (d->text.failed && !d->o->error)
        d->o->error = ENOMEM;
    out_add(d->o, d->text.ptr, d->text.len);
    d->text.len = 0;
}

void
document_end(struct document *d)
{
    json_end(&d->json);
    document_flush(d);
    buf_clear(&d->text);
}

void
document_drop(struct document *d)
{
    buf_clear(&d->text);
}
