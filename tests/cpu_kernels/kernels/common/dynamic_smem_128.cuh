// Replaces dynamic_smem_128.cuh on a CPU: one block runs at a time, so all blocks use the same
// memory.
#pragma once

namespace myblas::cuda {

template <class T>
T& dynamic_smem_128() {
    alignas(128) static unsigned char memory[sizeof(T)];
    return *reinterpret_cast<T*>(memory);
}

} // namespace myblas::cuda
