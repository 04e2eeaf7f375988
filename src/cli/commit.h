/*
 * The commit that was built, as git describes it; "release" where there is no
 * git, as in a release's tarball. Only the command has it, so that after a new
 * commit nothing else is linked again.
 */
#ifndef CLI_COMMIT_H
#define CLI_COMMIT_H

extern const char custos_commit[];

#endif
