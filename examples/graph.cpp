// An iterative solver, recorded once as a CUDA graph and replayed: many small calls at the price of
// one launch.
//
// Richardson's iteration solves A x = b for a well-conditioned A: r = b - A x, x = x + w r. A round
// is three calls of the library that do not wait, so they can be captured. Without a GPU the same
// rounds run call by call.
//
//     CUDA="-I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcudart"
//     c++ graph.cpp -o graph $(pkg-config --cflags --libs myblas) $CUDA
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <memory>
#include <myblas/myblas.h>
#include <vector>

namespace {

constexpr int n = 500, rounds_of_graph = 10, replays = 5;
constexpr float weight = 0.9f;

void check(myblasStatus_t status, const char* what) {
    if (status == MYBLAS_STATUS_SUCCESS)
        return;
    std::fprintf(stderr, "%s: %s\n", what, myblasGetStatusString(status));
    std::exit(EXIT_FAILURE);
}

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
}

struct destroy {
    void operator()(myblasHandle_t handle) const { myblasDestroy(handle); }
};

// Memory of the handle's backend.
class vector_on_device {
public:
    vector_on_device(myblasHandle_t handle, const std::vector<float>& values) : handle_(handle) {
        void* memory = nullptr;
        check(myblasMalloc(handle, &memory, values.size() * sizeof(float)), "myblasMalloc");
        data_ = static_cast<float*>(memory);
        const int count = static_cast<int>(values.size());
        check(myblasSetVector(handle, count, sizeof(float), values.data(), 1, data_, 1),
              "myblasSetVector");
    }
    ~vector_on_device() { myblasFree(handle_, data_); }
    vector_on_device(const vector_on_device&) = delete;
    vector_on_device& operator=(const vector_on_device&) = delete;
    float* get() const { return data_; }

private:
    myblasHandle_t handle_;
    float* data_ = nullptr;
};

// The calls of some rounds. Scalars in host memory are read when a call is made, so the graph holds
// their values.
void iterate(myblasHandle_t handle, const float* a, const float* b, float* x, float* r) {
    const float one = 1, minus_one = -1;
    for (int round = 0; round < rounds_of_graph; ++round) {
        check(myscopy(handle, n, b, 1, r, 1), "myscopy");
        check(mysgemv(handle, MYBLAS_OP_N, n, n, &minus_one, a, n, x, 1, &one, r, 1), "mysgemv");
        check(mysaxpy(handle, n, &weight, r, 1, x, 1), "mysaxpy");
    }
}

} // namespace

int main() {
    myblasHandle_t created = nullptr;
    check(myblasCreate(&created), "myblasCreate");
    const std::unique_ptr<myblasContext, destroy> owner(created);
    const myblasHandle_t handle = owner.get();
    myblasBackend_t backend;
    check(myblasGetBackend(handle, &backend), "myblasGetBackend");

    // The identity plus small elements; the solution for this right side is all ones.
    std::vector<float> matrix(n * n), right(n), solution(n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const float element =
                (i == j ? 1.0f : 0.0f) + static_cast<float>((i * 31 + j * 17) % 10) / (20.0f * n);
            matrix[i + j * n] = element;
            right[i] += element;
        }
    const vector_on_device a(handle, matrix), b(handle, right), x(handle, solution),
        r(handle, solution);

    if (backend == MYBLAS_BACKEND_CUDA) {
        myblasStream_t stream = nullptr;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        // The legacy default stream cannot be captured.
        check(myblasStreamCreate(handle, &stream), "myblasStreamCreate");
        check(myblasSetStream(handle, stream), "myblasSetStream");
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
              "cudaStreamBeginCapture");
        iterate(handle, a.get(), b.get(), x.get(), r.get());
        check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
        check(cudaGraphInstantiateWithFlags(&executable, graph, 0),
              "cudaGraphInstantiateWithFlags");
        for (int replay = 0; replay < replays; ++replay)
            check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
        check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
        check(cudaGraphDestroy(graph), "cudaGraphDestroy");
        std::printf("%d replays of a graph of %d calls\n", replays, 3 * rounds_of_graph);
        check(myblasStreamDestroy(handle, stream), "myblasStreamDestroy");
    } else {
        for (int replay = 0; replay < replays; ++replay)
            iterate(handle, a.get(), b.get(), x.get(), r.get());
        std::printf("no GPU: %d rounds, call by call\n", replays * rounds_of_graph);
    }

    check(myblasGetVector(handle, n, sizeof(float), x.get(), 1, solution.data(), 1),
          "myblasGetVector");
    float error = 0;
    for (const float value : solution)
        error = std::fmax(error, std::fabs(value - 1));
    std::printf("the largest error of x is %.1e\n", static_cast<double>(error));
    return error < 1e-4f ? EXIT_SUCCESS : EXIT_FAILURE;
}
