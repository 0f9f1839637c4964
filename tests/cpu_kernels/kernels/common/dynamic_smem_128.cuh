// In place of the library's: blocks run one after the other, so one piece of memory serves all of them.
#pragma once

namespace myblas::cuda {

template <class T>
T& dynamic_smem_128() {
    alignas(128) static unsigned char memory[sizeof(T)];
    return *reinterpret_cast<T*>(memory);
}

} // namespace myblas::cuda
