/*
 * A worker process: reads messages from the server, works on the data, answers.
 * It has one question at a time, so that killing it harms no other. Exact values
 * never leave it: all that leaves is released.
 */
#ifndef WORKER_MAIN_H
#define WORKER_MAIN_H

/* The socket to the server has this number in a worker. */
enum { WORKER_FD = 3 };

/* Works until the server hangs up or something is wrong; the process's exit
   status. */
int worker_main(void);

#endif
