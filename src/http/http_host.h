/*
 * The names that a request may give in its Host header. Another site can make its
 * own name point to this server (DNS rebinding); a browser then takes the site's
 * page and this server for one origin. But the browser sends the site's name in
 * Host, so the request is refused.
 */
#ifndef HTTP_HTTP_HOST_H
#define HTTP_HTTP_HOST_H

#include "base/str.h"
#include "serve/parts.h"

/*
 * Is a request with this Host header allowed? Yes for numeric addresses, which
 * DNS cannot redirect; localhost and names below it; the name that we listen
 * at; the owner's names. A request without Host is not from a browser, and is
 * allowed.
 */
bool http_host_allowed(const struct http_hosts *hosts, str host);

/* Is this a valid name for --http-host, without scheme, port or blanks? */
bool http_host_is_name(const char *name);

#endif
