#include "http/console.h"

/*
 * The page may load files only from its own server, and send requests only to
 * it; inline scripts and styles are forbidden, and no other page may frame it.
 * Images may also come from blob: URLs: a chart that is saved as a picture is
 * first drawn from a blob.
 */
static const char CONSOLE_CSP[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

const struct console_file *
console_find(str path)
{
    for (size_t i = 0; i < console_files_len; i++)
        if (str_equal(path, str_of(console_files[i].path)))
            return &console_files[i];
    return NULL;
}

void
console_give(const struct console_file *f, struct http_reply *out)
{
    out->type = f->type;
    out->csp = CONSOLE_CSP;
    http_header(out, "Content-Encoding", "gzip");
    buf_add(&out->body, (const char *)f->bytes, f->len);
}
