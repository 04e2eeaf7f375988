/* Rows of the ledger, and whether it is intact. */
#include "contract/contract.h"

#include <inttypes.h>
#include <stdio.h>

void
contract_receipt(struct json *j, const char *name, const struct receipt *r)
{
    char text[RECEIPT_TEXT_MAX];

    receipt_write(r, text);
    json_add_text(j, name, str_of(text));
}

/* The remaining hashed fields, so that the owner can recompute the hash. */
static void
add_hashed(struct json *j, const struct ledger_row *r)
{
    char time_us[24];

    snprintf(time_us, sizeof time_us, "%" PRId64, r->time);
    json_add_text(j, "time_us", str_of(time_us));
    json_add_hex(j, "policy", r->policy, sizeof r->policy);
    json_add_hex(j, "before", r->before, sizeof r->before);
}

void
contract_ledger_row(struct json *j, const struct ledger_row *r,
                    enum contract_reader reader)
{
    json_add_count(j, "row", r->seq);
    json_add_moment(j, "time", r->time);
    json_add_text(j, "what", r->kind);
    json_add_text_or_null(j, "who", r->who);
    json_add_text_or_null(j, "query", r->query);
    json_add_text_or_null(j, "plan", r->plan);
    json_add_text_or_null(j, "theorems", r->theorems);
    json_add_text_or_null(j, "words", r->words);
    json_add_text_or_null(j, "epsilon", r->epsilon);
    json_add_text_or_null(j, "rho", r->rho);
    json_add_text_or_null(j, "delta", r->delta);
    json_add_text_or_null(j, "delta_rho", r->delta_rho);
    json_add_count(j, "data_version", r->data_version);
    json_add_text_or_null(j, "version", r->version);
    contract_receipt(j, "receipt", &r->receipt);
    if (reader == READER_OWNER)
        add_hashed(j, r);
}

void
contract_verified(struct json *j, bool ok, const struct receipt *head, str said)
{
    json_add_bool(j, "ok", ok);
    if (head) {
        json_add_count(j, "rows", head->seq);
        contract_receipt(j, "head", head);
    } else {
        json_add_null(j, "rows");
        json_add_null(j, "head");
    }
    json_add_text(j, "said", said);
}
