// The operands of one problem of a batch.
#pragma once

#include "level3/steps.h"

namespace myblas::cuda {

template <class T>
__device__ T* base_of(const batch_base<T>& of, int64_t index) {
    return (of.array ? of.array[index] : of.base + index * of.stride) + of.offset;
}

} // namespace myblas::cuda
