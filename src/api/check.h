// The checks of operands with valid sizes: pure, and each rule in one place.
#pragma once

#include "core/problem.h"
#include "myblas/myblas.h"

#include <cstdint>

namespace myblas {

inline fault not_a_routine(const char* name, myblasRoutine_t routine) {
    return {name, routine, "which is not a routine"};
}

// The size_bytes of a structure, as the caller set it.
inline fault wrong_size(const char* name, size_t bytes, size_t expected) {
    return {name, static_cast<int64_t>(bytes), "but it must be", static_cast<int64_t>(expected)};
}

// The distance between columns of `rows` elements. The rule names the rows: "but the matrix has".
inline fault check_distance(const char* name, int64_t ld, const char* rule, int64_t rows) {
    if (ld >= (rows > 1 ? rows : 1))
        return nullptr;
    return rows > 1 ? fault{name, ld, rule, rows, " rows"}
                    : fault{name, ld, "but it must be positive"};
}

inline fault check_columns(const char* matrix, int64_t ld, int64_t rows) {
    return ld >= (rows > 1 ? rows : 1) ? nullptr : fault(fault::kind::columns, matrix, ld, rows);
}

inline bool is_math_mode(myblasMath_t mode) {
    return mode == MYBLAS_FP32_STRICT_MATH || mode == MYBLAS_FP32_REPRODUCIBLE_MATH ||
           mode == MYBLAS_FP32_EMULATED_MATH || mode == MYBLAS_FP32_FAST_MATH;
}

// Finds operands whose indices do not fit 64 bits, and the first needed operand that is NULL.
class operand_check : public ignored_operands {
public:
    explicit operand_check(int64_t batch_count) : last_batch_(batch_count - 1) {}

    fault found() const {
        if (is_too_large_)
            return too_large;
        return missing_ ? fault(fault::kind::null, missing_) : nullptr;
    }

    template <class T>
    void
    matrix(const char* name, T* pointer, int64_t ld, matrix_shape shape, bool is_needed = true) {
        limit(last_index(shape.rows, shape.cols, ld), sizeof(T));
        need(name, is_needed, pointer);
    }
    template <class T>
    void matrix(const char* name,
                T* pointer,
                int64_t ld,
                matrix_shape shape,
                bool is_needed,
                int64_t stride,
                T* const* array) {
        limit(last_index(shape.rows, shape.cols, ld) + way_to_last(stride), sizeof(T));
        need(name, is_needed && !array, pointer);
    }
    void untyped_matrix(const char* name,
                        const void* pointer,
                        int64_t ld,
                        matrix_shape shape,
                        int element_bytes,
                        int64_t stride) {
        limit(last_index(shape.rows, shape.cols, ld) + way_to_last(stride), element_bytes);
        need(name, true, pointer);
    }
    template <class T>
    void vector(const char* name, T* pointer, int64_t increment, int64_t n, bool is_needed = true) {
        limit(last_index(n, increment), sizeof(T));
        need(name, is_needed, pointer);
    }
    template <class T>
    void vector(const char* name,
                T* pointer,
                int64_t increment,
                int64_t n,
                bool is_needed,
                int64_t stride,
                T* const* array) {
        limit(last_index(n, increment) + way_to_last(stride), sizeof(T));
        need(name, is_needed && !array, pointer);
    }
    void array(const char* name, const void* pointer, bool is_needed = true) {
        need(name, is_needed, pointer);
    }

    void limit(wide index, int64_t element_bytes) {
        is_too_large_ = is_too_large_ || !is_addressable(index, element_bytes);
    }

private:
    wide way_to_last(int64_t stride) const {
        return last_batch_ ? last_batch_ * magnitude(stride) : wide{0};
    }
    void need(const char* name, bool is_needed, const void* pointer) {
        if (is_needed && !pointer && !missing_)
            missing_ = name;
    }

    const wide last_batch_;
    bool is_too_large_ = false;
    const char* missing_ = nullptr;
};

template <class Problem>
int64_t bytes_of_element(const Problem& p) {
    if constexpr (requires { p.element_bytes; })
        return p.element_bytes;
    else
        return sizeof(float);
}

template <class Problem>
fault check_operands(Problem& p) {
    operand_check list(batch_of(p));
    if constexpr (requires { p.most_elements(); })
        list.limit(p.most_elements(), bytes_of_element(p));
    p.operands(list);
    fault found = list.found();
    if constexpr (requires { p.check(); })
        if (!found)
            found = p.check();
    return found;
}

// BLAS gives a vector by its lowest address. This moves the pointer to element 0, which is at the
// highest address if the increment is negative. With an array of pointers, the stride is the offset
// from the pointer to element 0.
struct move_to_first_elements : ignored_operands {
    template <class T>
    void vector(const char*, T*& x, int64_t increment, int64_t n, bool = true) {
        x = first_element(x, n, increment);
    }
    template <class T>
    void vector(
        const char*, T*& x, int64_t increment, int64_t n, bool, int64_t& stride, T* const* array) {
        x = first_element(x, n, increment);
        if (array)
            stride = increment < 0 ? (1 - n) * increment : 0;
    }
};

template <class Problem>
void at_first_elements(Problem& p) {
    move_to_first_elements list;
    p.operands(list);
}

} // namespace myblas
