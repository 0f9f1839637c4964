// Replaces dynamic_smem.cuh on a CPU: one block runs at a time, so all blocks use the same memory.
#pragma once

namespace myblas::cuda {

template <class T>
T& dynamic_smem() {
    static T memory;
    return memory;
}

} // namespace myblas::cuda
