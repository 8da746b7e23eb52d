/* SPDX-License-Identifier: MIT */
/* For techniques that have nothing better for a queen than a rook and a bishop. */
#ifndef PM_KERNELS_SLIDERS_QUEEN_H
#define PM_KERNELS_SLIDERS_QUEEN_H

PM_ALWAYS_INLINE uint64_t queen_attacks(unsigned square, uint64_t occupied)
{
    return rook_attacks(square, occupied) | bishop_attacks(square, occupied);
}

#endif
