/*
 * Why a question failed, for the operator's log: one word of a closed list.
 * What the engine says of a failure may quote a value, a line of a file or the
 * statement that was computed, so that none of its text is written. The word
 * is found by the text's beginning, and is ours.
 *
 * THEOREM  log-closed
 *   What the log says of a question is a function of who asked, when, the
 *   status, the number of the ledger's row and a cause out of a few dozen
 *   constants. No value of a table, no line of a file, no text of a query and
 *   no statement of the engine can be in it.
 * SOURCE   doc/proofs/log-closed.md
 * NEEDS    nothing else of a question is given to log_text.
 * GIVES    log_cause_of returns a pointer to a constant of this file.
 * FAILS    cannot.
 * TESTED   causes_are_words_of_a_list nothing_else_of_a_note_is_logged
 */
#include <stddef.h>
#include <string.h>

#include "base/base.h"
#include "serve/log.h"

/* How the engine's types of exceptions begin, and notes of our own. */
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

const char *
log_cause_of(const custos_err *err)
{
    for (size_t i = 0; i < COUNT_OF(causes); i++)
        if (!strncmp(err->noted, causes[i].begin, strlen(causes[i].begin)))
            return causes[i].word;
    return "other";
}

void
log_cause(struct log_line *l, const custos_err *err)
{
    if (err->noted[0])
        log_text(l, "cause", str_of(log_cause_of(err)));
}
