// The building blocks of the routines' files. A problem is plain data, which kernels take by value.
// Sizes are validated. Pointers are the caller's, but vectors point at element 0. Each problem has
//
//   template <class List> void operands(List& list)
//
// which names its operands in BLAS's order. A list is a visitor (ignored_operands has its
// functions): one reads arguments (api/read.h), others check operands (api/check.h), describe them
// (api/describe.h) and make a selection key (select/rule.h). An extent may depend on operands that
// are named before it. "Other facts" below lists the other functions that a problem may have.
#pragma once

#include "myblas/myblas.h"
#include "routines/fault.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#ifdef __CUDACC__
#define MYBLAS_HOST_DEVICE __host__ __device__
#else
#define MYBLAS_HOST_DEVICE
#endif

namespace myblas {

// ---- Scalars ------------------------------------------------------------------------------------

// A scalar operand in either pointer mode: `value`, unless `device` points to it. Kernels resolve
// it, so that the host never waits for a device scalar.
struct scalar {
    float value = 0;
    const float* device = nullptr;
};

// Whether a scalar may be nonzero: true for a scalar that the host cannot read.
inline bool may_be_nonzero(const scalar& s) { return s.device || s.value != 0; }

inline bool is_one(const scalar& s) { return !s.device && s.value == 1; }

// ---- Sizes --------------------------------------------------------------------------------------

// Wide enough for any sum of a few products of two sizes.
__extension__ typedef __int128 wide;

inline constexpr wide magnitude(int64_t value) { return value < 0 ? -wide{value} : wide{value}; }

// Whether the distance between the first and the last of some elements, in bytes, fits 64 bits.
inline constexpr bool is_addressable(wide last_index, int64_t element_bytes = sizeof(float)) {
    return last_index < std::numeric_limits<int64_t>::max() / element_bytes;
}

inline constexpr wide last_index(int64_t rows, int64_t cols, int64_t ld) {
    return rows && cols ? wide{cols - 1} * ld + rows - 1 : wide{0};
}

inline constexpr wide last_index(int64_t n, int64_t increment) {
    return n > 0 ? wide{n - 1} * magnitude(increment) : wide{0};
}

inline constexpr fault too_large = "its indices do not fit 64 bits";

// The address of element 0 of a vector that BLAS gives by its lowest address. x may be null if it
// is not read.
template <class T>
T* first_element(T* x, int64_t n, int64_t increment) {
    return x && increment < 0 ? x + (1 - n) * increment : x;
}

// ---- Operands of a list -------------------------------------------------------------------------

struct matrix_shape {
    int64_t rows, cols;
};

// The shape of a matrix A whose op(A) is rows x cols.
inline matrix_shape shape_of(int64_t rows, int64_t cols, bool trans = false) {
    return trans ? matrix_shape{cols, rows} : matrix_shape{rows, cols};
}

// A list that ignores all operands. A visitor that reads only some operands derives from this list,
// and its functions hide these. `name` is the argument's name; for operands it is BLAS's letter.
struct ignored_operands {
    // (name, whether it is T, upper, right or unit)
    void operation(const char*, auto&&...) {}
    void fill_mode(const char*, auto&&...) {}
    void side(const char*, auto&&...) {}
    void diagonal(const char*, auto&&...) {}

    // (name, number): not negative
    void size(const char*, auto&&...) {}
    // (name, number): the n of level 1, which may be negative; its vectors have any increment
    void count(const char*, auto&&...) {}
    void element_bytes(const char*, auto&&...) {}
    // (name, number of matrices): an argument, unless the call has a single matrix
    void batch(const char*, auto&&...) {}

    // (name, scalar)
    void scalar(const char*, auto&&...) {}
    // (name, matrix of a modified rotation, pointer to five floats)
    void rotation(const char*, auto&&...) {}

    // (name, pointer, leading dimension, shape, whether it is needed = true); a routine with
    // batches adds the stride and the array of pointers
    void matrix(const char*, auto&&...) {}
    // (name, pointer, leading dimension, shape, bytes of an element, stride)
    void untyped_matrix(const char*, auto&&...) {}
    // (pointer, leading dimension, stride)
    void unchecked_matrix(auto&&...) {}
    // (name, pointer, increment, length, whether it is needed = true), and as for matrices
    void vector(const char*, auto&&...) {}
    // (name, pointer, whether it is needed = true)
    void array(const char*, auto&&...) {}

    // (pointer): the scalar result of a reduction
    void result(auto&&...) {}
    // (pointer, whether it is an int64_t): the same, with the type of sizes
    void index_result(auto&&...) {}
};

// ---- Calls --------------------------------------------------------------------------------------

// The form of a call's matrices and vectors: one of each; a stride behind each, and batch_count at
// the end; or arrays of pointers, and batch_count.
enum class batch_form : uint8_t { single, strided, arrays };

// A public function, which fills in a copy of `preset`.
template <class Problem>
struct routine_call {
    const char* name;
    batch_form form = batch_form::single;
    Problem preset{};
};

// The properties that the rules of the selection test: a bit of `form`, and extents.
struct selection_key {
    unsigned form;
    std::array<int64_t, 4> extents;
};

// ---- Other facts --------------------------------------------------------------------------------

// A problem derives from nothing, to stay an aggregate. Optional members are
//   bool is_empty() const        with valid sizes there is nothing to compute
//   bool is_skipped() const      with these scalars no operand is read
//   bool is_unchanged() const    with valid operands the result stays as it is
//   void normalise()             replaces sizes that stand for others, before operands are checked
//   wide most_elements() const   the most elements that a kernel indexes besides the operands
//   fault check() const          a fault of the combination of valid operands
//   size_t result_bytes() const  makes it a reduction. Where p.n == 0 its result is of_sum(0), or 0
//   float of_sum(double) const   the result of a reduction, from the sum that kernels compute
//   sgemm_problem as_product() const   makes it a product
//   selection_key key() const    if rules compare more than sizes, increments, batch_count
// and for a described call
//   void take_form(call)         reads the fields that decide which operands there are
//   fault take_more(call)        reads the fields that are no operands
template <class Problem>
bool is_empty(const Problem& p) {
    if constexpr (requires { p.is_empty(); })
        return p.is_empty();
    else
        return false;
}

template <class Problem>
bool is_skipped(const Problem& p) {
    if constexpr (requires { p.is_skipped(); })
        return p.is_skipped();
    else
        return false;
}

template <class Problem>
bool is_unchanged(const Problem& p) {
    if constexpr (requires { p.is_unchanged(); })
        return p.is_unchanged();
    else
        return false;
}

template <class Problem>
void normalise(Problem& p) {
    if constexpr (requires { p.normalise(); })
        p.normalise();
}

template <class Problem>
concept reduction = requires(const Problem& p) {
    p.result_bytes();
};

template <class Problem>
int64_t batch_of(const Problem& p) {
    if constexpr (requires { p.batch_count; })
        return p.batch_count;
    else
        return 1;
}

} // namespace myblas
