// The exported functions of all routines in all spellings: see enter.h.
#include "blas/enter.h"

#ifdef __x86_64__

// A function in assembly.
#define FUNCTION(symbol, body)                                                                     \
    asm("   .pushsection .text\n"                                                                  \
        "   .p2align 4\n"                                                                          \
        "   .globl " #symbol "\n"                                                                  \
        "   .type " #symbol ", @function\n" #symbol ":\n"                                          \
        "   .cfi_startproc\n" body "   .cfi_endproc\n"                                            \
        "   .size " #symbol ", . - " #symbol "\n"                                                  \
        "   .popsection\n");
#define FORWARD(symbol, ...)                                                                       \
    FUNCTION(symbol, "   jmp *" #symbol "_target(%rip)\n")

// m | n | k of a product, and its comparison.
#define EXTENTS_fortran_int                                                                        \
    "   movl (%rdx), %eax\n   orl (%rcx), %eax\n   orl (%r8), %eax\n"                             \
    "   cmpl least_attended_extent(%rip), %eax\n"
#define EXTENTS_fortran_int64_t                                                                    \
    "   movq (%rdx), %rax\n   orq (%rcx), %rax\n   orq (%r8), %rax\n"                             \
    "   cmpq least_attended_extent(%rip), %rax\n"
#define EXTENTS_cblas_int                                                                          \
    "   movl %ecx, %eax\n   orl %r8d, %eax\n   orl %r9d, %eax\n"                                  \
    "   cmpl least_attended_extent(%rip), %eax\n"
#define EXTENTS_cblas_int64_t                                                                      \
    "   movq %rcx, %rax\n   orq %r8, %rax\n   orq %r9, %rax\n"                                    \
    "   cmpq least_attended_extent(%rip), %rax\n"

#define FORWARD_PRODUCT(symbol, used, integer)                                                     \
    FUNCTION(symbol,                                                                               \
             EXTENTS_##used##_##integer                                                            \
             "   jge 1f\n"                                                                         \
             "   movq (%rsp), %rax\n"                                                              \
             "   subq " #symbol "_first_caller(%rip), %rax\n"                                      \
             "   cmpq " #symbol "_first_caller+8(%rip), %rax\n"                                    \
             "   jae " #symbol "_pass_by\n"                                                        \
             "   jmp *" #symbol "_first_caller+16(%rip)\n"                                         \
             "1: jmp *" #symbol "_target(%rip)\n")

#else

// The loader binds the name to `enter` itself.
#define FORWARD(symbol, ...)                                                                       \
    extern "C" {                                                                                   \
    static void* symbol##_resolver() { return reinterpret_cast<void*>(symbol##_target.load()); }   \
    [[gnu::visibility("default"), gnu::ifunc(#symbol "_resolver")]] void symbol();                 \
    }
#define FORWARD_PRODUCT FORWARD

#endif

#define DEFINE(symbol, s, r)                                                                       \
    extern "C" {                                                                                   \
    extern std::atomic<function_for<s, r>*> symbol##_target;                                       \
    [[gnu::optimize("O2")]] void symbol##_pass_by(long i0,                                         \
                                                  long i1,                                         \
                                                  long i2,                                         \
                                                  long i3,                                         \
                                                  long i4,                                         \
                                                  long i5,                                         \
                                                  float f0,                                        \
                                                  float f1,                                        \
                                                  float f2,                                        \
                                                  float f3,                                        \
                                                  float f4,                                        \
                                                  float f5,                                        \
                                                  float f6,                                        \
                                                  float f7) {                                      \
        void* target = known_target<s, r>(__builtin_return_address(0));                            \
        reinterpret_cast<argument_registers*>(target)(                                             \
            i0, i1, i2, i3, i4, i5, f0, f1, f2, f3, f4, f5, f6, f7);                               \
    }                                                                                              \
    }                                                                                              \
    template <>                                                                                    \
    struct route<s, r> {                                                                           \
        static auto& target() { return symbol##_target; }                                          \
        static void* pass_by() { return reinterpret_cast<void*>(symbol##_pass_by); }               \
    };                                                                                             \
    extern "C" {                                                                                   \
    constinit std::atomic<function_for<s, r>*> symbol##_target{&entry<s, r>::enter};               \
    }

#define SPELL_ONE(symbol, name, id, used, integer)                                                 \
    DEFINE(symbol, spelling::id, routine::name)                                                    \
    FORWARD(symbol)
#define SPELL_PRODUCT(symbol, name, id, used, integer)                                             \
    extern "C" {                                                                                   \
    constinit first_caller symbol##_first_caller;                                                  \
    }                                                                                              \
    DEFINE(symbol, spelling::id, routine::name)                                                    \
    FORWARD_PRODUCT(symbol, used, integer)
#define SPELL(name, id, used, integer, before, after)                                              \
    SPELL_ONE(before##name##after, name, id, used, integer)
#define SPELL_SGEMM(name, id, used, integer, before, after)                                        \
    SPELL_PRODUCT(before##name##after, name, id, used, integer)
#define FIRST_CALLER(name, id, used, integer, before, after) &before##name##after##_first_caller,

namespace myblas::preload {

#define BLAS_ENTRY(name, ...) BLAS_SPELLINGS(SPELL, name)
#define BLAS_PRODUCT(name, ...) BLAS_SPELLINGS(SPELL_SGEMM, name)
#include "common/entries.inc"
#undef BLAS_ENTRY
#undef BLAS_PRODUCT

first_caller* const first_callers[] = {BLAS_SPELLINGS(FIRST_CALLER, sgemm)};

} // namespace myblas::preload
