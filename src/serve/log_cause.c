/*
 * Why a question failed, for the operator's log: one word of a closed list
 * (curator/cause.c), and nothing of what the engine said.
 *
 * THEOREM  log-closed
 *   What the log says about a question is a function of who asked, when, the
 *   status, the number of the ledger's row and a cause out of a few dozen
 *   constants. No value of a table, no line of a file, no text of a query and
 *   no message of the engine can be in it.
 * SOURCE   doc/proofs/log-closed.md
 * NEEDS    nothing else about a question is given to log_text.
 * GIVES    log_cause_of returns a pointer to a constant of curator/cause.c.
 * FAILS    cannot.
 * TESTED   causes_are_words_of_a_list nothing_else_of_a_note_is_logged
 */
#include "curator/cause.h"
#include "serve/log.h"

const char *
log_cause_of(const custos_err *err)
{
    return cause_word(cause_find(err));
}

void
log_cause(struct log_line *l, const custos_err *err)
{
    if (err->noted[0])
        log_text(l, "cause", str_of(log_cause_of(err)));
}
