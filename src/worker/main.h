/*
 * A worker process: reads messages from the server, works on the data, answers.
 * It has one question at a time, so that killing it affects no other question.
 * Only released values of private data leave it, never exact ones.
 */
#ifndef WORKER_MAIN_H
#define WORKER_MAIN_H

/* The descriptor of the socket to the server, in a worker. */
enum { WORKER_FD = 3 };

/* Serves until the server hangs up or something is wrong, then ends the process.
   Returns only if it gets no valid HELLO; the result is the exit status. */
int worker_main(void);

#endif
