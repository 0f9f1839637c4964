// Sums that blocks pass to one of them through global memory, without fences, atomics or a reset. A
// slot is zero until its words are written. Each word is written atomically and is never zero, so
// it is its own signal. The reader writes zero back.
#pragma once

#include "kernels/common/reduce.cuh"
#include "kernels/common/relaxed.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace myblas::cuda {

// The number of words in a slot, which holds one carrier (reduce.cuh).
template <class Carrier>
inline constexpr int slot_words = sizeof(Carrier) / sizeof(uint64_t);

// Writes a slot: word w of slot s is at words[w * slots + s].
template <class Carrier>
__device__ void put_sum(uint64_t* words, int slots, int slot, const Carrier& sum) {
    uint64_t part[slot_words<Carrier>];
    std::memcpy(part, &sum, sizeof(sum));
#pragma unroll
    for (int w = 0; w < slot_words<Carrier>; ++w)
        store_relaxed(words + w * slots + slot, Carrier::packed(part[w]));
}

// Waits for the sums of all slots and adds them. `takers` threads call it; each returns its part of
// the total. at_once: slots that a thread loads together.
template <class Carrier, int takers, int at_once>
__device__ Carrier take_sums(uint64_t* words, int slots) {
    constexpr uint64_t nothing = uint64_t{1} << 63; // Carrier{}, packed
    Carrier total{};
    for (int first = threadIdx.x; first < slots; first += at_once * takers) {
        uint64_t word[at_once][slot_words<Carrier>];
        bool is_complete;
        do {
            is_complete = true;
#pragma unroll
            for (int k = 0; k < at_once; ++k)
#pragma unroll
                for (int w = 0; w < slot_words<Carrier>; ++w) {
                    const int slot = first + k * takers;
                    word[k][w] = slot < slots ? load_relaxed(words + w * slots + slot) : nothing;
                }
#pragma unroll
            for (int k = 0; k < at_once; ++k)
#pragma unroll
                for (int w = 0; w < slot_words<Carrier>; ++w)
                    is_complete = is_complete && word[k][w] != 0;
        } while (!is_complete);
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
#pragma unroll
            for (int w = 0; w < slot_words<Carrier>; ++w)
                word[k][w] = Carrier::unpacked(word[k][w]);
            Carrier sum;
            std::memcpy(&sum, word[k], sizeof(sum));
            total += sum;
#pragma unroll
            for (int w = 0; w < slot_words<Carrier>; ++w)
                if (first + k * takers < slots)
                    store_relaxed(words + w * slots + first + k * takers, 0);
        }
    }
    return total;
}

// ---- Slots of one float -------------------------------------------------------------------------

// -0 stands for zero: adding it changes nothing either.
__device__ inline void put_float(uint32_t* slot, float value) {
    store_relaxed(slot, __float_as_uint(value == 0 ? -0.0f : value));
}

// The sum of slots first, first + step, ... below `count`, which are `apart` words apart. Waits for
// each slot. at_once: slots that are read together.
template <int apart, int at_once>
__device__ float take_floats(uint32_t* slots, int first, int step, int count) {
    float total = 0;
    for (; first < count; first += at_once * step) {
        uint32_t value[at_once];
        bool is_complete;
        do {
            is_complete = true;
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                const int slot = first + i * step;
                value[i] =
                    slot < count ? load_relaxed(slots + slot * apart) : __float_as_uint(-0.0f);
                is_complete = is_complete && value[i] != 0;
            }
        } while (!is_complete);
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            total += __uint_as_float(value[i]);
            if (first + i * step < count)
                store_relaxed(slots + (first + i * step) * apart, 0);
        }
    }
    return total;
}

} // namespace myblas::cuda
