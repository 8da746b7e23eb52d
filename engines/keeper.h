/* SPDX-License-Identifier: MIT */
/* A keeper is a small process between us and a program. It adopts whatever the program leaves
 * behind (PR_SET_CHILD_SUBREAPER), even from a session of its own, and ends all of it when it is
 * told to or when we are gone, however we went; if the keeper itself is killed, the program gets
 * SIGKILL (PR_SET_PDEATHSIG; the keeper has one thread, so that the death of one of our threads is
 * none of its parent). Linux. */
#ifndef PM_ENGINES_KEEPER_H
#define PM_ENGINES_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

struct pm_keeper {
    pid_t id;   /* 0: none */
    int ends;   /* closing it ends the program and all that it left */
    int status; /* gives an int, once: as pm_keeper_poll() says */
};

/* Starts the program, in a process group of its own, with the files `ends` as its 0, 1 and 2. Takes
 * the name from PATH. Returns 0 or an errno, that of exec too. */
int pm_keeper_start(struct pm_keeper *keeper, char *const arguments[], const int ends[3]);

/* Waits up to so many milliseconds for the end of the program. Its exit status, or minus the signal
 * that ended it, is then in *exit_status. */
bool pm_keeper_poll(struct pm_keeper *keeper, int milliseconds, int *exit_status);

/* Ends the program and all that it left behind. Harmless if called again. */
void pm_keeper_end(struct pm_keeper *keeper);

#endif
