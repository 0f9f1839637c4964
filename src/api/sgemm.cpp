// Products with special rules: fused products, operands in host memory, groups.
#include "api/enter.h"
#include "api/memory.h"

#include <algorithm>

namespace myblas {
namespace {

// ---- Fused products -----------------------------------------------------------------------------

// The operands that a fused product adds to mysgemm; C of the product is D.
fault check_epilogue(const sgemm_problem& p, const myblasEpilogue_t* epilogue) {
    if (const fault wrong = check_columns("D", p.ldc, p.m))
        return wrong;
    if (!epilogue)
        return nullptr;
    if (epilogue->size_bytes != sizeof *epilogue)
        return wrong_size("epilogue->size_bytes", epilogue->size_bytes, sizeof *epilogue);
    if (epilogue->activation != MYBLAS_ACTIVATION_NONE &&
        epilogue->activation != MYBLAS_ACTIVATION_RELU &&
        epilogue->activation != MYBLAS_ACTIVATION_GELU)
        return {"epilogue->activation", epilogue->activation, "which is not an activation"};
    if (epilogue->bias_of != MYBLAS_BIAS_OF_ROWS && epilogue->bias_of != MYBLAS_BIAS_OF_COLUMNS)
        return {"epilogue->bias_of", epilogue->bias_of, "which is neither rows nor columns"};
    return epilogue->aux ? check_distance("epilogue->ldaux", epilogue->ldaux, "but aux has", p.m)
                         : nullptr;
}

} // namespace

[[gnu::flatten]] myblasStatus_t
run(const char* function, myblasContext& handle, fused_product& f) noexcept {
    sgemm_problem& p = f.product;
    if (const fault found = check_epilogue(p, f.epilogue))
        return refuse(function, found);
    if (p.is_empty())
        return MYBLAS_STATUS_SUCCESS;
    const float* const beta = p.beta.device; // so far, an address in either pointer mode
    const bool reads_c = beta && may_be_nonzero(read_scalar(handle, beta));
    if (reads_c && !f.c)
        return refuse(function, "C is NULL");
    if (!p.c)
        return refuse(function, "D is NULL");
    if (f.c && f.c == p.c && (f.ldc != p.ldc || (p.batch_count > 1 && f.stride_c != p.stride_c)))
        return refuse(function, "D is C with another ldd or strideD");
    if (const myblasEpilogue_t* e = f.epilogue) {
        p.epilogue.activation = e->activation;
        p.epilogue.is_bias_of_columns = e->bias && e->bias_of == MYBLAS_BIAS_OF_COLUMNS;
        p.epilogue.bias = e->bias;
        p.epilogue.stride_bias = e->bias ? e->stride_bias : 0;
        p.epilogue.aux = e->aux;
        p.epilogue.ld_aux = e->aux ? e->ldaux : 1;
        p.epilogue.stride_aux = e->aux ? e->stride_aux : 0;
    }
    if (reads_c && f.c != p.c) {
        p.epilogue.source = f.c;
        p.epilogue.ld_source = f.ldc;
        p.epilogue.stride_source = f.stride_c;
    }
    bool is_done;
    const myblasStatus_t status = complete(function, handle, p, scalar_reader(handle), &is_done);
    if (is_done)
        return status;
    if (p.math == MYBLAS_FP32_REPRODUCIBLE_MATH && p.epilogue.activation == MYBLAS_ACTIVATION_GELU)
        return refuse(function, MYBLAS_STATUS_NOT_SUPPORTED, "GELU is not reproducible");
    return dispatch(handle, function, p);
}

namespace {

// ---- Operands in host memory --------------------------------------------------------------------

// Reads scalars from host memory in both pointer modes.
struct host_scalars : ignored_operands {
    const char* missing = nullptr; // the first that is NULL

    void scalar(const char* name, myblas::scalar& s) {
        if (s.device)
            s = {*s.device, nullptr};
        else if (!missing)
            missing = name;
    }
};

// A matrix in host memory and its copy on the device, which has no gaps.
struct staged_matrix {
    float* host;
    int64_t rows, cols, ld;
    bool is_read;
    float* device = nullptr;

    size_t bytes() const { return static_cast<size_t>(rows * cols) * sizeof(float); }
    matrix_copy copy(bool to_device) const {
        const matrix_transfer in_elements{.rows = rows,
                                          .cols = cols,
                                          .element_bytes = sizeof(float),
                                          .source = to_device ? host : device,
                                          .source_ld = to_device ? ld : rows,
                                          .target = to_device ? device : host,
                                          .target_ld = to_device ? rows : ld};
        return in_elements.in_bytes(to_device);
    }
};

// Computes a nontrivial problem with copies on the device.
myblasStatus_t sgemm_staged(const char* function, myblasContext& handle, sgemm_problem p) noexcept {
    const backend_ops& backend = *handle.backend;
    const device_guard guard(handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (const myblasStatus_t failure = refuse_capture(function, handle, handle.stream))
        return failure;

    const bool reads_ab = p.reads_ab();
    staged_matrix operands[] = {
        {const_cast<float*>(p.a), p.transa ? p.k : p.m, p.transa ? p.m : p.k, p.lda, reads_ab},
        {const_cast<float*>(p.b), p.transb ? p.n : p.k, p.transb ? p.k : p.n, p.ldb, reads_ab},
        {p.c, p.m, p.n, p.ldc, may_be_nonzero(p.beta)}};
    auto& [a, b, c] = operands;

    myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
    for (staged_matrix& x : operands) {
        const bool is_needed = x.is_read || &x == &c;
        void* memory = nullptr;
        if (status == MYBLAS_STATUS_SUCCESS && is_needed)
            status = backend.allocate(&memory, x.bytes());
        x.device = static_cast<float*>(memory);
        if (status == MYBLAS_STATUS_SUCCESS && x.is_read)
            status = backend.copy(x.copy(true), handle.stream);
    }
    if (status != MYBLAS_STATUS_SUCCESS) {
        refuse(function, status, "the operands cannot be brought to the device");
    } else {
        p.a = a.device;
        p.lda = std::max<int64_t>(1, a.rows);
        p.b = b.device;
        p.ldb = std::max<int64_t>(1, b.rows);
        p.c = c.device;
        p.ldc = c.rows;
        status = dispatch(handle, function, p);
        if (status == MYBLAS_STATUS_SUCCESS &&
            (backend.copy(c.copy(false), handle.stream) != MYBLAS_STATUS_SUCCESS ||
             backend.stream_synchronize(handle.stream) != MYBLAS_STATUS_SUCCESS))
            status = refuse(function, MYBLAS_STATUS_MAPPING_ERROR, "the result did not arrive");
    }
    for (const staged_matrix& x : operands)
        if (backend.release(x.device) != MYBLAS_STATUS_SUCCESS && status == MYBLAS_STATUS_SUCCESS)
            status = refuse(function, MYBLAS_STATUS_MAPPING_ERROR, "the memory cannot be freed");
    return status;
}

} // namespace

myblasStatus_t run(const char* function, myblasContext& handle, host_product& host) noexcept {
    bool is_done;
    const myblasStatus_t status =
        complete(function, handle, host.product, host_scalars(), &is_done);
    if (is_done)
        return status;
    return handle.backend->id == MYBLAS_BACKEND_HOST ? dispatch(handle, function, host.product)
                                                     : sgemm_staged(function, handle, host.product);
}

namespace {

// ---- Groups -------------------------------------------------------------------------------------

// The first array that is missing; null if none is.
template <class Size>
fault missing_array(const groups<Size>& all) {
    const struct {
        const void* array;
        const char* missing;
    } arrays[] = {
        {all.transa, "transa_array is NULL"},
        {all.transb, "transb_array is NULL"},
        {all.m, "m_array is NULL"},
        {all.n, "n_array is NULL"},
        {all.k, "k_array is NULL"},
        {all.alpha, "alpha_array is NULL"},
        {all.a, "Aarray is NULL"},
        {all.lda, "lda_array is NULL"},
        {all.b, "Barray is NULL"},
        {all.ldb, "ldb_array is NULL"},
        {all.beta, "beta_array is NULL"},
        {all.c, "Carray is NULL"},
        {all.ldc, "ldc_array is NULL"},
        {all.size, "group_size is NULL"},
    };
    for (const auto& x : arrays)
        if (!x.array)
            return x.missing;
    return nullptr;
}

// visit(problem) for each group in which there is something to compute, after its check; ends with
// the first group that is wrong or whose visit fails.
template <class Size, class Visitor>
myblasStatus_t for_each_group(const char* function,
                              myblasContext& handle,
                              const groups<Size>& all,
                              Visitor&& visit) noexcept {
    wide first = 0; // groups in which there is nothing to compute may be of any size
    for (int64_t g = 0; g < all.count; first += all.size[g], ++g) {
        const bool is_in_reach = is_addressable(first + all.size[g], sizeof(float*));
        const int64_t reached = is_in_reach ? static_cast<int64_t>(first) : 0;
        // clang-format off
        const argument given[] = {
            all.transa[g],  all.transb[g],   all.m[g],   all.n[g],        all.k[g],
            all.alpha + g,  all.a + reached, all.lda[g], all.b + reached, all.ldb[g],
            all.beta + g,   all.c + reached, all.ldc[g], all.size[g],
        };
        // clang-format on
        reader list(argument_source(given, batch_form::arrays, false));
        sgemm_problem p;
        p.operands(list);
        if (list.wrong)
            return refuse(function, list.wrong);
        bool is_done;
        const myblasStatus_t status =
            complete(function, handle, p, scalar_reader(handle), &is_done);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
        if (is_done)
            continue;
        if (!is_in_reach)
            return refuse(
                function,
                {"group_size", all.size[g], "and pointers to all matrices do not fit 64 bits"});
        if (const myblasStatus_t failure = visit(p))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

template <class Size>
myblasStatus_t run(const char* function, myblasHandle_t handle, const groups<Size>& all) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (all.count < 0)
        return refuse(function, negative("group_count", all.count));
    if (all.count == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = missing_array(all))
        return refuse(function, found);
    // All groups are checked before anything is computed. A wrong argument of any group comes
    // before a kernel that does not accept one.
    bool is_supported = true;
    const myblasStatus_t status =
        for_each_group(function, *handle, all, [&](const sgemm_problem& p) {
            is_supported =
                is_supported && choose_kernel(*handle, p, most_workspace(*handle)).kernel;
            return MYBLAS_STATUS_SUCCESS;
        });
    if (status != MYBLAS_STATUS_SUCCESS)
        return status;
    if (!is_supported)
        return refuse_kernel<sgemm_problem>(*handle, function);
    bool has_begun = false;
    return for_each_group(function, *handle, all, [&](const sgemm_problem& p) {
        const myblasStatus_t answer = dispatch(*handle, function, p);
        if (answer != MYBLAS_STATUS_SUCCESS && has_begun)
            return MYBLAS_STATUS_EXECUTION_FAILED; // others mean that nothing was computed
        has_begun = true;
        return answer;
    });
}

template myblasStatus_t run(const char*, myblasHandle_t, const groups<int>&) noexcept;
template myblasStatus_t run(const char*, myblasHandle_t, const groups<int64_t>&) noexcept;

} // namespace myblas
