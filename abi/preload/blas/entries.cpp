// The exported functions of all routines in all spellings: see enter.h. On processors other than
// x86-64, all calls of level 3 go to `enter`, large or small.
#include "blas/assembly.h"
#include "blas/enter.h"

#define FORWARD(symbol, used, integer) FUNCTION(symbol, LANDING JUMP(symbol##_target))

#ifdef __x86_64__

// The bitwise or of a call's extents, in %rax. The extents follow two, three or four letters, and
// the layout of CBLAS.
#define EXTENTS_fortran_three_behind_two(integer)                                                  \
    LOAD_##integer("(%rdx)") OR_##integer("(%rcx)") OR_##integer("(%r8)")
#define EXTENTS_fortran_two_behind_two(integer) LOAD_##integer("(%rdx)") OR_##integer("(%rcx)")
#define EXTENTS_fortran_two_behind_three(integer) LOAD_##integer("(%rcx)") OR_##integer("(%r8)")
#define EXTENTS_fortran_two_behind_four(integer) LOAD_##integer("(%r8)") OR_##integer("(%r9)")
#define EXTENTS_cblas_three_behind_two(integer)                                                    \
    LOAD_##integer(CX_##integer) OR_##integer(R8_##integer) OR_##integer(R9_##integer)
#define EXTENTS_cblas_two_behind_two(integer)                                                      \
    LOAD_##integer(CX_##integer) OR_##integer(R8_##integer)
#define EXTENTS_cblas_two_behind_three(integer)                                                    \
    LOAD_##integer(R8_##integer) OR_##integer(R9_##integer)
#define EXTENTS_cblas_two_behind_four(integer) LOAD_##integer(R9_##integer) OR_##integer("8(%rsp)")

#define LOAD_int(place) "   movl " place ", %eax\n"
#define LOAD_int64_t(place) "   movq " place ", %rax\n"
#define OR_int(place) "   orl " place ", %eax\n"
#define OR_int64_t(place) "   orq " place ", %rax\n"
#define COMPARE_int "   cmpl least_offload_extent(%rip), %eax\n"
#define COMPARE_int64_t "   cmpq least_offload_extent(%rip), %rax\n"
#define CX_int "%ecx"
#define CX_int64_t "%rcx"
#define R8_int "%r8d"
#define R8_int64_t "%r8"
#define R9_int "%r9d"
#define R9_int64_t "%r9"

#define FORWARD_SMALL(symbol, used, integer, extents)                                              \
    FUNCTION(symbol,                                                                               \
             LANDING EXTENTS_##used##_##extents(integer) COMPARE_##integer                         \
             "   jge 1f\n" JUMP(symbol##_target) "1: jmp *" #symbol "_enter(%rip)\n")

#define DEFINE_PASS_BY(function, s, r)                                                             \
    [[gnu::optimize("O2")]] void function(long i0,                                                 \
                                          long i1,                                                 \
                                          long i2,                                                 \
                                          long i3,                                                 \
                                          long i4,                                                 \
                                          long i5,                                                 \
                                          float f0,                                                \
                                          float f1,                                                \
                                          float f2,                                                \
                                          float f3,                                                \
                                          float f4,                                                \
                                          float f5,                                                \
                                          float f6,                                                \
                                          float f7) {                                              \
        void* target = known_target<s, r>(__builtin_return_address(0));                            \
        reinterpret_cast<argument_registers*>(target)(                                             \
            i0, i1, i2, i3, i4, i5, f0, f1, f2, f3, f4, f5, f6, f7);                               \
    }
#define PASS_BY(function, s, r) (reinterpret_cast<void*>(function))

#elif defined(__aarch64__)

#define FORWARD_SMALL(symbol, used, integer, extents) FUNCTION(symbol, LANDING JUMP(symbol##_enter))
#define DEFINE_PASS_BY(function, s, r)
#define PASS_BY(function, s, r) (reinterpret_cast<void*>(entry<s, r>::enter))

#endif

#define DEFINE(symbol, s, r)                                                                       \
    extern "C" {                                                                                   \
    extern std::atomic<function_for<s, r>*> symbol##_target;                                       \
    DEFINE_PASS_BY(symbol##_pass_by, s, r)                                                         \
    }                                                                                              \
    template <>                                                                                    \
    struct route<s, r> {                                                                           \
        static auto& target() { return symbol##_target; }                                          \
        static void* pass_by() { return PASS_BY(symbol##_pass_by, s, r); }                         \
    };                                                                                             \
    extern "C" {                                                                                   \
    constinit std::atomic<function_for<s, r>*> symbol##_target{&entry<s, r>::enter};               \
    }

#define SPELL_SYMBOL(symbol, name, id, used, integer)                                              \
    DEFINE(symbol, spelling::id, routine::name)                                                    \
    FORWARD(symbol, used, integer)
#define SPELL_LEVEL3(symbol, name, id, used, integer, extents)                                     \
    DEFINE(symbol, spelling::id, routine::name)                                                    \
    extern "C" {                                                                                   \
    extern function_for<spelling::id, routine::name>* const symbol##_enter;                        \
    function_for<spelling::id, routine::name>* const symbol##_enter =                              \
        &entry<spelling::id, routine::name>::enter;                                                \
    }                                                                                              \
    FORWARD_SMALL(symbol, used, integer, extents)

#define SPELL(name, id, used, integer, before, after)                                              \
    SPELL_SYMBOL(before##name##after, name, id, used, integer)
#define SPELL_three_behind_two(name, id, used, integer, before, after)                             \
    SPELL_LEVEL3(before##name##after, name, id, used, integer, three_behind_two)
#define SPELL_two_behind_two(name, id, used, integer, before, after)                               \
    SPELL_LEVEL3(before##name##after, name, id, used, integer, two_behind_two)
#define SPELL_two_behind_three(name, id, used, integer, before, after)                             \
    SPELL_LEVEL3(before##name##after, name, id, used, integer, two_behind_three)
#define SPELL_two_behind_four(name, id, used, integer, before, after)                              \
    SPELL_LEVEL3(before##name##after, name, id, used, integer, two_behind_four)

namespace myblas::preload {

#define BLAS_ENTRY(name, ...) BLAS_SPELLINGS(SPELL, name)
#define BLAS_LEVEL3(name, routine, call, signature, extents) BLAS_SPELLINGS(SPELL_##extents, name)
#include "common/entries.inc"
#undef BLAS_ENTRY
#undef BLAS_LEVEL3

} // namespace myblas::preload
