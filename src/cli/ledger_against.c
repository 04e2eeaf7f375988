/*
 * Every word of the file that is a receipt must match a row of this ledger;
 * other words, such as those that syslog servers add, are skipped. A ledger
 * restored from an older copy lacks the newest rows, or has other rows with
 * their numbers.
 */
#include "cli/ledger_against.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int
check_receipt(struct ledger *l, const struct receipt *r)
{
    struct ledger_seal is;
    struct receipt head;
    size_t n = 1;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = ledger_seals(l, r->seq, &is, &n, &err);

    if (!st)
        st = ledger_head(l, &head, &err);
    if (st)
        return fail_status(st, &err);
    if (n == 0 || is.receipt.seq != r->seq)
        return fail_run("the ledger ends at row %" PRIu64 ", but row %" PRIu64
                        " was exported: it was restored from an older copy",
                        head.seq, r->seq);
    if (memcmp(is.receipt.hash, r->hash, sizeof r->hash) != 0)
        return fail_run("row %" PRIu64 " is not the one that was exported: the "
                        "ledger was restored from an older copy and written to "
                        "since, or is another ledger",
                        r->seq);
    return CLI_OK;
}

int
ledger_against(struct ledger *l, const char *path, uint64_t *n)
{
    FILE *f = fopen(path, "re");
    char *line = NULL, *rest, *word;
    size_t room = 0;
    int code = CLI_OK;

    *n = 0;
    if (!f)
        return fail_run("cannot read %.150s", path);
    while (!code && getline(&line, &room, f) > 0)
        for (word = strtok_r(line, " \t\r\n", &rest); word && !code;
             word = strtok_r(NULL, " \t\r\n", &rest)) {
            struct receipt r;

            if (!receipt_read(str_of(word), &r))
                continue;
            code = check_receipt(l, &r);
            ++*n;
        }
    free(line);
    fclose(f);
    if (!code && !*n)
        return fail_run("%.150s contains no receipt", path);
    return code;
}
