/* SPDX-License-Identifier: MIT */
/* What a kernel's functions leave behind in the processor: the registers that a function must give
 * back as they were (System V ABI of x86-64), and no dirty upper halves of vector registers, which
 * slow SSE code down (vzeroupper). Dirty halves are seen by xgetbv with ecx = 1, which says what
 * state is in use; where that does not follow vzeroupper, this part is left out. */
#include "core/cpu.h"
#include "core/fen.h"
#include "core/state.h"
#include "kernels/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef __x86_64__
#include <cpuid.h>

#define CANARY 0x5ca1ab1e0ddba11ULL /* and the five numbers after it */
#define UPPER_HALVES 0x44U          /* of XINUSE: upper halves of ymm, of zmm0 to zmm15 */
enum { SAVED_COUNT = 6 };

/* The assembly below knows the places of these fields. */
struct call {
    void *function;
    uint64_t arguments[4];
    uint64_t saved[SAVED_COUNT]; /* rbx, rbp, r12 to r15 after the call */
    uint64_t result;
    uint64_t reads_xinuse; /* whether to */
    uint64_t xinuse;       /* after the call */
};

void guarded_call(struct call *call);
void spoil_rbx(void);
void spoil_r15(void);
void leave_upper_halves(void);
void zero_upper_halves(void);
void use_lower_halves(void); /* with instructions that zero the upper ones: all is clean */

__asm__(".text\n"
        "guarded_call:\n"
        "    pushq %rbx\n    pushq %rbp\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq "
        "%r15\n"
        "    pushq %rdi\n" /* which aligns the stack, too */
        "    movq %rdi, %r10\n"
        "    movq 0(%r10), %rax\n    movq 8(%r10), %rdi\n    movq 16(%r10), %rsi\n"
        "    movq 24(%r10), %rdx\n    movq 32(%r10), %rcx\n"
        "    movabsq $0x5ca1ab1e0ddba11, %rbx\n"
        "    leaq 1(%rbx), %rbp\n    leaq 2(%rbx), %r12\n    leaq 3(%rbx), %r13\n"
        "    leaq 4(%rbx), %r14\n    leaq 5(%rbx), %r15\n"
        "    call *%rax\n"
        "    movq (%rsp), %r10\n"
        "    movq %rbx, 40(%r10)\n    movq %rbp, 48(%r10)\n    movq %r12, 56(%r10)\n"
        "    movq %r13, 64(%r10)\n    movq %r14, 72(%r10)\n    movq %r15, 80(%r10)\n"
        "    movq %rax, 88(%r10)\n"
        "    cmpq $0, 96(%r10)\n    je 1f\n"
        "    movl $1, %ecx\n    xgetbv\n    movl %eax, 104(%r10)\n"
        "1:  popq %rdi\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbp\n    popq %rbx\n"
        "    ret\n"
        "spoil_rbx:\n    incq %rbx\n    ret\n"
        "spoil_r15:\n    xorl %r15d, %r15d\n    ret\n"
        "leave_upper_halves:\n    vpcmpeqd %ymm3, %ymm3, %ymm3\n    ret\n"
        "zero_upper_halves:\n    vzeroupper\n    ret\n"
        "use_lower_halves:\n    vzeroupper\n    vpcmpeqd %xmm3, %xmm3, %xmm3\n    ret\n");

static bool sees_upper_halves; /* xgetbv tells of them */
static unsigned calls;

/* Makes a call. Returns what it left behind, or NULL. */
static const char *make(struct call *call)
{
    static const char *const names[SAVED_COUNT] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
    if (sees_upper_halves)
        zero_upper_halves();
    call->reads_xinuse = sees_upper_halves;
    guarded_call(call);
    calls++;
    for (uint64_t i = 0; i < SAVED_COUNT; i++)
        if (call->saved[i] != CANARY + i)
            return names[i];
    return (call->xinuse & UPPER_HALVES) != 0 ? "upper halves of vector registers" : NULL;
}

static bool has_xgetbv_1(void)
{
    unsigned a, b, c, d;
    return (pm_cpu_features() & PM_CPU_AVX2) != 0 && __get_cpuid_count(0xd, 1, &a, &b, &c, &d) &&
           (a >> 2 & 1) != 0;
}

/* Whether xgetbv tells of what is dirty, and of what has been cleaned. */
static int set_up(void **state)
{
    (void)state;
    if (!has_xgetbv_1())
        return 0;
    sees_upper_halves = true;
    struct call dirty = {.function = (void *)(uintptr_t)leave_upper_halves};
    struct call clean = {.function = (void *)(uintptr_t)zero_upper_halves};
    struct call lower = {.function = (void *)(uintptr_t)use_lower_halves};
    const bool follows = make(&dirty) != NULL && make(&clean) == NULL && make(&lower) == NULL;
    zero_upper_halves();
    sees_upper_halves = follows;
    return 0;
}

static void expect_clean(const char *kernel, const char *name, struct call call)
{
    const char *left = make(&call);
    if (left != NULL)
        fail_msg("%s: %s() changes %s", kernel, name, left);
    if (strncmp(name, "count", 5) != 0)
        assert_int_equal((int)call.result, PM_OK);
}

#define FUNCTION(pointer) (void *)(uintptr_t)(pointer)
#define ADDRESS(pointer) (uint64_t)(uintptr_t)(pointer)

static void check_position(const struct pm_kernel *kernel, const struct pm_position *position)
{
    static struct pm_move moves[PM_MAX_MOVES];
    void *const state = pm_new_state(kernel);
    struct pm_position back;
    struct pm_attacks attacks;
    unsigned count = 0;
    uint64_t number = 0;
    const uint64_t at = ADDRESS(state);
    expect_clean(kernel->name, "set_position",
                 (struct call){.function = FUNCTION(kernel->set_position),
                               .arguments = {at, ADDRESS(position)}});
    expect_clean(kernel->name, "get_position",
                 (struct call){.function = FUNCTION(kernel->get_position),
                               .arguments = {at, ADDRESS(&back)}});
    expect_clean(kernel->name, "legal_moves",
                 (struct call){.function = FUNCTION(kernel->legal_moves),
                               .arguments = {at, ADDRESS(moves), ADDRESS(&count)}});
    for (int mode = 0; mode < PM_MODE_COUNT; mode++)
        for (uint64_t depth = 1; depth <= 3 && (kernel->capabilities & PM_CAN_MODE(mode)); depth++)
            expect_clean(kernel->name, "perft",
                         (struct call){.function = FUNCTION(kernel->perft),
                                       .arguments = {at, depth, (uint64_t)mode, ADDRESS(&number)}});
    if (kernel->attacks != NULL)
        expect_clean(kernel->name, "attacks",
                     (struct call){.function = FUNCTION(kernel->attacks),
                                   .arguments = {at, ADDRESS(&attacks)}});
    if (kernel->key != NULL)
        expect_clean(
            kernel->name, "key",
            (struct call){.function = FUNCTION(kernel->key), .arguments = {at, ADDRESS(&number)}});
    if (kernel->expander != NULL) {
        const struct pm_bitboards board = pm_bitboards_of(position);
        expect_clean(kernel->name, "count_two_plies",
                     (struct call){.function = FUNCTION(kernel->expander->count_two_plies),
                                   .arguments = {ADDRESS(&board), position->side_to_move}});
    }
    if (count > 0)
        expect_clean(kernel->name, "play",
                     (struct call){.function = FUNCTION(kernel->play),
                                   .arguments = {at, ADDRESS(&moves[count / 2])}});
    free(state);
}

static void kernels_leave_nothing_behind(void **state)
{
    static const char *const fens[] = {
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1"};
    (void)state;
    for (const struct pm_kernel *const *kernel = pm_kernels; *kernel != NULL; kernel++) {
        if (pm_kernel_missing(*kernel) != 0)
            continue;
        expect_clean((*kernel)->name, "init", (struct call){.function = FUNCTION((*kernel)->init)});
        for (size_t i = 0; i < sizeof fens / sizeof fens[0]; i++) {
            struct pm_position position;
            assert_int_equal(pm_fen_read(fens[i], 0, &position, NULL, NULL), PM_OK);
            check_position(*kernel, &position);
        }
    }
    print_message("%u calls; upper halves of vector registers: %s\n", calls,
                  sees_upper_halves ? "looked at" : "not looked at, xgetbv does not tell of them");
}

static void faults_are_seen(void **state)
{
    struct call rbx = {.function = FUNCTION(spoil_rbx)}, r15 = {.function = FUNCTION(spoil_r15)};
    struct call upper = {.function = FUNCTION(leave_upper_halves)};
    (void)state;
    assert_string_equal(make(&rbx), "rbx");
    assert_string_equal(make(&r15), "r15");
    if (!sees_upper_halves)
        return;
    const char *const left = make(&upper);
    zero_upper_halves();
    assert_string_equal(left, "upper halves of vector registers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_seen),
                                       cmocka_unit_test(kernels_leave_nothing_behind)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}

#else

int main(void)
{
    return 77; /* skipped: the registers are those of x86-64 */
}

#endif
