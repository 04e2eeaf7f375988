#include "http/http_access.h"

#include <inttypes.h>
#include <strings.h>

#include "serve/clock.h"
#include "serve/log.h"

static void
log_failed(str address)
{
    struct log_line l;

    log_begin(&l, "login-failed");
    log_text(&l, "from", address);
    log_text(&l, "by", str_of("http"));
    log_end(&l, LOG_FD);
}

static bool
refuse_request(struct http_reply *reply, enum http_fault fault)
{
    http_fault(reply, fault);
    return false;
}

/* The token of "Bearer TOKEN". */
static bool
token_of(str authorization, str *out)
{
    static const char scheme[] = "Bearer ";
    size_t len = sizeof scheme - 1;

    if (authorization.len <= len ||
        strncasecmp(authorization.ptr, scheme, len) != 0)
        return false;
    *out = (str){authorization.ptr + len, authorization.len - len};
    return true;
}

/*
 * Refuses a wrong token; after several from one address, the reply tells the
 * client to wait. Requests with a valid token never wait here: a token has 256
 * bits and cannot be guessed.
 */
static bool
deny_token(const struct serve_parts *parts, str from, struct http_reply *reply)
{
    int64_t now = steady_us();
    int64_t wait = throttle_wait(parts->throttle, from, str_of(""), now);

    if (wait > 0) {
        http_header(reply, "Retry-After", "%" PRId64, wait / 1000000 + 1);
        return refuse_request(reply, HTTP_FAULT_WAIT);
    }
    throttle_failed(parts->throttle, from, str_of(""), now);
    COUNT_ONE(parts->counts, logins_failed_total);
    log_failed(from);
    http_header(reply, "WWW-Authenticate",
                "Bearer realm=\"custos\", error=\"invalid_token\"");
    return refuse_request(reply, HTTP_FAULT_TOKEN);
}

bool
http_authenticate(const struct serve_parts *parts, struct curator *c,
                  const struct http_request *r, const char *address,
                  enum http_access access, struct credential *out,
                  struct http_reply *reply)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    str token;

    if (!token_of(r->authorization, &token)) {
        http_header(reply, "WWW-Authenticate", "Bearer realm=\"custos\"");
        return refuse_request(reply, HTTP_FAULT_TOKEN);
    }
    st = curator_refresh(c, &err);
    if (!st)
        st = credential_token(c, token, out, &err);
    if (st == CUSTOS_EDENIED)
        return deny_token(parts, str_of(address), reply);
    if (st) {
        http_refuse(reply, &err, str_of(""));
        return false;
    }
    if (out->access == CREDENTIAL_METRICS_ONLY)
        return access == ACCESS_WATCH ||
               refuse_request(reply, HTTP_FAULT_METRICS);
    if (access >= ACCESS_WATCH && out->name[0])
        return refuse_request(reply, HTTP_FAULT_OWNER);
    if (access == ACCESS_ACT && !parts->acts)
        return refuse_request(reply, HTTP_FAULT_ACT);
    return true;
}
