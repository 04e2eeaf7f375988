/*
 * What a question asks of the queue while it runs: another lane, and room for
 * its charged work.
 *
 * An admitted question reserves its class time on the virtual servers
 * (reply_queue.h), so an analyst who had many admitted at once would make
 * everybody wait behind them. So a name may have only share_work_us of class
 * times in flight, or a single question of any class time.
 *
 * A question waits here until earlier replies leave. These moments are public,
 * so the wait does not depend on data.
 */
#include <errno.h>

#include "serve/workers_inside.h"

enum workers_move
workers_move(struct job *j, enum lane to)
{
    struct workers *w = j->all;
    str who;

    if (!w)
        return MOVE_HERE;
    pthread_mutex_lock(&w->lock);
    who = (str){j->share->name, j->share->name_len};
    /* a job that goes back to LANE_QUESTIONS came from there: no limit applies */
    j->moves = to == LANE_QUESTIONS ||
               fair_queue_room(&w->lanes[to].queue, who) == QUEUE_PUT;
    j->to = to;
    pthread_mutex_unlock(&w->lock);
    j->crowded = !j->moves;
    return j->moves ? MOVE_LATER : MOVE_FULL;
}

void
workers_planned(struct job *j)
{
    struct workers *w = j->all;
    struct lane_state *lane;

    if (!w)
        return;
    lane = &w->lanes[j->lane];
    pthread_mutex_lock(&w->lock);
    fair_queue_planned(&lane->queue, j);
    lane_wake(lane);
    pthread_mutex_unlock(&w->lock);
}

void
queue_admit(struct workers *w, struct fair_queue *q)
{
    const struct room room = {
        .of_name = w->over ? INT64_MAX : w->options.share_work_us,
        .of_all = w->over ? INT64_MAX : w->options.work_us,
        .long_us = ASK_LONG_US,
    };
    struct job *j;

    while ((j = fair_queue_admit(q, &room)))
        sem_post(&j->room);
}

void
workers_admit(struct job *j, int64_t class_us)
{
    struct workers *w = j->all;
    struct fair_queue *q;

    if (!w || !w->options.share_work_us)
        return;
    q = &w->lanes[j->lane].queue;
    sem_init(&j->room, 0, 0);
    pthread_mutex_lock(&w->lock);
    j->class_us = class_us;
    fair_queue_pause(q, j);
    queue_admit(w, q);
    lane_wake(&w->lanes[j->lane]);
    pthread_mutex_unlock(&w->lock);
    while (sem_wait(&j->room) && errno == EINTR)
        continue;
    sem_destroy(&j->room);
}
