// B = A^T, element by element down the columns of A.
//
// Reads are contiguous, and each write goes to another column of B.
// Works against memory: 2 elements moved for each element of A, but a whole cache line for each
// element that is written, once B is larger than the cache.
// Accepts every problem that is not in place.
#include "host/registry.h"
#include "host/transpose/element.h"

namespace myblas::host {
namespace {

template <class T>
void transpose(const transpose_problem& p) {
    const T* a = static_cast<const T*>(p.a);
    T* b = static_cast<T*>(p.b);
    for (int64_t j = 0; j < p.n; ++j)
        for (int64_t i = 0; i < p.m; ++i)
            b[j + i * p.ldb] = a[i + j * p.lda];
}

bool accepts(const transpose_problem& p, const device_info&) { return !p.in_place(); }

myblasStatus_t launch(const transpose_problem& p, const launch_context&) {
    return with_element(p, [&p]<class T>(T) {
        for (int64_t i = 0; i < p.batch_count; ++i)
            transpose<T>(p.part(i, 1));
        return MYBLAS_STATUS_SUCCESS;
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_naive{
    .name = "naive",
    .description = "element by element, out of place",
    .accepts = accepts,
    .launch = launch,
};

} // namespace myblas::host
