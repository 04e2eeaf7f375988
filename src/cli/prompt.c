/*
 * The prompt: libedit at a terminal, getline otherwise.
 */
#include "cli/prompt.h"

#include <ctype.h>
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "sql/aggregates.h"
#include "sql/functions.h"

enum { HISTORY_LINES = 1000, WORD_MAX = 128, PATH_ROOM = 4096, TEXT_ROOM = 32 };

struct prompt {
    const struct policy *policy;
    const struct policy_analyst *who;
    EditLine *edit; /* NULL: no terminal */
    History *history;
    char text[TEXT_ROOM];
    char *line;
    size_t room;
    char file[PATH_ROOM];
};

static const char *const keywords[] = {
    "SELECT", "FROM",    "WHERE", "GROUP BY", "HAVING",   "ORDER BY",
    "LIMIT",  "EXPLAIN", "AND",   "OR",       "NOT",      "BETWEEN",
    "LIKE",   "IS NULL", "CASE",  "distinct", "extract(", "date_trunc(",
};

static char *
prompt_text(EditLine *edit)
{
    struct prompt *p;

    el_get(edit, EL_CLIENTDATA, &p);
    return p->text;
}

struct match {
    const char *start;
    size_t len;
    char common[WORD_MAX]; /* the longest common prefix of the matches */
    size_t n;
};

static void
match_add(struct match *m, const char *word, size_t len)
{
    size_t same = 0;

    if (len < m->len || len >= WORD_MAX ||
        strncasecmp(word, m->start, m->len) != 0)
        return;
    if (m->n++ == 0) {
        memcpy(m->common, word, len);
        m->common[len] = '\0';
        return;
    }
    while (same < len && m->common[same] && m->common[same] == word[same])
        same++;
    m->common[same] = '\0';
}

/* Matches a function's name with its parenthesis, in small letters. */
static void
match_function(struct match *m, const char *name)
{
    char text[WORD_MAX];
    int len = snprintf(text, sizeof text, "%s(", name);

    for (char *c = text; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    match_add(m, text, (size_t)len);
}

static void
match_functions(struct match *m)
{
    for (size_t i = 0; i < N_CALLS; i++) {
        const struct function *f = &functions[i];

        if (f->form == FORM_FUNCTION && !f->names[0])
            match_function(m, f->word);
        for (const char *const *n = f->names; *n; n++)
            match_function(m, *n);
    }
    for (size_t i = 0; i < N_AGGREGATES; i++)
        for (const char *const *n = aggregates[i].names; *n; n++)
            match_function(m, *n);
}

/* Matches only names that are granted. */
static void
match_schema(const struct prompt *p, struct match *m)
{
    for (size_t i = 0; i < p->policy->n_tables; i++) {
        const struct policy_table *t = &p->policy->tables[i];

        if (!policy_grants_table(p->policy, p->who, t))
            continue;
        match_add(m, t->name.ptr, t->name.len);
        for (size_t j = 0; j < t->n_columns; j++)
            if (policy_grants(p->policy, p->who, t, &t->columns[j]))
                match_add(m, t->columns[j].name.ptr, t->columns[j].name.len);
    }
}

static void
match_views(const struct prompt *p, struct match *m)
{
    for (size_t i = 0; i < p->policy->n_views; i++) {
        const struct policy_view *v = &p->policy->views[i];

        if (policy_grants_view(p->policy, p->who, v))
            match_add(m, v->name.ptr, v->name.len);
    }
}

static unsigned char
complete_word(EditLine *edit, int key)
{
    const LineInfo *line = el_line(edit);
    struct match m = {.start = line->cursor};
    struct prompt *p;

    (void)key;
    el_get(edit, EL_CLIENTDATA, &p);
    while (m.start > line->buffer &&
           (isalnum((unsigned char)m.start[-1]) || m.start[-1] == '_'))
        m.start--;
    m.len = (size_t)(line->cursor - m.start);
    if (!m.len)
        return CC_ERROR;
    match_schema(p, &m);
    match_views(p, &m);
    match_functions(&m);
    for (size_t i = 0; i < COUNT_OF(keywords); i++)
        match_add(&m, keywords[i], strlen(keywords[i]));
    if (!m.n || strlen(m.common) < m.len)
        return CC_ERROR;
    el_deletestr(edit, (int)m.len);
    el_insertstr(edit, m.common);
    return m.n == 1 ? CC_REFRESH : CC_REFRESH_BEEP;
}

static void
start_history(struct prompt *p)
{
    const char *home = getenv("HOME");
    HistEvent event;

    p->history = history_init();
    if (!p->history)
        return;
    history(p->history, &event, H_SETSIZE, HISTORY_LINES);
    if (home && *home &&
        snprintf(p->file, sizeof p->file, "%s/.custos_history", home) <
            (int)sizeof p->file)
        history(p->history, &event, H_LOAD, p->file);
    el_set(p->edit, EL_HIST, history, p->history);
}

struct prompt *
prompt_new(const struct policy *policy, const struct policy_analyst *who,
           bool terminal)
{
    struct prompt *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->policy = policy;
    p->who = who;
    if (terminal)
        p->edit = el_init("custos", stdin, stdout, stderr);
    if (p->edit) {
        el_set(p->edit, EL_CLIENTDATA, p);
        el_set(p->edit, EL_PROMPT, prompt_text);
        el_set(p->edit, EL_EDITOR, "emacs");
        el_set(p->edit, EL_ADDFN, "custos-complete", "complete a name",
               complete_word);
        el_set(p->edit, EL_BIND, "^I", "custos-complete", NULL);
        start_history(p);
    }
    return p;
}

void
prompt_free(struct prompt *p)
{
    HistEvent event;

    if (!p)
        return;
    if (p->history && p->file[0]) {
        mode_t mask = umask(0077);

        history(p->history, &event, H_SAVE, p->file);
        umask(mask);
    }
    if (p->history)
        history_end(p->history);
    if (p->edit)
        el_end(p->edit);
    free(p->line);
    free(p);
}

char *
prompt_line(struct prompt *p, const char *text)
{
    const char *line;
    HistEvent event;
    int n = 0;

    if (!p->edit)
        return getline(&p->line, &p->room, stdin) < 0 ? NULL : p->line;
    snprintf(p->text, sizeof p->text, "%s", text);
    line = el_gets(p->edit, &n);
    if (!line || n <= 0)
        return NULL;
    if (p->history && n > 1)
        history(p->history, &event, H_ENTER, line);
    free(p->line);
    p->line = strdup(line);
    return p->line;
}
