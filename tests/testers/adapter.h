// The BLAS and the CBLAS by libmyblas, for testers that know nothing of it: a library to preload.
//
// Operands are copied to memory of the backend with everything between their elements, the call is
// made, and results are copied back. An error is reported to the program's xerbla_, with the
// parameter that the library's log names.
//
// Environment:
//   ADAPTER_GROWTH=G     the library gets larger problems, which contain the tester's: a
//                        dimension n becomes (n - 1) * G + 1. The tester's elements are spread
//                        over the larger operands, one in each G rows and columns, at places
//                        that differ from call to call. The rest is filled so that the elements
//                        of the result that the tester sees do not change: see `filler`.
//   ADAPTER_KERNELS=all  each call takes the next kernel of its routine that accepts it
//   ADAPTER_KERNELS=3    each call takes the kernel of this number, counted from 0, or the next
//                        one that accepts it
//   ADAPTER_KERNELS=first  each call takes the first kernel of its routine's list
//   ADAPTER_MATH=1, 2    math mode of the handle: emulated, fast
//   ADAPTER_REPORT=FILE  at its end a process appends how often each routine was called, "calls
//                        SGEMM 42", and with ADAPTER_KERNELS=all how often each kernel that fits
//                        the device and the mode computed, "kernel SGEMM naive 42"
#pragma once

#include "myblas/myblas.h"
#include "myblas/myblas_kernels.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace adapter {

myblasHandle_t handle();

// Ends the program with a line that the testers' driver recognises as a failure.
[[noreturn]] void give_up(const char* what);
void check(myblasStatus_t status);

// ---- Calls --------------------------------------------------------------------------------------

// The name of an argument in the library's log, and its number for xerbla_.
struct parameter {
    const char* name;
    int number;
};

struct routine {
    const char* name;        // of six characters, as xerbla_ gets it
    myblasRoutine_t kernels; // whose kernels it takes
    std::vector<parameter> parameters{};
    long calls = 0;
};

// Makes the call with the kernels that the environment names. Returns whether the library computed;
// if not, it refused a parameter, which was reported.
bool perform(routine& r, const std::function<myblasStatus_t(myblasHandle_t)>& call);

// ---- Operands -----------------------------------------------------------------------------------

// The indices 0 ... size - 1 of an operand's rows, columns or elements, and their places in the
// operand that the library gets.
class axis {
public:
    explicit axis(int size);
    static axis ungrown(int size) { return {size, 1}; } // whatever the environment says

    int size() const { return static_cast<int>(places_.size()) - missing_; }
    int grown() const { return static_cast<int>(indices_.size()) - missing_; }
    int place(int index) const { return places_[static_cast<size_t>(index)]; }
    // The index at this place; -1 if there is filler.
    int index_at(int place) const { return indices_[static_cast<size_t>(place)]; }
    axis reversed() const; // the last index first

private:
    axis(int size, int growth);

    int missing_; // of a negative size
    std::vector<int> places_, indices_;
};

// What lies in a larger operand beside the tester's elements: random numbers of up to 1/2, but
struct filler {
    bool zero_rows = false, zero_columns = false; // zeros in the other rows (columns)
    // In a square operand: zeros where a row of the tester's meets another column, or the reverse,
    // and a diagonal so large that solutions stay small.
    bool is_apart = false;
    bool has_triangle = false; // NaN in the triangle that is not referenced,
    myblasFillMode_t uplo = MYBLAS_FILL_MODE_LOWER;
    bool is_unit = false; // and on the diagonal
};

// A matrix in memory of the backend. With wrong sizes there is none.
class matrix {
public:
    matrix(const float* host,
           const axis& rows,
           const axis& columns,
           int ld,
           const filler& filler = {});
    ~matrix();
    matrix(const matrix&) = delete;
    matrix& operator=(const matrix&) = delete;

    float* device() const { return device_; }
    int ld() const { return ld_; }
    void fetch() const; // brings the tester's elements back, and what lies between them

private:
    float value(const filler& f, int row, int column) const;

    float* host_;
    axis rows_, columns_;
    int host_ld_, ld_;
    float* device_ = nullptr;
    size_t capacity_ = 0; // floats there
    std::vector<float> copy_;
};

// A vector, which is a matrix of one row.
class vector : public matrix {
public:
    vector(const float* host, const axis& elements, int inc, const filler& filler = {});
};

// ---- Letters, and the numbers of CBLAS ----------------------------------------------------------

myblasOperation_t operation(char c);
myblasFillMode_t fill_mode(char c);
myblasSideMode_t side_mode(char c);
myblasDiagType_t diag_type(char c);

// A row-major matrix is the transpose of a column-major one: `is_transposed`.
enum cblas_value {
    row_major = 101,
    no_trans = 111,
    upper_triangle = 121,
    unit_diagonal = 132,
    left_side = 141
};

inline myblasOperation_t cblas_operation(int trans, bool is_transposed) {
    return (trans != no_trans) != is_transposed ? MYBLAS_OP_T : MYBLAS_OP_N;
}
inline myblasFillMode_t cblas_fill(int uplo, bool is_transposed) {
    return (uplo == upper_triangle) != is_transposed ? MYBLAS_FILL_MODE_UPPER
                                                     : MYBLAS_FILL_MODE_LOWER;
}
inline myblasSideMode_t cblas_side(int side, bool is_transposed) {
    return (side == left_side) != is_transposed ? MYBLAS_SIDE_LEFT : MYBLAS_SIDE_RIGHT;
}
inline myblasDiagType_t cblas_diag(int diag) {
    return diag == unit_diagonal ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
}

} // namespace adapter
