/*
 * Why a question failed, as one entry of a closed list. The engine's message
 * may quote a value, a line of a file or the statement, so its text is never
 * logged and never leaves a worker process. The beginning of the message
 * selects one of our own words.
 */
#include "curator/cause.h"

#include <assert.h>
#include <string.h>

#include "base/base.h"

/* How messages begin: one per exception type of the engine, and our own
   notes. */
static const struct {
    const char *begin, *word;
} causes[] = {
    {"Out of Memory Error", "out of memory"},
    {"INTERRUPT Error", "interrupted"},
    {"Out of Range Error", "out of range"},
    {"Conversion Error", "conversion"},
    {"Decimal Error", "decimal"},
    {"Divide by Zero Error", "division by zero"},
    {"Mismatch Type Error", "type mismatch"},
    {"Invalid type Error", "type mismatch"},
    {"Invalid Input Error", "invalid input"},
    {"Invalid Error", "invalid input"},
    {"Object Size Error", "object size"},
    {"Not implemented Error", "not implemented"},
    {"Parser Error", "parser"},
    {"Syntax Error", "parser"},
    {"Binder Error", "binder"},
    {"Catalog Error", "catalog"},
    {"Constraint Error", "constraint"},
    {"TransactionContext Error", "transaction"},
    {"Serialization Error", "serialization"},
    {"Permission Error", "permission"},
    {"Missing Extension Error", "missing extension"},
    {"Invalid Configuration Error", "configuration"},
    {"IO Error", "input or output"},
    {"INTERNAL Error", "internal error of the engine"},
    {"FATAL Error", "fatal error of the engine"},
    {"CSV: ", "csv"},
    {"SQLite ", "ledger"},
    {"integrity_check: ", "ledger"},
    {"errno ", "file"},
    {"lock: ", "file"},
    {"tmp: ", "file"},
};

static_assert(COUNT_OF(causes) == CAUSE_OTHER, "every cause has a number");

size_t
cause_find(const custos_err *err)
{
    for (size_t i = 0; i < COUNT_OF(causes); i++)
        if (!strncmp(err->noted, causes[i].begin, strlen(causes[i].begin)))
            return i;
    return CAUSE_OTHER;
}

bool
cause_is_stop(const custos_err *err)
{
    return !strcmp(cause_word(cause_find(err)), "interrupted");
}

const char *
cause_note(size_t cause)
{
    return cause < COUNT_OF(causes) ? causes[cause].begin : "other";
}

const char *
cause_word(size_t cause)
{
    return cause < COUNT_OF(causes) ? causes[cause].word : "other";
}
