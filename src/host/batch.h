// The start of an operand in a batch. With pointer arrays, `stride` is the offset from the pointer
// to element 0 (routines/operands.h). `base` may be null if the operand is not read.
#pragma once

#include <cstdint>

namespace myblas::host {

template <class T>
T* batch_operand(T* base, int64_t stride, T* const* array, int64_t index) {
    if (array)
        return array[index] + stride;
    return base ? base + index * stride : nullptr;
}

} // namespace myblas::host
