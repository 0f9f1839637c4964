// Elements that are moved and never interpreted, by their size.
#pragma once

#include "core/problem.h"
#include "myblas/myblas.h"

#include <cstdint>

namespace myblas::host {

// may_alias: the caller's elements have other types.
template <class Bits>
struct [[gnu::may_alias]] element {
    Bits bits;
};

struct alignas(16) two_words {
    uint64_t low, high;
};

// Calls run with an element of the problem's size. Only the element's type is used.
template <class Run>
myblasStatus_t with_element(const transpose_problem& p, Run run) {
    switch (p.element_bytes) {
    case 1:
        return run(element<uint8_t>{});
    case 2:
        return run(element<uint16_t>{});
    case 4:
        return run(element<uint32_t>{});
    case 8:
        return run(element<uint64_t>{});
    case 16:
        return run(element<two_words>{});
    default:
        return MYBLAS_STATUS_NOT_SUPPORTED;
    }
}

} // namespace myblas::host
