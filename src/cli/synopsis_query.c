/* `custos synopsis query`: one SQL question to a synopsis. */
#include <unistd.h>

#include "cli/answer_print.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/query.h"
#include "cli/synopsis.h"
#include "synopsis/answer.h"
#include "synopsis/policy.h"

enum { QUERY_FORMAT, QUERY_OPTIONS };

static const struct option options[QUERY_OPTIONS] = {
    [QUERY_FORMAT] = {"format", "FORMAT", FORMAT_HELP},
};

static int
run_synopsis_query(const struct verb *verb, int argc, char **argv)
{
    arena *a = arena_new(NULL, SYNOPSIS_ARENA_BYTES);
    enum answer_format format = FORMAT_TABLE;
    struct synopsis *s = NULL;
    struct answer *answer = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct ask ask = {.who = str_of("")};
    struct policy *p;
    struct args args;
    struct out o;
    custos_status st;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help) {
        code = code ? code : help_of_verb(verb);
        goto out;
    }
    if (args.n_words != 2)
        code = fail_usage("synopsis query needs a file and one SQL question in "
                          "quotes");
    if (!code && args.given[QUERY_FORMAT])
        code = answer_format_read(args.given[QUERY_FORMAT], &format);
    if (code)
        goto out;
    st = a ? synopsis_read(a, args.words[0], &s, &err) : CUSTOS_ENOMEM;
    if (!st)
        st = synopsis_policy(a, s, &p, &err);
    if (st) {
        code = fail_status(st, &err);
        goto out;
    }
    ask.sql = str_of(args.words[1]);
    st = synopsis_ask(s, p, &ask, &answer, &err);
    if (st) {
        code = question_fail(st, &err, args.words[1]);
        goto out;
    }
    out_init(&o, STDOUT_FILENO);
    answer_print(&o, format, answer, NULL);
    code = out_end(&o);
out:
    answer_free(answer);
    synopsis_close(s);
    arena_free(a);
    return code;
}

const struct verb verb_synopsis_query = {
    .name = "synopsis query",
    .summary = "ask one question in SQL; free",
    .usage = "synopsis query FILE SQL [--format FORMAT]",
    .about =
        "Answers count, sum, avg, variance, stddev, median, percentile_cont, "
        "min and max\nof the synopsis's table, with WHERE, GROUP BY, HAVING, "
        "ORDER BY and LIMIT. Each\nvalue that a noisy table or AIM's bound "
        "limits has a 95 % error bar; the others come\nfrom the model alone, "
        "and the answer says so. A column that was measured in runs, such "
        "as\nages by decade, is "
        "taken to be spread evenly within a run, and bars are wide enough\nfor "
        "any other spread.",
    .examples =
        "custos synopsis query synopsis.custos \\\n"
        "    \"SELECT count(*), avg(age) FROM visits WHERE smoker\"\n"
        "custos synopsis query synopsis.custos \"SELECT ward, median(cost) "
        "FROM visits\n"
        "    GROUP BY ward ORDER BY 2 DESC LIMIT 3\" --format csv\n",
    .options = options,
    .n_options = QUERY_OPTIONS,
    .run = run_synopsis_query,
};
