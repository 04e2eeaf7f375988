/*
 * A table beside the list of statuses in custos.h: the library itself knows
 * nothing of HTTP.
 */
#include "wire/http_code.h"

#include "base/base.h"

static const int codes[] = {
    [CUSTOS_OK] = 200,        [CUSTOS_EINVAL] = 400,
    [CUSTOS_EPARSE] = 400,    [CUSTOS_ERANGE] = 400,
    [CUSTOS_EOVERFLOW] = 400, [CUSTOS_ENOMEM] = 503,
    [CUSTOS_EENTROPY] = 503,  [CUSTOS_ETAKEN] = 409,
    [CUSTOS_ESPENT] = 409,    [CUSTOS_EINTERNAL] = 500,
    [CUSTOS_ESYNTAX] = 400,   [CUSTOS_EUNSUPPORTED] = 400,
    [CUSTOS_ENAME] = 404,     [CUSTOS_EDENIED] = 403,
    [CUSTOS_EPOLICY] = 400,   [CUSTOS_EIO] = 503,
    [CUSTOS_ECORRUPT] = 500,  [CUSTOS_EBUSY] = 503,
    [CUSTOS_EENGINE] = 500,   [CUSTOS_EPROTOCOL] = 400,
    [CUSTOS_EAUTH] = 401,
};

int
http_code(custos_status status)
{
    size_t i = (size_t)status;

    return i < COUNT_OF(codes) ? codes[i] : codes[CUSTOS_EINTERNAL];
}
