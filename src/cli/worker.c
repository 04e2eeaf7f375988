/*
 * `custos worker`: a worker process. `custos serve` starts it, not a person, so
 * `custos --help` does not list it.
 */
#include "worker/main.h"

#include <stdio.h>
#include <sys/socket.h>

#include "cli/args.h"
#include "cli/cli.h"

int
run_worker(void)
{
    int type = 0;
    socklen_t len = sizeof type;

    if (getsockopt(WORKER_FD, SOL_SOCKET, SO_TYPE, &type, &len))
        return fail_usage("custos worker is started by custos serve");
    return worker_main();
}
