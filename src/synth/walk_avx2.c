/* The loops over tables, for processors with AVX2. */
#include "synth/walk_loops.h"

const struct walk_loops walk_loops_avx2 = {
    loop_sum, loop_exp, loop_scale, loop_collapse, loop_raise, loop_total};
