// The library under test: its functions, a handle, memory from it, and the call that a shape
// describes.
#pragma once

#include "blas_functions.h"
#include "machine.h"
#include "myblas/myblas.h"
#include "myblas/myblas_kernels.h"
#include "shape.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

// Throws failure, with `what` in its text, unless the status is SUCCESS.
void require(myblasStatus_t, const char* what);

// The functions that a comparison needs, of the linked library or of another build of it; null
// where it lacks one.
struct library_functions {
    explicit library_functions(const dynamic_library&);
    bool is_complete() const; // whether all functions that belong to no routine were found

    blas_functions routines;
    decltype(&myblasCreateOn) create_on = nullptr;
    decltype(&myblasDestroy) destroy = nullptr;
    decltype(&myblasSetStream) set_stream = nullptr;
    decltype(&myblasSetMathMode) set_math_mode = nullptr;
    decltype(&myblasSetPointerMode) set_pointer_mode = nullptr;
    decltype(&myblasSetWorkspace) set_workspace = nullptr;
    decltype(&myblasGetWorkspaceSize) get_workspace_size = nullptr;
    decltype(&myblasForceKernel) force_kernel = nullptr;
};
const library_functions& linked_library();

inline myblasStatus_t call_routine(const library_functions& library,
                                   myblasHandle_t handle,
                                   const shape& s,
                                   const operands& o) {
    return call_blas<int64_t>(library.routines, handle, s, o);
}

class buffer;

class library_handle {
public:
    explicit library_handle(myblasBackend_t wanted); // AUTO: as MYBLAS_BACKEND says
    ~library_handle();
    library_handle(const library_handle&) = delete;
    library_handle& operator=(const library_handle&) = delete;

    myblasHandle_t get() const { return handle_; }
    myblasBackend_t backend() const;

    // These throw failure where the library refuses.
    void set_math(myblasMath_t) const;
    myblasMath_t math() const;
    void set_stream(myblasStream_t) const;                // also drops a workspace that was lent
    void lend(const buffer&) const;                       // as its workspace, unless empty
    void force(routine, const std::string& kernel) const; // empty: the library's choice
    std::string last_kernel(routine) const;
    std::string choice(const shape&, const operands&) const; // what would take the call
    myblasKernelEstimate_t estimate(const shape&, const operands&, int kernel) const;

    // The call itself. Reductions leave their result in device memory: o.c.
    myblasStatus_t call(const shape& s, const operands& o) const {
        return call_routine(linked_library(), handle_, s, o);
    }

private:
    myblasHandle_t handle_ = nullptr;
};

class buffer {
public:
    buffer() = default;
    buffer(const library_handle&, size_t bytes);

    void* data() const { return data_.get(); }
    size_t bytes() const { return bytes_; }

private:
    std::shared_ptr<void> data_;
    size_t bytes_ = 0;
};

// A routine's kernels in ladder order.
std::vector<myblasKernelInfo_t> kernels_of(myblasBackend_t, routine);
std::vector<std::string> kernel_names(myblasBackend_t, routine);

// Whether there is a kernel or a family of that name. A family's name stands before the slash of
// its kernels' names.
bool has_kernel(myblasBackend_t, routine, const std::string& name);

// The names of modes on the command line and in files.
inline constexpr named<myblasMath_t> math_modes[] = {
    {"strict", MYBLAS_FP32_STRICT_MATH},
    {"emulated", MYBLAS_FP32_EMULATED_MATH},
    {"fast", MYBLAS_FP32_FAST_MATH},
    {"reproducible", MYBLAS_FP32_REPRODUCIBLE_MATH}};
inline const char* to_text(myblasMath_t math) { return name_of(math_modes, math); }
// The modes that differ in accuracy; reproducible is as accurate as strict.
inline constexpr std::span accuracy_modes(math_modes, 3);

// The call as data, for the library's questions about it.
myblasCall_t describe_call(const shape&, const operands&);

// Bytes of workspace that the call wants with the present settings of the handle; 0 if no kernel
// accepts it.
size_t wanted_workspace(const library_handle&, const shape&, const operands&);

// A workspace of the largest of these sizes that leave half of the machine's memory free; empty if
// there is none.
buffer make_workspace(const library_handle&, const machine&, std::span<const size_t> wanted);

// The pointers to all A of a batch, then to all B, then to all C.
std::vector<float*> batch_pointers(const shape&, const operands&);
// Makes the operands use such pointers, which are in the machine's memory.
void use_pointers(operands&, const buffer& pointers, int64_t batch);

// A host copy of C, which is m x n and tight.
std::vector<float> fetch_c(machine&, const shape&, const operands&);
// The same after a call. Before the call C is NaN, because it must not be read if beta is 0.
std::vector<float>
result_of(machine&, const shape&, const operands&, const std::function<void()>& call);

// Where scalars are in a call.
myblasPointerMode_t pointer_mode(routine);

} // namespace bench
