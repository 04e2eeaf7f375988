/*
 * The defaults of the limits that the owner may set (custos-serve(8)).
 */
#include "serve/parts.h"

enum { STOP_REST_MS = 4000 };

void
serve_limits_default(struct serve_limits *limits)
{
    *limits = (struct serve_limits){
        .waiting = 4096,
        .connections = 2000,
        .connections_per_analyst = 1500,
        .message_bytes = 1 << 20,
        .query_bytes = 1 << 16,
        .query_ms = 600000,
        .free_ms = 30000,
        .login_ms = 30000,
        .idle_ms = 86400000,
        .stop_ms = 30000,
        .waiting_per_analyst = WORKERS_SHARE_WAITING,
        .ahead_ms = 140,
        .requests_per_analyst = 120000,
        .unread_per_analyst = 64 << 20,
        .prepared_per_analyst = 128 << 20,
        .prepared_bytes = 16 << 20,
        .reply_bytes = 16 << 20,
        .strangers = 256,
        .strangers_per_address = 64,
        .logins = 12000,
        .logins_per_address = 1200,
        .send_ms = 60000,
    };
}

int64_t
serve_stop_questions_ms(const struct serve_limits *limits)
{
    int64_t rest = limits->stop_ms / 4;

    return limits->stop_ms - (rest < STOP_REST_MS ? rest : STOP_REST_MS);
}

void
serve_limits_fill(struct serve_limits *limits)
{
    struct serve_limits d;

    serve_limits_default(&d);
#define FILL(name) limits->name = limits->name ? limits->name : d.name
    FILL(waiting);
    FILL(connections);
    FILL(connections_per_analyst);
    FILL(message_bytes);
    FILL(query_bytes);
    FILL(query_ms);
    FILL(free_ms);
    FILL(login_ms);
    FILL(idle_ms);
    FILL(stop_ms);
    FILL(waiting_per_analyst);
    FILL(ahead_ms);
    FILL(requests_per_analyst);
    FILL(unread_per_analyst);
    FILL(prepared_per_analyst);
    FILL(prepared_bytes);
    FILL(reply_bytes);
    FILL(strangers);
    FILL(strangers_per_address);
    FILL(logins);
    FILL(logins_per_address);
    FILL(send_ms);
#undef FILL
}
