// Where a matrix of a batch starts. The stride of what an array points to is added to its pointers (select.h).
#pragma once

#include <cstdint>

namespace myblas::host {

template <class T>
T* batch_operand(T* base, int64_t stride, T* const* array, int64_t index) {
    return array ? array[index] + stride : base + index * stride;
}

} // namespace myblas::host
