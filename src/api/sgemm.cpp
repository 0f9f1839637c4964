// The matrix products.
#include "api/dispatch.h"
#include "api/validate.h"

#include <algorithm>

namespace myblas {
namespace {

// The arguments that a problem does not have as they are given. The scalars are where the handle's pointer mode says, or,
// with `scalars_are_here`, in host memory.
struct given {
    myblasOperation_t transa, transb;
    const float *alpha, *beta;
    bool scalars_are_here = false;
};

// Fills in what `p`, whose sizes are right, lacks, the transpositions and the scalars, and checks its operands. *is_done:
// nothing is to be computed, or something is wrong, as the status says.
myblasStatus_t complete_operands(const char* function,
                                 const myblasContext& handle,
                                 const given& x,
                                 sgemm_problem* p,
                                 bool* is_done) noexcept {
    *is_done = true;
    if (!x.alpha)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "alpha is NULL");
    if (!x.beta)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "beta is NULL");
    p->math = handle.math_mode;
    p->transa = x.transa != MYBLAS_OP_N;
    p->transb = x.transb != MYBLAS_OP_N;
    p->alpha = x.scalars_are_here ? scalar{*x.alpha, nullptr} : read_scalar(handle, x.alpha);
    p->beta = x.scalars_are_here ? scalar{*x.beta, nullptr} : read_scalar(handle, x.beta);
    if (const fault found = check_operands(*p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    const bool is_c_kept = p->finish.is_empty() && (p->k == 0 || !may_count(p->alpha)) &&
                           !p->beta.device && p->beta.value == 1;
    *is_done = is_c_kept; // C = C
    return MYBLAS_STATUS_SUCCESS;
}

// The same with the check of handle and sizes before.
myblasStatus_t complete(const char* function,
                        const myblasContext* handle,
                        const given& x,
                        sgemm_problem* p,
                        bool* is_done) noexcept {
    *is_done = true;
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_sizes(x.transa, x.transb, *p))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (is_empty(*p))
        return MYBLAS_STATUS_SUCCESS;
    return complete_operands(function, *handle, x, p, is_done);
}

// mysgemm, mysgemmStridedBatched and mysgemmBatched. `p` has everything but the transpositions and the scalars.
myblasStatus_t
sgemm(const char* function, myblasHandle_t handle, const given& x, sgemm_problem p) noexcept {
    bool is_done;
    const myblasStatus_t status = complete(function, handle, x, &p, &is_done);
    return is_done ? status : dispatch(*handle, function, p);
}

// ---- Fused products ------------------------------------------------------------------------------

// What a fused product has beside the problem, whose C is D.
struct fused_operands {
    const float* c;
    int64_t ldc, stride_c;
    const myblasEpilogue_t* epilogue;
};

myblasStatus_t sgemm_fused(const char* function,
                           myblasHandle_t handle,
                           const given& x,
                           const fused_operands& with,
                           sgemm_problem p) noexcept {
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    sgemm_problem of_c = p;
    of_c.ldc = with.ldc;
    const fault size_fault = check_sizes(x.transa, x.transb, of_c);
    if (const fault found = size_fault ? size_fault : check_epilogue(p, with.epilogue))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    if (is_empty(p))
        return MYBLAS_STATUS_SUCCESS;
    const bool reads_c = x.beta && may_count(read_scalar(*handle, x.beta));
    if (reads_c && !with.c)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "C is NULL");
    if (!p.c)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "D is NULL");
    if (with.c && with.c == p.c &&
        (with.ldc != p.ldc || (p.batch_count > 1 && with.stride_c != p.stride_c)))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "D is C with another ldd or strideD");
    if (const myblasEpilogue_t* e = with.epilogue) {
        p.finish.activation = e->activation;
        p.finish.is_bias_of_columns = e->bias && e->bias_of == MYBLAS_BIAS_OF_COLUMNS;
        p.finish.bias = e->bias;
        p.finish.stride_bias = e->bias ? e->stride_bias : 0;
        p.finish.aux = e->aux;
        p.finish.ld_aux = e->aux ? e->ldaux : 1;
        p.finish.stride_aux = e->aux ? e->stride_aux : 0;
    }
    if (reads_c && with.c != p.c) {
        p.finish.source = with.c;
        p.finish.ld_source = with.ldc;
        p.finish.stride_source = with.stride_c;
    }
    bool is_done;
    const myblasStatus_t status = complete_operands(function, *handle, x, &p, &is_done);
    return is_done ? status : dispatch(*handle, function, p);
}

// ---- Operands in host memory ---------------------------------------------------------------------

// A matrix in host memory and its copy on the device, which has no gaps.
struct staged_matrix {
    float* host;
    int64_t rows, cols, ld;
    bool is_read;
    float* device = nullptr;

    size_t bytes() const { return static_cast<size_t>(rows * cols) * sizeof(float); }
    matrix_copy copy(bool to_device) const {
        // Without gaps on both sides it is one column.
        const size_t host_pitch =
            static_cast<size_t>(ld == rows ? rows * cols : ld) * sizeof(float);
        const size_t column = ld == rows ? bytes() : static_cast<size_t>(rows) * sizeof(float);
        return {.source = to_device ? host : device,
                .source_pitch_bytes = to_device ? host_pitch : column,
                .target = to_device ? device : host,
                .target_pitch_bytes = to_device ? column : host_pitch,
                .column_bytes = column,
                .cols = ld == rows ? 1 : static_cast<size_t>(cols),
                .to_device = to_device};
    }
};

// The problem, which is not trivial, by way of copies on the device.
myblasStatus_t sgemm_staged(const char* function, myblasContext& handle, sgemm_problem p) noexcept {
    const backend_ops& backend = *handle.backend;
    const device_guard guard(handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (backend.stream_is_capturing(handle.stream))
        return refuse(function, MYBLAS_STATUS_INTERNAL_ERROR, being_captured);

    const bool reads_ab = p.k > 0 && may_count(p.alpha);
    staged_matrix operands[] = {
        {const_cast<float*>(p.a), p.transa ? p.k : p.m, p.transa ? p.m : p.k, p.lda, reads_ab},
        {const_cast<float*>(p.b), p.transb ? p.n : p.k, p.transb ? p.k : p.n, p.ldb, reads_ab},
        {p.c, p.m, p.n, p.ldc, may_count(p.beta)}};
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
            status = refuse(function, MYBLAS_STATUS_EXECUTION_FAILED, "the memory cannot be freed");
    return status;
}

// `p` has everything but the transpositions and the scalars.
myblasStatus_t sgemm_host(myblasHandle_t handle, const given& x, sgemm_problem p) noexcept {
    constexpr const char* function = "mysgemmHost";
    bool is_done;
    const myblasStatus_t status = complete(function, handle, x, &p, &is_done);
    if (is_done)
        return status;
    return handle->backend->id == MYBLAS_BACKEND_HOST ? dispatch(*handle, function, p)
                                                      : sgemm_staged(function, *handle, p);
}

// ---- Groups --------------------------------------------------------------------------------------

// The arrays of mysgemmGroupedBatched, whose sizes are int or int64_t.
template <class Size>
struct groups {
    const myblasOperation_t *transa, *transb;
    const Size *m, *n, *k;
    const float* alpha;
    const float* const* a;
    const Size* lda;
    const float* const* b;
    const Size* ldb;
    const float* beta;
    float* const* c;
    const Size* ldc;
    int64_t count;
    const Size* size;

    // The first array that is missing; null if none is.
    fault missing() const {
        const struct {
            const void* array;
            const char* missing;
        } arrays[] = {
            {transa, "transa_array is NULL"},
            {transb, "transb_array is NULL"},
            {m, "m_array is NULL"},
            {n, "n_array is NULL"},
            {k, "k_array is NULL"},
            {alpha, "alpha_array is NULL"},
            {a, "Aarray is NULL"},
            {lda, "lda_array is NULL"},
            {b, "Barray is NULL"},
            {ldb, "ldb_array is NULL"},
            {beta, "beta_array is NULL"},
            {c, "Carray is NULL"},
            {ldc, "ldc_array is NULL"},
            {size, "group_size is NULL"},
        };
        for (const auto& x : arrays)
            if (!x.array)
                return x.missing;
        return nullptr;
    }

    // Group g, whose first matrices are number `first` of all.
    sgemm_problem problem(int64_t g, int64_t first) const {
        return {.m = m[g],
                .n = n[g],
                .k = k[g],
                .lda = lda[g],
                .ldb = ldb[g],
                .ldc = ldc[g],
                .a_array = a + first,
                .b_array = b + first,
                .c_array = c + first,
                .batch_count = size[g]};
    }
};

// visit(problem) for each group in which there is something to compute, after its check; ends with the first that fails.
template <class Size, class Visitor>
myblasStatus_t for_each_group(const char* function,
                              myblasContext& handle,
                              const groups<Size>& all,
                              Visitor&& visit) noexcept {
    wide first = 0; // groups in which there is nothing to compute may be of any size
    for (int64_t g = 0; g < all.count; first += all.size[g], ++g) {
        const bool is_in_reach = is_addressable(first + all.size[g], sizeof(float*));
        sgemm_problem p = all.problem(g, is_in_reach ? static_cast<int64_t>(first) : 0);
        bool is_done;
        const myblasStatus_t status =
            complete(function,
                     &handle,
                     {all.transa[g], all.transb[g], all.alpha + g, all.beta + g},
                     &p,
                     &is_done);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
        if (is_done)
            continue;
        if (!is_in_reach)
            return refuse(
                function,
                MYBLAS_STATUS_INVALID_VALUE,
                {"group_size", all.size[g], "and pointers to all matrices do not fit 64 bits"});
        if (const myblasStatus_t failure = visit(p))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

template <class Size>
myblasStatus_t sgemm_grouped(myblasHandle_t handle, const groups<Size>& all) noexcept {
    constexpr const char* function = "mysgemmGroupedBatched";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (all.count < 0)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, negative("group_count", all.count));
    if (all.count == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = all.missing())
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
    // What is refused at all is refused before anything is computed.
    const myblasStatus_t status =
        for_each_group(function, *handle, all, [&](const sgemm_problem& p) {
            return choose_kernel(*handle, p, most_workspace(*handle)).kernel
                       ? MYBLAS_STATUS_SUCCESS
                       : refuse_kernel<sgemm_problem>(*handle, function);
        });
    if (status != MYBLAS_STATUS_SUCCESS)
        return status;
    bool has_begun = false;
    return for_each_group(function, *handle, all, [&](const sgemm_problem& p) {
        const myblasStatus_t answer = dispatch(*handle, function, p);
        if (answer != MYBLAS_STATUS_SUCCESS && has_begun)
            return MYBLAS_STATUS_EXECUTION_FAILED; // others mean that nothing was computed
        has_begun = true;
        return answer;
    });
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t mysgemm(myblasHandle_t handle,
                       myblasOperation_t transa,
                       myblasOperation_t transb,
                       int m,
                       int n,
                       int k,
                       const float* alpha,
                       const float* A,
                       int lda,
                       const float* B,
                       int ldb,
                       const float* beta,
                       float* C,
                       int ldc) {
    return sgemm(
        "mysgemm",
        handle,
        {transa, transb, alpha, beta},
        {.m = m, .n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mysgemm_64(myblasHandle_t handle,
                          myblasOperation_t transa,
                          myblasOperation_t transb,
                          int64_t m,
                          int64_t n,
                          int64_t k,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          const float* B,
                          int64_t ldb,
                          const float* beta,
                          float* C,
                          int64_t ldc) {
    return sgemm(
        "mysgemm",
        handle,
        {transa, transb, alpha, beta},
        {.m = m, .n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mysgemmStridedBatched(myblasHandle_t handle,
                                     myblasOperation_t transa,
                                     myblasOperation_t transb,
                                     int m,
                                     int n,
                                     int k,
                                     const float* alpha,
                                     const float* A,
                                     int lda,
                                     long long strideA,
                                     const float* B,
                                     int ldb,
                                     long long strideB,
                                     const float* beta,
                                     float* C,
                                     int ldc,
                                     long long strideC,
                                     int batch_count) {
    return sgemm("mysgemmStridedBatched",
                 handle,
                 {transa, transb, alpha, beta},
                 {.m = m,
                  .n = n,
                  .k = k,
                  .a = A,
                  .lda = lda,
                  .stride_a = strideA,
                  .b = B,
                  .ldb = ldb,
                  .stride_b = strideB,
                  .c = C,
                  .ldc = ldc,
                  .stride_c = strideC,
                  .batch_count = batch_count});
}

myblasStatus_t mysgemmStridedBatched_64(myblasHandle_t handle,
                                        myblasOperation_t transa,
                                        myblasOperation_t transb,
                                        int64_t m,
                                        int64_t n,
                                        int64_t k,
                                        const float* alpha,
                                        const float* A,
                                        int64_t lda,
                                        long long strideA,
                                        const float* B,
                                        int64_t ldb,
                                        long long strideB,
                                        const float* beta,
                                        float* C,
                                        int64_t ldc,
                                        long long strideC,
                                        int64_t batch_count) {
    return sgemm("mysgemmStridedBatched",
                 handle,
                 {transa, transb, alpha, beta},
                 {.m = m,
                  .n = n,
                  .k = k,
                  .a = A,
                  .lda = lda,
                  .stride_a = strideA,
                  .b = B,
                  .ldb = ldb,
                  .stride_b = strideB,
                  .c = C,
                  .ldc = ldc,
                  .stride_c = strideC,
                  .batch_count = batch_count});
}

myblasStatus_t mysgemmBatched(myblasHandle_t handle,
                              myblasOperation_t transa,
                              myblasOperation_t transb,
                              int m,
                              int n,
                              int k,
                              const float* alpha,
                              const float* const Aarray[],
                              int lda,
                              const float* const Barray[],
                              int ldb,
                              const float* beta,
                              float* const Carray[],
                              int ldc,
                              int batch_count) {
    return sgemm("mysgemmBatched",
                 handle,
                 {transa, transb, alpha, beta},
                 {.m = m,
                  .n = n,
                  .k = k,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc,
                  .a_array = Aarray,
                  .b_array = Barray,
                  .c_array = Carray,
                  .batch_count = batch_count});
}

myblasStatus_t mysgemmBatched_64(myblasHandle_t handle,
                                 myblasOperation_t transa,
                                 myblasOperation_t transb,
                                 int64_t m,
                                 int64_t n,
                                 int64_t k,
                                 const float* alpha,
                                 const float* const Aarray[],
                                 int64_t lda,
                                 const float* const Barray[],
                                 int64_t ldb,
                                 const float* beta,
                                 float* const Carray[],
                                 int64_t ldc,
                                 int64_t batch_count) {
    return sgemm("mysgemmBatched",
                 handle,
                 {transa, transb, alpha, beta},
                 {.m = m,
                  .n = n,
                  .k = k,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc,
                  .a_array = Aarray,
                  .b_array = Barray,
                  .c_array = Carray,
                  .batch_count = batch_count});
}

myblasStatus_t mysgemmFused(myblasHandle_t handle,
                            myblasOperation_t transa,
                            myblasOperation_t transb,
                            int m,
                            int n,
                            int k,
                            const float* alpha,
                            const float* A,
                            int lda,
                            const float* B,
                            int ldb,
                            const float* beta,
                            const float* C,
                            int ldc,
                            float* D,
                            int ldd,
                            const myblasEpilogue_t* epilogue) {
    return sgemm_fused(
        "mysgemmFused",
        handle,
        {transa, transb, alpha, beta},
        {C, ldc, 0, epilogue},
        {.m = m, .n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = D, .ldc = ldd});
}

myblasStatus_t mysgemmFused_64(myblasHandle_t handle,
                               myblasOperation_t transa,
                               myblasOperation_t transb,
                               int64_t m,
                               int64_t n,
                               int64_t k,
                               const float* alpha,
                               const float* A,
                               int64_t lda,
                               const float* B,
                               int64_t ldb,
                               const float* beta,
                               const float* C,
                               int64_t ldc,
                               float* D,
                               int64_t ldd,
                               const myblasEpilogue_t* epilogue) {
    return sgemm_fused(
        "mysgemmFused",
        handle,
        {transa, transb, alpha, beta},
        {C, ldc, 0, epilogue},
        {.m = m, .n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = D, .ldc = ldd});
}

myblasStatus_t mysgemmFusedStridedBatched(myblasHandle_t handle,
                                          myblasOperation_t transa,
                                          myblasOperation_t transb,
                                          int m,
                                          int n,
                                          int k,
                                          const float* alpha,
                                          const float* A,
                                          int lda,
                                          long long strideA,
                                          const float* B,
                                          int ldb,
                                          long long strideB,
                                          const float* beta,
                                          const float* C,
                                          int ldc,
                                          long long strideC,
                                          float* D,
                                          int ldd,
                                          long long strideD,
                                          const myblasEpilogue_t* epilogue,
                                          int batch_count) {
    return sgemm_fused("mysgemmFusedStridedBatched",
                       handle,
                       {transa, transb, alpha, beta},
                       {C, ldc, strideC, epilogue},
                       {.m = m,
                        .n = n,
                        .k = k,
                        .a = A,
                        .lda = lda,
                        .stride_a = strideA,
                        .b = B,
                        .ldb = ldb,
                        .stride_b = strideB,
                        .c = D,
                        .ldc = ldd,
                        .stride_c = strideD,
                        .batch_count = batch_count});
}

myblasStatus_t mysgemmFusedStridedBatched_64(myblasHandle_t handle,
                                             myblasOperation_t transa,
                                             myblasOperation_t transb,
                                             int64_t m,
                                             int64_t n,
                                             int64_t k,
                                             const float* alpha,
                                             const float* A,
                                             int64_t lda,
                                             long long strideA,
                                             const float* B,
                                             int64_t ldb,
                                             long long strideB,
                                             const float* beta,
                                             const float* C,
                                             int64_t ldc,
                                             long long strideC,
                                             float* D,
                                             int64_t ldd,
                                             long long strideD,
                                             const myblasEpilogue_t* epilogue,
                                             int64_t batch_count) {
    return sgemm_fused("mysgemmFusedStridedBatched",
                       handle,
                       {transa, transb, alpha, beta},
                       {C, ldc, strideC, epilogue},
                       {.m = m,
                        .n = n,
                        .k = k,
                        .a = A,
                        .lda = lda,
                        .stride_a = strideA,
                        .b = B,
                        .ldb = ldb,
                        .stride_b = strideB,
                        .c = D,
                        .ldc = ldd,
                        .stride_c = strideD,
                        .batch_count = batch_count});
}

myblasStatus_t mysgemmHost(myblasHandle_t handle,
                           myblasOperation_t transa,
                           myblasOperation_t transb,
                           int m,
                           int n,
                           int k,
                           const float* alpha,
                           const float* A,
                           int lda,
                           const float* B,
                           int ldb,
                           const float* beta,
                           float* C,
                           int ldc) {
    return sgemm_host(
        handle,
        {transa, transb, alpha, beta, true},
        {.m = m, .n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mysgemmHost_64(myblasHandle_t handle,
                              myblasOperation_t transa,
                              myblasOperation_t transb,
                              int64_t m,
                              int64_t n,
                              int64_t k,
                              const float* alpha,
                              const float* A,
                              int64_t lda,
                              const float* B,
                              int64_t ldb,
                              const float* beta,
                              float* C,
                              int64_t ldc) {
    return sgemm_host(
        handle,
        {transa, transb, alpha, beta, true},
        {.m = m, .n = n, .k = k, .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc});
}

myblasStatus_t mysgemmGroupedBatched(myblasHandle_t handle,
                                     const myblasOperation_t transa_array[],
                                     const myblasOperation_t transb_array[],
                                     const int m_array[],
                                     const int n_array[],
                                     const int k_array[],
                                     const float alpha_array[],
                                     const float* const Aarray[],
                                     const int lda_array[],
                                     const float* const Barray[],
                                     const int ldb_array[],
                                     const float beta_array[],
                                     float* const Carray[],
                                     const int ldc_array[],
                                     int group_count,
                                     const int group_size[]) {
    return sgemm_grouped(handle,
                         groups<int>{transa_array,
                                     transb_array,
                                     m_array,
                                     n_array,
                                     k_array,
                                     alpha_array,
                                     Aarray,
                                     lda_array,
                                     Barray,
                                     ldb_array,
                                     beta_array,
                                     Carray,
                                     ldc_array,
                                     group_count,
                                     group_size});
}

myblasStatus_t mysgemmGroupedBatched_64(myblasHandle_t handle,
                                        const myblasOperation_t transa_array[],
                                        const myblasOperation_t transb_array[],
                                        const int64_t m_array[],
                                        const int64_t n_array[],
                                        const int64_t k_array[],
                                        const float alpha_array[],
                                        const float* const Aarray[],
                                        const int64_t lda_array[],
                                        const float* const Barray[],
                                        const int64_t ldb_array[],
                                        const float beta_array[],
                                        float* const Carray[],
                                        const int64_t ldc_array[],
                                        int64_t group_count,
                                        const int64_t group_size[]) {
    return sgemm_grouped(handle,
                         groups<int64_t>{transa_array,
                                         transb_array,
                                         m_array,
                                         n_array,
                                         k_array,
                                         alpha_array,
                                         Aarray,
                                         lda_array,
                                         Barray,
                                         ldb_array,
                                         beta_array,
                                         Carray,
                                         ldc_array,
                                         group_count,
                                         group_size});
}

} // extern "C"
