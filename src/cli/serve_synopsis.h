/*
 * `custos serve --synopsis`: a synopsis as a public database.
 */
#ifndef CLI_SERVE_SYNOPSIS_H
#define CLI_SERVE_SYNOPSIS_H

#include "daemon/server.h"

/* Serves the synopsis with these options, whose store does not matter. Returns the
   exit code. */
int serve_synopsis(const char *path, const struct server_options *options);

#endif
