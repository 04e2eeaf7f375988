/*
 * What a server's worker threads do, without sockets: the threads share one
 * curator and ask about a table of 100 rows; every charge goes to the disk.
 *
 *     build/bench/serve_path [THREADS] [SECONDS] [FOLDER]
 *
 * First, each question is new: it differs in its price or in a number in its
 * condition. Then one question is repeated, which is free.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "curator/curator.h"
#include "engine/duckdb/duck.h"
#include "made.h"
#include "measure.h"
#include "store/file.h"

enum { THREADS_MAX = 64, PATH_ROOM = 512 };

static const char *const policy =
    "custos: 1\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 1000000, delta: 1e-4, n: 1000}\n"
    "query: {epsilon: 1, max_epsilon: 10, delta: 1e-9, min_epsilon: 0, "
    "min_rho: 0}\n"
    "tables:\n"
    "  tiny:\n"
    "    source: tiny.parquet\n"
    "    unit: person\n"
    "    rows_per_unit: 5\n"
    "    columns:\n"
    "      person: {type: integer, nullable: false}\n"
    "      shop: {type: integer, range: [0, 49], nullable: false}\n"
    "      amount: {type: real, range: [0, 1000], nullable: false}\n";

#define GROUPS "SELECT shop, count(*), sum(amount) FROM tiny GROUP BY shop"
#define COUNT "SELECT count(*) FROM tiny"

enum kind { BY_PRICE, BY_CONDITION, AGAIN };

/* What the threads of one measurement share. */
struct load {
    const char *sql;
    enum kind kind;
    double until;
    atomic_int asked; /* makes every question a new one */
    atomic_int answered;
};

struct worker {
    pthread_t thread;
    struct curator *curator;
    struct load *load;
};

static void
ask(struct worker *w, int i)
{
    struct load *l = w->load;
    char text[256], epsilon[32] = "1";
    struct answer *answer = NULL;
    struct ask a = {.now = 1};
    custos_err err = CUSTOS_ERR_INIT;

    snprintf(text, sizeof text, "%s", l->sql);
    if (l->kind == BY_PRICE)
        snprintf(epsilon, sizeof epsilon, "1.%07d", i);
    if (l->kind == BY_CONDITION)
        snprintf(text, sizeof text, "%s WHERE amount <> %d.5", l->sql, i);
    a.sql = str_of(text);
    a.epsilon = str_of(epsilon);
    if (curator_answer(w->curator, &a, &answer, &err))
        made_stop(text, &err);
    if (l->kind != AGAIN && answer->stored)
        made_stop("a stored answer", &err);
    answer_free(answer);
}

static void *
work(void *arg)
{
    struct worker *w = arg;

    while (measure_seconds() < w->load->until) {
        ask(w, atomic_fetch_add(&w->load->asked, 1) + 1);
        atomic_fetch_add(&w->load->answered, 1);
    }
    return NULL;
}

/* Processor seconds of all threads of the process. */
static double
processor_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Measures answers per second, and processor time per answer. */
static void
run(struct worker *workers, size_t n, double seconds, const char *what,
    const char *sql, enum kind kind)
{
    struct load load = {.sql = sql, .kind = kind};
    double busy = processor_seconds();
    char name[64];

    atomic_init(&load.asked, 0);
    atomic_init(&load.answered, 0);
    load.until = measure_seconds() + seconds;
    for (size_t i = 0; i < n; i++) {
        workers[i].load = &load;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            exit(1);
    }
    for (size_t i = 0; i < n; i++)
        pthread_join(workers[i].thread, NULL);
    busy = processor_seconds() - busy;
    snprintf(name, sizeof name, "path_%s_per_second_%zu", what, n);
    measure_print(name, atomic_load(&load.answered) / seconds, "/s");
    snprintf(name, sizeof name, "path_%s_processor_us_%zu", what, n);
    measure_print(name, 1e6 * busy / atomic_load(&load.answered), "us");
}

static void
make_file(const char *folder)
{
    struct duck_connection *c = NULL;
    struct duck *d = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (duck_open(NULL, DUCK_WRITE, &d, &err) || duck_connect(d, &c, &err))
        made_stop("an engine", &err);
    made_tiny(c, folder);
    duck_disconnect(c);
    duck_close(d);
}

int
main(int argc, char **argv)
{
    size_t threads = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 8;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 2;
    static struct worker workers[THREADS_MAX];
    char folder[PATH_ROOM], path[PATH_ROOM + 16];
    custos_err err = CUSTOS_ERR_INIT;

    if (threads < 1 || threads > THREADS_MAX)
        return 2;
    snprintf(folder, sizeof folder, "%s/custos-bench-XXXXXX",
             argc > 3 ? argv[3] : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    make_file(folder);
    made_store(folder, policy);
    snprintf(path, sizeof path, "%s/store", folder);
    if (curator_open(path, &workers[0].curator, &err))
        made_stop("open", &err);
    for (size_t i = 1; i < threads; i++)
        if (curator_share(workers[0].curator, &workers[i].curator, &err))
            made_stop("share", &err);
    run(workers, threads, seconds, "groups", GROUPS, BY_PRICE);
    run(workers, threads, seconds, "count", COUNT, BY_PRICE);
    run(workers, threads, seconds, "condition", COUNT, BY_CONDITION);
    run(workers, threads, seconds, "again", GROUPS, AGAIN);
    for (size_t i = 0; i < threads; i++)
        curator_close(workers[i].curator);
    tree_remove(folder);
    return 0;
}
