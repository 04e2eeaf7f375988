#include "http/http_host.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum { HOST_MAX = 256 };

/*
 * Strips port, brackets and a final dot from "name", "name:80" or "[::1]:80".
 * False: it is none of these.
 */
static bool
host_cut(str host, char name[HOST_MAX])
{
    bool bracket = host.len > 0 && host.ptr[0] == '[';
    const char *end = bracket ? memchr(host.ptr, ']', host.len)
                              : memchr(host.ptr, ':', host.len);
    const char *begin = host.ptr + bracket;
    size_t len, rest;

    if (!end && bracket)
        return false;
    len = end ? (size_t)(end - begin) : host.len;
    rest = end ? host.len - (size_t)(end + bracket - host.ptr) : 0;
    if (rest > 0) { /* a colon, then a port or nothing */
        const char *port = end + bracket;

        if (port[0] != ':')
            return false;
        for (size_t i = 1; i < rest; i++)
            if (port[i] < '0' || port[i] > '9')
                return false;
    }
    if (len > 0 && !bracket && begin[len - 1] == '.')
        len--;
    if (len == 0 || len >= HOST_MAX || memchr(begin, '\0', len))
        return false;
    memcpy(name, begin, len);
    name[len] = '\0';
    return true;
}

static bool
is_numeric(const char *name)
{
    uint8_t bytes[16];

    return inet_pton(AF_INET, name, bytes) == 1 ||
           inet_pton(AF_INET6, name, bytes) == 1;
}

static bool
is_localhost(const char *name)
{
    static const char local[] = "localhost";
    size_t len = strlen(name), tail = sizeof local - 1;

    return len >= tail && !strcasecmp(name + len - tail, local) &&
           (len == tail || name[len - tail - 1] == '.');
}

bool
http_host_allowed(const struct http_hosts *hosts, str host)
{
    char name[HOST_MAX], listen[HOST_MAX];

    if (!host.len)
        return true;
    if (!host_cut(host, name))
        return false;
    if (is_numeric(name) || is_localhost(name))
        return true;
    if (hosts->listen && host_cut(str_of(hosts->listen), listen) &&
        !strcasecmp(name, listen))
        return true;
    for (size_t i = 0; i < hosts->n_names; i++)
        if (!strcasecmp(name, hosts->names[i]))
            return true;
    return false;
}

bool
http_host_is_name(const char *name)
{
    size_t len = strlen(name);

    return len > 0 && len < HOST_MAX && !strpbrk(name, ":/[] \t@") &&
           name[len - 1] != '.';
}
