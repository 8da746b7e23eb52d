/* SPDX-License-Identifier: MIT */
/* engine:NAME or engine:FILE: a program as a small JSON file describes it. Keys, all but "command"
 * optional:
 *   name        what it is called
 *   about       anything: version, where its words are from
 *   command     program and arguments, split as a shell would
 *   protocol    "uci" (default), "xboard" (ping 1 / pong 1, setboard), "cmd" (as cmd:PROGRAM)
 *   setup       list of lines that are said after the start
 *   options     object of options: `setoption name K value V`, or `option K=V` over xboard
 *   ready       false: isready or ping is never said, an answer ends with its total
 *   position    line that sets up a position, with {fen}
 *   start       line that sets up the start position
 *   perft       line that asks for the count, with {depth}
 *   part, total regular expressions (POSIX extended) of a line, with the groups move and count, and
 *               with the group count; given either, nothing else is understood
 *   variants    list of "standard", "chess960"; without it a UCI engine's option UCI_Chess960 says
 * so time_limit  seconds an answer, unless --time-limit is given */
#ifndef PM_ENGINES_ENGINE_FILE_H
#define PM_ENGINES_ENGINE_FILE_H

#include "core/status.h"
#include "engines/divide.h"
#include "engines/internal.h"

#include <stdbool.h>

#define PM_ENGINE_FILE_MAX_LINES 64
#define PM_ENGINE_FILE_MAX_SIZE 65536 /* bytes */

enum pm_engine_protocol { PM_ENGINE_UCI, PM_ENGINE_XBOARD, PM_ENGINE_CMD };

struct pm_engine_file {
    char *command;
    enum pm_engine_protocol protocol;
    struct pm_dialect dialect; /* points into this struct */
    struct pm_divide_patterns patterns;
    bool no_chess960;
    double time_limit; /* 0: not given */
    char *lines[PM_ENGINE_FILE_MAX_LINES + 1];
    char *start_position, *position, *perft;
};

/* A word with a '/' or with the ending .json is a path, another one a file of the folder (may be
 * NULL). PM_ERROR_ARGUMENT if it can't be read, PM_ERROR_PARSE, with the key, if it is not as
 * above.
 */
enum pm_status pm_engine_file_read(const char *word, const char *folder,
                                   struct pm_engine_file **file, struct pm_error *error);
void pm_engine_file_free(struct pm_engine_file *file); /* NULL is fine */

#endif
