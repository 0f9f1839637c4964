// Asynchronous copies from global to shared memory, sm_80 and later.
// PTX ISA, "Data Movement and Conversion Instructions: cp.async" and "cp.async.wait_group".
#pragma once

#include <cstdint>

namespace myblas::cuda {

// Copies `bytes` (4, 8 or 16; source and target aligned to `bytes`). If `reads` is false, writes
// zeroes and does not read the source. PTX could copy a smaller part of the source too, but tools
// that check memory accesses take such a copy for a whole one.
template <int bytes>
__device__ __forceinline__ void cp_async(void* smem_target, const void* gmem_source, bool reads) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(smem_target));
    const int source_bytes = reads ? bytes : 0;
    if constexpr (bytes == 16) // bypasses L1: a block reads a slab once
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target),
                     "l"(gmem_source),
                     "r"(source_bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target),
                     "l"(gmem_source),
                     "n"(bytes),
                     "r"(source_bytes)
                     : "memory");
}

// The same without a bounds check.
template <int bytes>
__device__ __forceinline__ void cp_async(void* smem_target, const void* gmem_source) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(smem_target));
    if constexpr (bytes == 16) // bypasses L1: a block reads a slab once
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(gmem_source)
                     : "memory");
    else
        asm volatile(
            "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target), "l"(gmem_source), "n"(bytes)
            : "memory");
}

// cp_async() if left > offset; otherwise nothing is read or written. One predicate, no branch.
template <int bytes>
__device__ __forceinline__ void
cp_async_if_beyond(void* smem_target, const void* gmem_source, int left, int offset) {
    static_assert(bytes == 4 || bytes == 16);
    const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(smem_target));
    if constexpr (bytes == 16) // bypasses L1: a block reads a slab once
        asm volatile("{\n"
                     ".reg .pred is_copied;\n"
                     "setp.gt.s32 is_copied, %2, %3;\n"
                     "@is_copied cp.async.cg.shared.global [%0], [%1], 16;\n"
                     "}" ::"r"(target),
                     "l"(gmem_source),
                     "r"(left),
                     "r"(offset)
                     : "memory");
    else
        asm volatile("{\n"
                     ".reg .pred is_copied;\n"
                     "setp.gt.s32 is_copied, %2, %3;\n"
                     "@is_copied cp.async.ca.shared.global [%0], [%1], 4;\n"
                     "}" ::"r"(target),
                     "l"(gmem_source),
                     "r"(left),
                     "r"(offset)
                     : "memory");
}

// An unconditional copy from a cache line that other lanes or blocks also read: the L2 cache
// fetches all 128 bytes.
template <int bytes>
__device__ __forceinline__ void cp_async_of_line(void* smem_target, const void* gmem_source) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(smem_target));
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(target),
                     "l"(gmem_source)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;" ::"r"(target),
                     "l"(gmem_source),
                     "n"(bytes)
                     : "memory");
}

// Closes the group of copies that this thread has issued since the last commit. It may be empty.
__device__ __forceinline__ void cp_async_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` of this thread's groups are unfinished.
template <int pending>
__device__ __forceinline__ void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

} // namespace myblas::cuda
