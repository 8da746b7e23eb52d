/* SPDX-License-Identifier: MIT */
/* A position as an SVG drawing: it needs no fonts and no other files. */
#ifndef PM_ANALYZE_SVG_H
#define PM_ANALYZE_SVG_H

#include "core/board.h"
#include "core/kernel.h"

#include <stdbool.h>
#include <stddef.h>

struct pm_svg {
    const struct pm_position *position;
    const struct pm_attacks
        *attacks;                    /* the checked king and the checkers are marked; may be NULL */
    const struct pm_move *last_move; /* its two squares are marked; may be NULL */
    bool flip;                       /* Black's side below */
};

/* The drawing as text, to be freed with free(); its title is the FEN. NULL: no memory. */
char *pm_svg_write(const struct pm_svg *svg, size_t *size);

#endif
