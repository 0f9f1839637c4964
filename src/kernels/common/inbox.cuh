// Sends a value from each block of a cluster to its first block (compute capability 9.0).
#pragma once

#include "kernels/common/cluster.cuh"

#include <cstdint>
#include <cstring>

namespace myblas::cuda {

// Lies in the shared memory of every block of a cluster; only the first block's inbox is used, and
// only once.
template <class Value>
class inbox {
    static_assert(sizeof(Value) % 8 == 0);

public:
    // All threads of all blocks call open(), then is_open(), and may do other work in between.
    __device__ void open(int rank, int blocks) {
        if (rank == 0)
            expect_bytes(&barrier_, (blocks - 1) * static_cast<int>(sizeof(Value)));
        cluster_arrive();
    }

    __device__ void is_open() { cluster_wait(); }

    // Called by one thread of each block except the first. The block may exit immediately
    // afterwards.
    __device__ void send(int rank, const Value& value) {
        constexpr int words = sizeof(Value) / 8;
        uint64_t word[words];
        std::memcpy(word, &value, sizeof(Value));
        const uint32_t barrier = address_in_block(&barrier_, 0);
        const uint32_t target = address_in_block(value_ + rank, 0);
#pragma unroll
        for (int w = 0; w < words; ++w)
            send_to_place(target + 8 * w, barrier, word[w]);
    }

    // For the first block: wait() waits for all values; [rank] is the value from block `rank` > 0.
    __device__ void wait() { wait_for_bytes(&barrier_); }
    __device__ Value operator[](int rank) const { return value_[rank]; }

private:
    alignas(8) uint64_t barrier_;
    alignas(8) Value value_[largest_cluster];
};

} // namespace myblas::cuda
