// One shape on one machine: its operands in memory, the library's call, and the check of its
// result.
#pragma once

#include "library.h"
#include "machine.h"
#include "shape.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bench {

// The error of a result in units of the rounding unit (2^-24; dsum 2^-53) times the sum of
// magnitudes: |A||B| for a product. For data that is only moved, the number of wrong elements.
// Infinite if memory outside of the result was written.
struct verdict {
    double max_err = 0;
    double bound = 0;
    int64_t checked = 0; // elements of the result
    bool passed() const { return max_err <= bound; }
};

class task {
public:
    // The shape is complete(). Fills the operands and makes the handle ready for calls.
    task(machine&, const library_handle&, const shape&, uint64_t seed);

    // Why the operands, `copies` times, do not fit into the machine's free memory; empty: they do.
    static std::string why_no_room(const machine&, const shape&, size_t copies = 1);

    const shape& sizes() const { return shape_; }
    const operands& data() const { return operands_; }

    myblasStatus_t call() const { return handle_.call(shape_, operands_); }

    // Calls once, on a poisoned output or, in place, on fresh data, and compares with a reference
    // of higher precision. `kernel` is the one that the call takes. May undo myblasForceKernel.
    verdict verify(const std::string& kernel);

private:
    void fill_operand(const buffer&, uint64_t seed);
    // The purpose of the data of A in a solution: errors must show in the results, or calls must
    // work on their own results many times.
    enum class purpose { check, timing };
    void fill_special_matrix(purpose);
    void make_pointer_arrays();
    buffer& output();
    uint64_t output_seed();
    void call_and_wait();
    void call_on_poison();
    void call_on_data();
    verdict verify_product();
    verdict verify_transpose(bool as_copy);
    verdict verify_geam();
    template <class T>
    verdict verify_reduction(const std::string& kernel);
    double reduction_bound(const std::string& kernel) const;
    verdict verify_gemsum(const std::string& kernel);
    verdict verify_histogram();
    verdict verify_index();
    verdict verify_pair();
    verdict verify_matrix_blas();
    std::vector<int64_t> choose_columns(const product_view&, int64_t shares);

    machine& machine_;
    const library_handle& handle_;
    shape shape_;
    uint64_t seed_;
    buffer a_, b_, c_, bias_, lists_;
    operands operands_;
    std::optional<exact_sum> exact_; // computed once, because the data stays the same
};

} // namespace bench
