// A call as plain data: the function, its arguments, the state of the handle, and how its operands
// are filled. As a line of text, it can be made again.
#pragma once

#include "fuzz/functions_c.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

// splitmix64
class random_source {
public:
    explicit random_source(uint64_t seed) : state_(seed) {}
    uint64_t bits();
    int64_t between(int64_t low, int64_t high); // both inclusive
    bool chance(int one_in) { return between(1, one_in) == 1; }
    template <class T, size_t n>
    T one_of(const T (&values)[n]) {
        return values[between(0, n - 1)];
    }

private:
    uint64_t state_;
};

enum data_kind {
    small_integers, // their sums are exact
    uniform,        // [-1, 1)
    wide_exponents, // magnitudes from 2^-30 to 2^30
    subnormals,
    near_overflow, // products of two are near the largest finite float
    sparse,        // nine of ten are 0 or -0
    nonfinite,     // one of 50 is Inf or NaN
    any_bits,      // any finite float
    data_kind_count
};

enum workspace_kind {
    own_workspace,
    no_workspace,
    exact_workspace,     // the size that myblasGetWorkspaceSize returns
    one_byte_short,      // of that
    unaligned_workspace, // must be refused
    workspace_kind_count
};

// The ways in which a call is repeated to compare bits.
enum repetition { same_call = 1, other_thread = 2, other_stream = 4, captured = 8 };

// How the matrices of a batch lie in memory if an array of pointers names them.
enum array_order { tight_array, padded_array, reversed_array, shared_array };

enum fault { no_fault = -1, null_handle = -2 }; // else the index of the wrong parameter

struct call_case {
    function f = sgemm;
    arguments args{}; // only the integers
    int64_t is_wide = 0, device_scalars = 0, math = 0;
    int64_t data = uniform, seed = 1;
    int64_t workspace = own_workspace, repeats = 0, on_stream = 0;
    int64_t in_place = 0;                             // 1: the output is A or C; 2: it is B
    int64_t null_unread = 0;                          // 1: operands that are not read are NULL
    int64_t offset_a = 0, offset_b = 0, offset_c = 0; // elements past an aligned address
    int64_t order = tight_array;
    int64_t activation = 0, bias_of = 0, has_bias = 0, has_aux = 0, ldaux = 0, stride_bias = 0,
            stride_aux = 0, has_epilogue = 0;
    int64_t fault_parameter = no_fault, fault_value = 0;
    float alpha = 1, beta = 0;
    float given[5] = {};                // of rotations
    std::string kernel, product_kernel; // forced for the routine, and for its products
};

// The integers of a case that are not arguments: name, and simplest value.
struct case_field {
    const char* name;
    int64_t call_case::*member;
    int64_t simplest;
};
std::span<const case_field> case_fields();

std::string to_text(const call_case& c);
bool from_text(std::string_view text, call_case& c, std::string& error);

const char* name_of(function f);
std::span<const parameter> parameters_of(function f);
const parameter* find_parameter(function f, std::string_view name);
bool is_pointer(const parameter& p);
int64_t get(const arguments& a, const parameter& p);
void set(arguments& a, const parameter& p, int64_t value);

// A group of mysgemmGroupedBatched. The first group has the arguments of the case. The others are
// drawn from the seed of the case.
struct product_group {
    int64_t transa, transb, m, n, k, lda, ldb, ldc, size;
    float alpha, beta;
};
std::vector<product_group> groups_of(const call_case& c);

enum class memory { device, host, scalar }; // scalar: where the pointer mode says
enum class region : uint8_t { all, lower, upper };
enum class content : uint8_t { data, bytes, given };

// An operand: a batch of matrices. A vector is a matrix of one row.
struct operand {
    std::string name; // of its parameter
    int64_t rows = 1, cols = 1, ld = 1;
    bool is_read = false, is_written = false;
    int64_t stride = 0, count = 1;
    int64_t element_bytes = 4, offset = 0;
    region part = region::all;
    bool is_unit = false;   // the diagonal is not referenced
    bool is_array = false;  // the call takes an array of pointers
    bool is_solved = false; // the triangle of a solution: its diagonal is away from 0
    memory where = memory::device;
    content holds = content::data;
    std::vector<float> values; // content::given

    bool is_empty() const { return rows <= 0 || cols <= 0 || count <= 0; }
    int64_t elements() const; // from the lowest address to the highest
    // Counted from the lowest address.
    int64_t index(int64_t batch, int64_t i, int64_t j) const;
    int64_t start(int64_t batch) const; // of a matrix, or of a vector at its lowest address
    bool has(int64_t i, int64_t j) const {
        return part == region::all || (i == j ? !is_unit : (part == region::lower ? i > j : i < j));
    }
};

// All operands of the call. An operand that it neither reads nor writes has is_read and is_written
// false; an access to its contents is noticed.
std::vector<operand> operands_of(const call_case& c);

// Whether a call of such sizes has nothing to do.
bool is_quick_return(const call_case& c);

// The routine whose kernels the function takes; -1: a copy.
int routine_of(function f);
bool is_level3(function f);

// Whether the call is made in reproducible mode, and the mode promises its bits; whether the mode
// refuses it.
bool is_reproducible(const call_case& c);
bool is_refused_by_mode(const call_case& c);

// Describes the call to myblasGetWorkspaceSize.
myblasCall_t describe(const call_case& c);

// The number of operations of the reference.
double work_of(const call_case& c);

// Draws a call of the function `only`; of any function if it is function_count.
call_case draw(random_source& random, myblasBackend_t backend, function only);

} // namespace fuzz
