/*
 * Writes policy, table and questions as files, runs the command on them, and
 * reads the answers from its output. What the attacker gets is what `custos
 * shell` prints, and nothing else.
 */
#include "audit/attack/front_door.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"

enum { PATH_ROOM = FOLDER_PATH_MAX + 64, SQL_ROOM = 256 };

static void
path_in(const struct front_door *f, const char *name, char path[PATH_ROOM])
{
    snprintf(path, PATH_ROOM, "%s/%s", f->folder.path, name);
}

static FILE *
file_open(const struct front_door *f, const char *name, const char *mode)
{
    char path[PATH_ROOM];

    path_in(f, name, path);
    return fopen(path, mode);
}

static custos_status
fail_file(const struct front_door *f, const char *what, custos_err *err)
{
    return custos_fail(err, CUSTOS_EIO, "cannot %s %s: %s", what,
                       f->folder.path, strerror(errno));
}

/* Runs the command with files of the folder as its standard streams. */
static custos_status
run_command(const struct front_door *f, const char *const *words,
            custos_err *err)
{
    char in[PATH_ROOM], out[PATH_ROOM], errors[PATH_ROOM];
    custos_status st;

    path_in(f, "questions.sql", in);
    path_in(f, "answers.csv", out);
    path_in(f, "errors.txt", errors);
    st = stranger_run_files(f->command, words, in, out, errors, err);
    /* Words and tables are right, so a failure is the machine's. */
    return st == CUSTOS_EINVAL ? CUSTOS_EIO : st;
}

/* ----------------------------------------------------------- the store -- */

static custos_status
write_policy(const struct front_door *f, const struct front_table *t,
             custos_err *err)
{
    FILE *file = file_open(f, "policy.yaml", "w");
    bool good;

    if (!file)
        return fail_file(f, "write to", err);
    fprintf(file,
            "custos: 2\nadjacency: add-remove\n"
            "budget: {epsilon: %s, delta: %s, n: %zu}\n"
            "tables:\n  people:\n    source: people.csv\n    unit: id\n"
            "    max_rows: %zu\n    columns:\n"
            "      id: {type: integer, nullable: false}\n"
            "      age: {type: integer, range: [0, 120], nullable: false}\n"
            "      secret: {type: boolean, nullable: false}\n",
            t->epsilon, t->delta, t->subsets->people, t->subsets->people);
    for (size_t i = 0; i < t->subsets->count; i++)
        fprintf(file, "      f%zu: {type: boolean, nullable: false}\n", i);
    good = !ferror(file);
    return fclose(file) || !good ? fail_file(f, "write to", err) : CUSTOS_OK;
}

static custos_status
write_people(const struct front_door *f, const struct front_table *t,
             custos_err *err)
{
    FILE *file = file_open(f, "people.csv", "w");
    bool good;

    if (!file)
        return fail_file(f, "write to", err);
    fputs("id,age,secret", file);
    for (size_t i = 0; i < t->subsets->count; i++)
        fprintf(file, ",f%zu", i);
    for (size_t k = 0; k < t->subsets->people; k++) {
        fprintf(file, "\n%zu,%zu,%d", k, 20 + k % 70, t->secret[k]);
        for (size_t i = 0; i < t->subsets->count; i++)
            fprintf(file, ",%d", subsets_has(t->subsets, i, k));
    }
    fputc('\n', file);
    good = !ferror(file);
    return fclose(file) || !good ? fail_file(f, "write to", err) : CUSTOS_OK;
}

static custos_status
make_store(struct front_door *f, const struct front_table *t, custos_err *err)
{
    char policy[PATH_ROOM], store[PATH_ROOM];
    const char *const words[] = {"custos", "init", "--store",
                                 store,    policy, NULL};
    FILE *none = file_open(f, "questions.sql", "w");
    custos_status st;

    if (!none || fclose(none))
        return fail_file(f, "write to", err);
    path_in(f, "policy.yaml", policy);
    path_in(f, "store", store);
    st = write_policy(f, t, err);
    if (!st)
        st = write_people(f, t, err);
    return st ? st : run_command(f, words, err);
}

custos_status
front_open(struct front_door *f, const char *command,
           const struct front_table *table, custos_err *err)
{
    custos_status st;

    *f = (struct front_door){.command = command};
    st = folder_make("custos-audit", &f->folder, err);
    if (!st)
        st = make_store(f, table, err);
    if (st)
        front_close(f);
    return st;
}

void
front_close(struct front_door *f)
{
    folder_remove(&f->folder);
}

/* ----------------------------------------------------------- questions -- */

static custos_status
write_questions(const struct front_door *f, front_question question, size_t n,
                custos_err *err)
{
    FILE *file = file_open(f, "questions.sql", "w");
    char sql[SQL_ROOM];
    bool good;

    if (!file)
        return fail_file(f, "write to", err);
    for (size_t i = 0; i < n; i++) {
        question(i, sql, sizeof sql);
        fprintf(file, "%s\n", sql);
    }
    good = !ferror(file);
    return fclose(file) || !good ? fail_file(f, "write to", err) : CUSTOS_OK;
}

/* Every answer is a line of names and a line of value, low and high. */
static custos_status
read_answers(const struct front_door *f, size_t n, double *out,
             size_t *answered, custos_err *err)
{
    FILE *file = file_open(f, "answers.csv", "r");
    char line[SQL_ROOM];

    if (!file)
        return fail_file(f, "read", err);
    *answered = 0;
    while (*answered < n && fgets(line, sizeof line, file))
        if (line[0] != 'n')
            out[(*answered)++] = strtod(line, NULL);
    fclose(file);
    return CUSTOS_OK;
}

custos_status
front_ask(struct front_door *f, const char *epsilon, front_question question,
          size_t n, double *out, size_t *answered, custos_err *err)
{
    char store[PATH_ROOM], price[64];
    const char *const words[] = {"custos",   "shell",     "--store",
                                 store,      "--epsilon", price,
                                 "--format", "csv",       NULL};
    custos_status st = write_questions(f, question, n, err);

    path_in(f, "store", store);
    snprintf(price, sizeof price, "%s", epsilon);
    if (!st)
        st = run_command(f, words, err);
    return st ? st : read_answers(f, n, out, answered, err);
}
