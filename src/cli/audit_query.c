/*
 * `custos audit query`: audits the curator itself, end to end, with one query.
 * Stores that differ in one person are made and served, the query is asked of
 * them over and over, and everything that a reply shows is searched for an event
 * that the price in EXPLAIN does not allow.
 *
 * There are two audits at half the level each: one of what replies contain, at
 * servers that answer as fast as they can, and one of their times, at servers
 * that answer at public times, as they do for analysts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/claim.h"
#include "audit/stranger/query.h"
#include "audit/stranger/stores.h"
#include "base/base.h"
#include "base/error.h"
#include "cli/audit.h"
#include "cli/audit_schema.h"
#include "cli/help.h"
#include "cli/save.h"

enum {
    OPT_STORE,
    OPT_POLICY,
    OPT_EPSILON,
    OPT_RHO,
    OPT_CLAIM,
    OPT_DELTA,
    OPT_TARGETS,
    OPT_PEOPLE,
    OPT_SAMPLES,
    OPT_SEARCH,
    OPT_TIME_SAMPLES,
    OPT_TIME_SEARCH,
    OPT_SECONDS,
    OPT_LEVEL,
    OPT_CI,
    OPT_THREADS,
    OPT_SEED,
    OPT_IGNORE_TIME,
    OPT_SERVER_BINARY,
    OPT_HTML,
    OPT_SVG,
    OPT_JSON,
    OPTIONS
};

static const struct option options[OPTIONS] = {
    [OPT_STORE] = {"store", "DIR",
                   "the store whose policy is used; its data is neither\n"
                   "read nor asked (custos.store)"},
    [OPT_POLICY] = {"policy", "FILE", "a policy instead of a store"},
    [OPT_EPSILON] = {"epsilon", "NUMBER",
                     "the price of the query (the policy's default)"},
    [OPT_RHO] = {"rho", "NUMBER", "instead of --epsilon: its price in rho"},
    [OPT_CLAIM] = {"claim", "NUMBER",
                   "the epsilon to refute (what EXPLAIN says)"},
    [OPT_DELTA] = {"delta", "NUMBER", "with --claim: its delta (0)"},
    [OPT_TARGETS] = {"targets", "N",
                     "persons who are tried, each in a store of their own,\n"
                     "1 to 8 (2)"},
    [OPT_PEOPLE] = {"people", "N", "other people in each store (200)"},
    [OPT_SAMPLES] = {"samples", "N", AUDIT_SAMPLES_HELP},
    [OPT_SEARCH] = {"search", "N", "answers of each neighbour for the search"},
    [OPT_TIME_SAMPLES] = {"time-samples", "N",
                          "--samples of the audit of reply times (the same)"},
    [OPT_TIME_SEARCH] = {"time-search", "N",
                         "--search of the audit of reply times (the same)"},
    [OPT_SECONDS] = {"seconds", "N", AUDIT_SECONDS_HELP " (60)"},
    [OPT_LEVEL] = {"level", "NUMBER", AUDIT_LEVEL_HELP},
    [OPT_CI] = {"ci", NULL, AUDIT_CI_HELP},
    [OPT_THREADS] = {"threads", "N", "questions in progress (8)"},
    [OPT_SEED] = {"seed", "N", AUDIT_SEED_HELP},
    [OPT_IGNORE_TIME] = {"ignore-time", NULL, "do not audit reply times"},
    [OPT_SERVER_BINARY] = {"server-binary", "FILE", AUDIT_SERVER_HELP},
    [OPT_HTML] = {"html", "FILE", AUDIT_HTML_HELP},
    [OPT_SVG] = {"svg", "FILE", AUDIT_SVG_HELP},
    [OPT_JSON] = {"json", NULL, AUDIT_JSON_HELP},
};

enum {
    SECONDS = 60,
    TARGETS = 2,
    THREADS = 8,
    ANALYSTS = 4, /* who share them */
    QUERY_ARENA = 1 << 26,
    NOTE_MAX = 768,
    AGAIN_MAX = 1 << 17,
};

static const double time_share = 0.3; /* of the seconds, for reply times */

struct asked {
    const char *sql, *program;
    struct args args;
    struct schema schema;
    enum client_unit unit;
    double price;
    bool has_claim; /* given, or else read from EXPLAIN */
    struct claim claim;
    uint64_t targets, people;
    struct audit_options sizes;
    uint64_t time_samples, time_search; /* of reply times; 0: as in sizes */
};

/* ------------------------------------------------------------ what is given -- */

static int
read_price(struct asked *q)
{
    const char *epsilon = q->args.given[OPT_EPSILON];
    const char *rho = q->args.given[OPT_RHO];
    int code;

    if (epsilon && rho)
        return fail_usage("give either --epsilon or --rho");
    q->unit = rho ? PRICE_RHO : PRICE_EPSILON;
    if (rho && !q->schema.max_rho.len)
        return fail_usage("the policy does not allow prices in rho" HINT
                          "give --epsilon");
    q->price = strtod(q->schema.query_epsilon.ptr, NULL);
    code = audit_read_number("epsilon", epsilon, 1e-6, 1000, &q->price);
    if (!code)
        code = audit_read_number("rho", rho, 1e-6, 1000, &q->price);
    return code;
}

static int
read_claim(struct asked *q)
{
    const char *epsilon = q->args.given[OPT_CLAIM];
    const char *delta = q->args.given[OPT_DELTA];
    int code = audit_read_number("claim", epsilon, 0, 1000, &q->claim.epsilon);

    if (!code)
        code = audit_read_number("delta", delta, 0, 1, &q->claim.delta);
    if (!code && delta && !epsilon)
        return fail_usage("--delta belongs to --claim");
    q->has_claim = epsilon != NULL;
    return code;
}

/* Reply times have sizes of their own, so that an audit that chose its sizes by
   the seconds it had can be run again. */
static int
read_sizes(struct asked *q)
{
    const char *const *given = q->args.given;
    struct audit_given sizes = {
        .samples = given[OPT_SAMPLES],
        .search = given[OPT_SEARCH],
        .seconds = given[OPT_SECONDS],
        .level = given[OPT_LEVEL],
        .threads = given[OPT_THREADS],
        .seed = given[OPT_SEED],
        .ci = given[OPT_CI] != NULL,
    };
    int code = audit_read_options(&sizes, SECONDS, &q->sizes);

    if (!given[OPT_THREADS])
        q->sizes.threads = THREADS;
    if (!code && given[OPT_IGNORE_TIME] &&
        (given[OPT_TIME_SAMPLES] || given[OPT_TIME_SEARCH]))
        return fail_usage("--ignore-time leaves no use for --time-samples and "
                          "--time-search");
    if (!code)
        code = audit_read_count("time-samples", given[OPT_TIME_SAMPLES], 1,
                                AUDIT_SAMPLES_MOST, &q->time_samples);
    if (!code)
        code = audit_read_count("time-search", given[OPT_TIME_SEARCH], 1,
                                AUDIT_SEARCH_MOST, &q->time_search);
    return code;
}

static int
read_asked(struct asked *q, arena *a)
{
    const char *const *given = q->args.given;
    int code;

    if (q->args.n_words != 1)
        return fail_usage("audit query needs one SQL text" HINT
                          "custos audit query \"SELECT count(*) FROM "
                          "patients\"");
    if (given[OPT_STORE] && given[OPT_POLICY])
        return fail_usage("give either --store or --policy");
    q->sql = q->args.words[0];
    q->targets = TARGETS;
    code = audit_read_server(given[OPT_SERVER_BINARY], &q->program);
    if (!code)
        code = read_sizes(q);
    if (!code)
        code = read_claim(q);
    if (!code)
        code = audit_read_count("targets", given[OPT_TARGETS], 1,
                                STORES_TARGETS_MAX, &q->targets);
    if (!code)
        code =
            audit_read_count("people", given[OPT_PEOPLE], 1, 2000, &q->people);
    if (!code)
        code = save_check("html", given[OPT_HTML]);
    if (!code)
        code = save_check("svg", given[OPT_SVG]);
    if (!code)
        code = audit_schema_read(a, given[OPT_STORE], given[OPT_POLICY],
                                 &q->schema);
    return code ? code : read_price(q);
}

/* -------------------------------------------------------------------- audits -- */

/* Starts all stores, and reads the claim from the first: a query that is rejected
   needs no others. */
static custos_status
start_stores(struct asked *q, struct stores *s, custos_err *err)
{
    const struct stores_options o = {
        .schema = &q->schema,
        .program = q->program,
        .sql = q->sql,
        .seed = q->sizes.seed,
        .people = q->people,
        .targets = q->targets,
        .analysts = ANALYSTS,
    };
    custos_status st = stores_start(s, &o, err);

    if (!st && !q->has_claim)
        st = query_claim(&s->server[0], q->sql, q->unit, q->price, &q->claim,
                         err);
    return st ? st : stores_add_neighbours(s, err);
}

/* Replies at public times are few, so only one person is tried by them. */
enum part { PART_CONTENT, PART_TIMES };

static custos_status
audit_part(const struct asked *q, const struct stores *s,
           const struct audit_options *sizes, enum part part, uint64_t *serial,
           struct finding *out, custos_err *err)
{
    const struct query_target_options o = {
        .sql = q->sql,
        .unit = q->unit,
        .price = q->price,
        .servers = s->server,
        .n_servers = s->n,
        .timed = part == PART_TIMES,
        .lanes = sizes->threads,
        .first_serial = *serial,
    };
    struct query_target *target;
    custos_status st = query_target_new(&o, &target, err);

    if (st)
        return st;
    st = audit_run(query_target_get(target), &q->claim, s->pair,
                   part == PART_TIMES ? 1 : q->targets, sizes, out, err);
    *serial = query_target_serial(target);
    query_target_free(target);
    return st;
}

struct result {
    struct finding content, times;
    bool timed;
};

static custos_status
audit_stores(const struct asked *q, struct stores *s, struct result *r,
             custos_err *err)
{
    struct audit_options part = q->sizes;
    struct progress bar;
    uint64_t serial = 1;
    custos_status st;

    r->timed = !q->args.given[OPT_IGNORE_TIME];
    audit_show_progress(&bar, &part);
    if (r->timed) {
        part.level /= 2;
        part.seconds *= 1 - time_share;
    }
    st = audit_part(q, s, &part, PART_CONTENT, &serial, &r->content, err);
    if (!st && r->timed)
        st = stores_show_times(s, err);
    part.seconds *= time_share / (1 - time_share);
    part.samples = q->time_samples ? q->time_samples : part.samples;
    part.search = q->time_search ? q->time_search : part.search;
    if (!st && r->timed)
        st = audit_part(q, s, &part, PART_TIMES, &serial, &r->times, err);
    progress_end(&bar);
    return st;
}

/* -------------------------------------------------------------------- report -- */

/* The options that were given, and sizes and seed as they turned out. */
static void
write_again(const struct asked *q, const struct result *r, struct buf *line)
{
    buf_add_text(line, "custos audit query ");
    audit_quote(line, q->sql);
    audit_add_options(line, options, q->args.given, OPTIONS);
    audit_add_sizes(line, "", &r->content);
    if (r->timed)
        audit_add_sizes(line, "time-", &r->times);
    buf_printf(line, " --seed %" PRIu64, r->content.seed);
}

/* One finding is reported: the refutation, or what came nearest to one. */
static const struct finding *
worst_finding(const struct result *r)
{
    bool times_worse = r->times.refuted > r->content.refuted ||
                       (r->times.refuted == r->content.refuted &&
                        claim_found(&r->times) > claim_found(&r->content));

    return r->timed && times_worse ? &r->times : &r->content;
}

static void
write_note(const struct asked *q, const struct result *r, char note[NOTE_MAX])
{
    const struct finding *f = worst_finding(r);
    int n = snprintf(
        note, NOTE_MAX,
        "claim: what %s; every answer was asked of a server at a price of its "
        "own, within a millionth of %s %g, so that none came from the cache; "
        "the numbers of an output are those of the answer, then those of its "
        "notices; its status is a hash of all else that the reply shows; the "
        "store draws its own coins, so counts differ from run to run",
        q->has_claim ? "was given" : "EXPLAIN says",
        q->unit == PRICE_RHO ? "rho" : "epsilon", q->price);

    if (r->timed && n > 0 && n < NOTE_MAX)
        snprintf(note + n, (size_t)(NOTE_MAX - n),
                 "; %s were audited apart, with %" PRIu64
                 " replies of each neighbour: %s",
                 f == &r->times ? "the contents of replies" : "reply times",
                 f == &r->times ? r->content.n : r->times.n,
                 f == &r->times
                     ? (r->content.refuted ? "refuted, too" : "nothing refuted")
                     : (r->times.refuted ? "refuted, too" : "nothing refuted"));
}

static int
print_result(const struct asked *q, const struct stores *s,
             const struct result *r)
{
    const struct finding *f = worst_finding(r);
    struct audit_outputs outputs = {.html = q->args.given[OPT_HTML],
                                    .svg = q->args.given[OPT_SVG],
                                    .json = q->args.given[OPT_JSON] != NULL};
    char note[NOTE_MAX];
    struct report report = {.finding = f,
                            .a = stores_neighbour(s, &f->pair.a),
                            .b = stores_neighbour(s, &f->pair.b),
                            .title = q->sql,
                            .note = note};
    struct buf again;
    int code;

    buf_init(&again, NULL, AGAIN_MAX);
    write_again(q, r, &again);
    report.again = buf_text(&again);
    write_note(q, r, note);
    code = audit_print(&report, &outputs);
    buf_clear(&again);
    return code;
}

static int
run_audit_query(const struct verb *verb, int argc, char **argv)
{
    static struct result result;
    static struct stores stores;
    static struct asked q;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    arena *a;
    int code = args_read(verb, argc, argv, &q.args);

    if (code || q.args.help)
        return code ? code : help_of_verb(verb);
    a = arena_new(NULL, QUERY_ARENA);
    if (!a)
        return fail_run("out of memory");
    code = read_asked(&q, a);
    if (code) {
        arena_free(a);
        return code;
    }
    schema_raise_budget(&q.schema);
    st = start_stores(&q, &stores, &err);
    if (!st)
        st = audit_stores(&q, &stores, &result, &err);
    stores_stop(&stores);
    code = st ? fail_status(st, &err) : print_result(&q, &stores, &result);
    stores_clear(&stores);
    arena_free(a);
    return code;
}

const struct verb audit_query = {
    .name = "audit query",
    .summary = "audit the curator itself with one query",
    .usage = "audit query SQL [--store DIR] [--epsilon NUMBER] [options]",
    .about =
        "Makes stores that differ in one person, with the policy of your "
        "store and\ngenerated data full of extremes, serves them on loopback "
        "from a temporary\nfolder, and asks the query of them over and over. "
        "The claim is what EXPLAIN\nsays the query costs. Everything that "
        "an analyst sees counts: values, the\nlist of groups, errors, notices, "
        "length and reply times.\n\n"
        "Budgets and price limits are raised in these stores, so that one "
        "query "
        "can be\nasked a million times; your store is not asked, and its "
        "data not read. A person\nwho is tried has values that the query "
        "mentions, else the ends of ranges.\n\n"
        "An audit refutes and never proves. Exit status: 0 nothing was "
        "refuted, 1 the\nclaim was refuted, 2 wrong use.",
    .examples =
        "custos audit query \"SELECT count(*) FROM patients\" --epsilon 1\n"
        "custos audit query \"SELECT city, avg(age) FROM patients GROUP BY "
        "city\" \\\n    --store hospital --seconds 300 --html report.html\n",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_audit_query,
};
