// The way of every entry point: what deserves no attention is forwarded at once, by a jump; the rest is
// offered to the devices first.
//
// The smallest products take a BLAS some 50 ns, so that of them each nanosecond in front counts. Storing the
// arguments again that lie on the stack, as a compiler does for a call, costs more than all decisions. So
// on x86-64 the entry points of sgemm are written in assembly: ten instructions, which take no longer than
// the jump at their end. They send small products of the code that called first to its BLAS, and all else
// to functions that are declared with those arguments alone that come in registers: the others stay where
// the caller put them, for the function that the next jump leads to. The test `jumps` looks at the machine
// code.
#pragma once

#include "blas/offload.h"

namespace myblas::preload {

#ifdef __x86_64__
static_assert(offsetof(first_caller, bytes) == 8 && offsetof(first_caller, sgemm) == 16);
#endif

// Where a product goes: to the caller's BLAS, if it is small and that is known at once, or to
// `attend_product`, which has its parameters.
template <class Function>
[[gnu::always_inline]] inline void*
target_of(Function* attend_product, const void* caller, interface used, int m, int n, int k) {
    if ((m | n | k) < least_attended_extent.load(std::memory_order_relaxed)) [[likely]]
        if (const program_blas* own = known_blas_of(caller, used)) [[likely]]
            if (void* function = own->functions[static_cast<int>(routine::sgemm)]) [[likely]]
                return function;
    return reinterpret_cast<void*>(attend_product);
}

template <class Function, class Call, class... Arguments>
[[gnu::noinline]] void attend(Function* own_function,
                              const Call& call,
                              const origin& from,
                              Arguments... arguments) noexcept {
    attended_call attended(Call::kind, call.shape());
    if (!attended.is_nested() && attended.offer(call, from))
        return;
    if (call.wrong_argument() != 0)
        attended.finish();
    if (own_function)
        own_function(arguments...);
    else
        compute_on_host(call, from);
}

// The same for functions: the value is in *result.
template <class Function, class Call, class... Arguments>
[[gnu::noinline]] void attend_function(Function* own_function,
                                       const Call& call,
                                       const origin& from,
                                       Arguments... arguments) noexcept {
    attended_call attended(Call::kind, call.shape());
    if (!attended.is_nested() && attended.offer(call, from))
        return;
    if (call.wrong_argument() != 0)
        attended.finish();
    if (own_function)
        *call.result = own_function(arguments...);
    else if (call.is_trivial())
        *call.result = 0;
    else
        compute_on_host(call, from);
}

} // namespace myblas::preload
