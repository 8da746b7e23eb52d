/* SPDX-License-Identifier: MIT */
/* A kernel as a UCI engine that knows perft and nothing else: uci, isready, setoption name
 * UCI_Chess960, ucinewgame, position, go perft N, quit. Takes any input: what it does not
 * understand is answered by an `info string` line, and after a refused position there is none until
 * the next one. */
#ifndef PM_ENGINES_UCI_SERVE_H
#define PM_ENGINES_UCI_SERVE_H

#include "core/kernel.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pm_uci_server;

/* Depths of `go perft` over max_depth are refused. The kernel was initialized; one that lacks the
 * mode counts in the first mode that it has. */
enum pm_status pm_uci_server_open(const struct pm_kernel *kernel, enum pm_mode mode, int max_depth,
                                  struct pm_uci_server **server);
void pm_uci_server_close(struct pm_uci_server *server); /* NULL is fine */

/* Obeys one line and writes answers to out. False after `quit`. */
bool pm_uci_serve_line(struct pm_uci_server *server, const char *line, FILE *out);

/* Obeys the lines of in until `quit` or its end. PM_ERROR_IO if out can't be written. */
enum pm_status pm_uci_serve(struct pm_uci_server *server, FILE *in, FILE *out);

#endif
