// CUDA errors as exceptions, because the bench has no caller that takes a status.
#pragma once

#include "errors.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace bench {

inline void require_cuda(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw failure(std::string(what) + ": " + cudaGetErrorString(error));
}

inline void
copy_async(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    require_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
}

class device_memory {
public:
    explicit device_memory(size_t bytes) : bytes_(bytes) {
        require_cuda(cudaMalloc(&data_, bytes), "cudaMalloc");
    }
    ~device_memory() { cudaFree(data_); }
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;

    void* data() const { return data_; }
    size_t bytes() const { return bytes_; }

private:
    void* data_ = nullptr;
    size_t bytes_;
};

class cuda_stream {
public:
    cuda_stream() {
        require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                     "cudaStreamCreateWithFlags");
    }
    ~cuda_stream() { cudaStreamDestroy(stream_); }
    cuda_stream(const cuda_stream&) = delete;
    cuda_stream& operator=(const cuda_stream&) = delete;

    cudaStream_t get() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

class cuda_event {
public:
    cuda_event() { require_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
    ~cuda_event() { cudaEventDestroy(event_); }
    cuda_event(const cuda_event&) = delete;
    cuda_event& operator=(const cuda_event&) = delete;

    void record(cudaStream_t stream) {
        require_cuda(cudaEventRecord(event_, stream), "cudaEventRecord");
    }
    void wait() { require_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
    double us_since(const cuda_event& start) const {
        float ms = 0;
        require_cuda(cudaEventElapsedTime(&ms, start.event_, event_), "cudaEventElapsedTime");
        return 1000.0 * ms;
    }

private:
    cudaEvent_t event_ = nullptr;
};

} // namespace bench
