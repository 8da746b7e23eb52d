/* SPDX-License-Identifier: MIT */
/* A guest is a plug-in's kernel in a process of its own: each call of the kernel contract goes
 * there and back as bytes, so that whatever takes a kernel takes a guest. One process a calling
 * thread.
 *
 * It protects from: crashes, exits, endless loops (the time limit), more moves than there can be,
 * writing past the state or the move list by up to a page, answers of a wrong size, printing on
 * standard output, memory that runs full (the process has its own), children left behind, and from
 * outliving us. Each ends as PM_ERROR_CRASHED, PM_ERROR_HUNG or PM_ERROR_MISMATCH of the call; what
 * happened first is told by pm_guest_cause(). After PM_GUEST_TIME_OUTS calls without an answer in
 * time, or PM_GUEST_CRASHES calls that crashed, it is not called any more, and every call has that
 * status.
 *
 * It does not protect from: malice. A plug-in has the rights of the user: files, network, the
 * answers of its own process, which it may forge.
 *
 * Not forwarded: the expander. A guest has none. */
#ifndef PM_ENGINES_GUEST_H
#define PM_ENGINES_GUEST_H

#include "core/kernel.h"
#include "core/status.h"
#include "engines/subject.h"

#define PM_GUEST_TIME_OUTS 2
#define PM_GUEST_CRASHES 20
#define PM_GUEST_MAX 8 /* at a time */

struct pm_guest;

/* Starts `options->host` once, to know the kernel. The kernel's strings are the guest's. Errors
 * are those of loading a plug-in; PM_ERROR_UNSUPPORTED too if it crashes or hangs meanwhile, or if
 * there are PM_GUEST_MAX already. */
enum pm_status pm_guest_open(const char *path, const struct pm_subject_options *options,
                             struct pm_guest **guest, struct pm_error *error);
void pm_guest_close(struct pm_guest *guest); /* NULL is fine */

const struct pm_kernel *pm_guest_kernel(const struct pm_guest *guest);

/* What went wrong first, "" if nothing did: "ended by signal 11 (Segmentation fault) at
 * legal_moves()". Copies. Returns text. */
#define PM_GUEST_CAUSE_SIZE 256
char *pm_guest_cause(struct pm_guest *guest, char text[PM_GUEST_CAUSE_SIZE]);

/* The other side: loads the plug-in and answers calls on standard input, until its end. Returns the
 * exit code of the process. */
int pm_guest_serve(const char *path);

#endif
