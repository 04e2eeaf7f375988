/*
 * Under which names the HTTP listener may be called. A page of another site can
 * let its own name point to this server (DNS rebinding); the browser then takes
 * both for one origin. It sends that name in Host, and is refused by it.
 */
#ifndef SERVE_HTTP_HOST_H
#define SERVE_HTTP_HOST_H

#include "base/str.h"
#include "custos.h"

/* Names besides the ones that are always allowed. Borrowed. */
struct http_hosts {
    const char *listen; /* HOST:PORT as the owner wrote it */
    const char *const *names;
    size_t n_names;
};

/*
 * Is a request with this Host header for us? Numeric addresses are, for nobody
 * can make a name of one; localhost and names below it; the name that is
 * listened at; the owner's names. A request without a Host is not a browser's.
 */
bool http_host_allowed(const struct http_hosts *hosts, str host);

/* Is it a name as --http-host takes it: without scheme, port or blanks? */
bool http_host_is_name(const char *name);

#endif
