// Functions of the CUDA driver, which are found at run time: the library does not link libcuda.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>

namespace myblas {

// Looked up once, or again after a lookup that failed. `Function` is the type of the function.
template <class Function>
class driver_function {
public:
    constexpr explicit driver_function(const char* symbol) : name(symbol) {}

    // Null: the driver lacks it, or the lookup failed.
    Function* get() {
        if (Function* const known = found.load(std::memory_order_relaxed))
            return known;
        if (is_missing.load(std::memory_order_relaxed))
            return nullptr;
        void* address = nullptr;
        cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
        const cudaError_t error =
            cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &result);
#else
        const cudaError_t error =
            cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &result);
#endif
        if (error != cudaSuccess)
            return nullptr;
        if (result != cudaDriverEntryPointSuccess) {
            is_missing.store(true, std::memory_order_relaxed);
            return nullptr;
        }
        auto* const function = reinterpret_cast<Function*>(address);
        found.store(function, std::memory_order_relaxed);
        return function;
    }

private:
    const char* const name;
    std::atomic<Function*> found{nullptr};
    std::atomic<bool> is_missing{false};
};

} // namespace myblas
