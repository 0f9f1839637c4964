// The way of every entry point: what deserves no attention is forwarded at once, by a jump; the rest is
// offered to the devices first.
#pragma once

#include "blas/offload.h"

namespace myblas::preload {

template <class Function, class Call, class... Arguments>
[[gnu::noinline]] void attend(Function* own_function,
                              const Call& call,
                              const origin& from,
                              Arguments... arguments) noexcept {
    attended_call attended(Call::kind, call.shape());
    if (!attended.is_nested() && attended.offer(call, from))
        return;
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
    if (own_function)
        *call.result = own_function(arguments...);
    else if (call.is_trivial())
        *call.result = 0;
    else
        compute_on_host(call, from);
}

} // namespace myblas::preload
