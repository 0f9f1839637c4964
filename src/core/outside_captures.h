// Calls of CUDA's that must not become part of a graph, or invalidate one.
#pragma once

#include <cuda_runtime.h>

namespace myblas {

// During its lifetime this thread may make calls that would otherwise invalidate a capture anywhere
// in the process. The calls do not become part of the graph.
class outside_captures {
public:
    outside_captures() : has_changed(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess) {}
    ~outside_captures() {
        if (has_changed)
            cudaThreadExchangeStreamCaptureMode(&mode);
    }
    outside_captures(const outside_captures&) = delete;
    outside_captures& operator=(const outside_captures&) = delete;

private:
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    const bool has_changed;
};

} // namespace myblas
