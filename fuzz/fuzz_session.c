/*
 * Sessions: the state machine gets any bytes, with a fake in place of the
 * curator. The first byte of the input says whether the client has logged in,
 * how the other bytes are cut into pieces, and whether questions are held,
 * refused or cancelled. The session must end or wait for more, send only whole
 * messages, and ask nothing for a client that has not logged in (a stranger).
 */
#include <stdlib.h>
#include <string.h>

#include "support/session_fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static size_t
number_at(const char *p)
{
    const uint8_t *b = (const uint8_t *)p;

    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

/* The session must have sent only whole messages of known kinds, and single
   bytes in reply to requests for TLS. */
static void
check_sent(const struct fake *f, bool stranger)
{
    const char *p = f->sent.ptr, *end = p + f->sent.len;

    while (p < end) {
        size_t n;

        if (stranger && (*p == 'N' || *p == 'S') &&
            (end - p < 5 || number_at(p + 1) > 1 << 16)) {
            p++;
            continue;
        }
        require(end - p >= 5 && strchr("RSKZTDCENn123sItv", *p));
        n = number_at(p + 1);
        require(n >= 4 && n <= (size_t)(end - p - 1));
        p += 1 + n;
    }
}

static struct fake *
fake_of(bool stranger)
{
    static struct fake f[2];
    static bool made[2];

    if (!made[stranger])
        fake_init(&f[stranger], FAKE_PLAIN,
                  stranger ? NULL : cache_new(1 << 16));
    made[stranger] = true;
    fake_again(&f[stranger]);
    if (!stranger)
        fake_login(&f[stranger], "ana", "pencil");
    f[stranger].sent.len = 0;
    f[stranger].asked = f[stranger].described = f[stranger].catalogs = 0;
    return &f[stranger];
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    bool stranger = len && (data[0] & 1);
    size_t piece = len ? data[0] >> 4 : 0;
    struct fake *f;

    if (!len || len > 1 << 16)
        return 0;
    f = fake_of(stranger);
    f->hold = (data[0] & 2) != 0;
    f->refuse = data[0] & 4 ? CUSTOS_ESPENT : CUSTOS_OK;
    fake_feed(f, data + 1, len - 1, piece);
    if (f->held && (data[0] & 8))
        (void)session_stop(f->session, STOP_CANCEL);
    f->hold = false;
    fake_bring(f);
    fake_pump(f);
    check_sent(f, stranger);
    if (stranger) {
        require(!session_who(f->session));
        require(!f->asked && !f->described && !f->catalogs);
    }
    require(session_need(f->session) == NEED_BYTES ||
            session_need(f->session) == NEED_CANCEL ||
            session_need(f->session) == NEED_END);
    session_end(f->session, "57P01", "end");
    return 0;
}
