/*
 * The commit that was built, as git describes it; "release" where there is no
 * git, as in a release's tarball. In the command alone, so that a new commit
 * links nothing else anew.
 */
#ifndef CLI_COMMIT_H
#define CLI_COMMIT_H

extern const char custos_commit[];

#endif
