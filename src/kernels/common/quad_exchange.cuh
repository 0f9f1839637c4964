// The exchange of sums in a cluster: each block receives, in its shared memory, the other blocks'
// sums for its share of a tile (compute capability 9.0).
#pragma once

#include "kernels/common/cluster.cuh"

namespace myblas::cuda {

// One thread's view. The memory is used once, as quads[sending block][quad of the share][thread].
struct quad_exchange {
    float4* quads;      // of this thread
    uint64_t* complete; // barrier
    int share;          // quads of a thread that one block sends to another, at most
    int threads;

    // All threads of all blocks call open() before any sends, and is_open() after, with other work
    // in between.
    __device__ __forceinline__ void open(int bytes) const {
        expect_bytes(complete, bytes);
        cluster_arrive();
    }
    __device__ __forceinline__ void is_open() const { cluster_wait(); }

    // Sends quad number `number` of the share of block `to`. The block may exit immediately
    // afterwards.
    __device__ __forceinline__ void send(int from, int to, int number, const float4& sum) const {
        send_to_block(quads + (from * share + number) * threads, complete, to, sum);
    }

    __device__ __forceinline__ void wait() const { wait_for_bytes(complete); }
    __device__ __forceinline__ const float4& operator()(int from, int number) const {
        return quads[(from * share + number) * threads];
    }
};

} // namespace myblas::cuda
