// Problems from the arguments of entry points and from described calls (myblasCall_t). Both check
// sizes on the way, in the order of the arguments.
#pragma once

#include "api/check.h"
#include "core/problem.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace myblas {

// One argument of an entry point, as the caller gave it.
class argument {
public:
    argument(int value) : number_(value) {}
    argument(int64_t value) : number_(value) {}
    argument(long long value) : number_(value) {}
    argument(const void* value) : pointer_(value) {}
    template <class Enum> // a program may pass any int
    requires std::is_enum_v<Enum> argument(Enum value) : number_(static_cast<int>(value)) {}

    int64_t number() const { return number_; }
    template <class T>
    T* pointer() const {
        return static_cast<T*>(const_cast<void*>(pointer_));
    }

private:
    union {
        int64_t number_;
        const void* pointer_;
    };
};

// The arguments of an entry point after the handle, in order. Names do not matter.
class argument_source {
public:
    const batch_form form;

    argument_source(const argument* first, batch_form form_, bool has_wide_sizes)
        : form(form_), next_(first), has_wide_sizes_(has_wide_sizes) {}

    int option(const char*) { return static_cast<int>(next_++->number()); }
    int64_t size(const char*) { return next_++->number(); }
    int64_t distance(const char*) { return next_++->number(); } // leading dimension or increment
    int64_t stride(int64_t, int64_t) { return next_++->number(); }
    int64_t batch_count(int64_t count) {
        return form == batch_form::single ? count : next_++->number();
    }
    // 0: it is an argument.
    int64_t element_bytes(int known) { return known ? known : next_++->number(); }
    template <class T>
    T* operand(const char*) {
        return next_++->pointer<T>();
    }
    template <class T>
    T* const* array(const char*) {
        return next_++->pointer<T* const>();
    }
    scalar a_scalar(const char*) { return {0, next_++->pointer<const float>()}; }
    void rotation(rotm_matrix&, const float*& param) { param = next_++->pointer<const float>(); }
    template <class T>
    T* result() {
        return next_++->pointer<T>();
    }
    bool has_wide_sizes() const { return has_wide_sizes_; }

    const argument* next() const { return next_; }

private:
    const argument* next_;
    const bool has_wide_sizes_;
};

// A described call. Scalars are nonzero, so that operands are needed. A NULL operand stands for a
// fresh allocation: aligned, far from the others, never dereferenced.
class described_source {
public:
    const batch_form form;

    // Vectors beside a matrix are described as B and C, and as A and B where there is none.
    described_source(const myblasCall_t& call, bool has_matrix)
        : form(call.pointer_array     ? batch_form::arrays
               : call.batch_count > 1 ? batch_form::strided
                                      : batch_form::single),
          call_(call), has_matrix_(has_matrix) {}

    int option(const char* name) const {
        switch (name[0]) {
        case 's':
            return call_.side;
        case 'u':
            return call_.uplo;
        case 'd':
            return call_.diag;
        default:
            return std::string_view(name) == "transb" ? call_.transb : call_.transa;
        }
    }
    int64_t size(const char* name) const {
        return name[0] == 'm' ? call_.m : name[0] == 'n' ? call_.n : call_.k;
    }
    int64_t distance(const char* name) const {
        const int64_t distances[] = {call_.lda, call_.ldb, call_.ldc};
        return distances[place(name)];
    }
    // The stride of contiguous matrices. If it does not fit, the check of operands refuses the
    // matrix itself.
    int64_t stride(int64_t ld, int64_t cols) const {
        return static_cast<int64_t>(
            std::min(wide{ld} * cols, wide{std::numeric_limits<int64_t>::max()}));
    }
    int64_t batch_count(int64_t) const { return call_.batch_count == 0 ? 1 : call_.batch_count; }
    int64_t element_bytes(int) const { return call_.element_bytes == 0 ? 4 : call_.element_bytes; }
    template <class T>
    T* operand(const char* name) const {
        const void* const pointers[] = {call_.A, call_.B, call_.C};
        const size_t which = place(name);
        const void* const fresh = reinterpret_cast<const void*>(uintptr_t{which + 1} << 40);
        return static_cast<T*>(const_cast<void*>(pointers[which] ? pointers[which] : fresh));
    }
    template <class T>
    T* const* array(const char*) const {
        return reinterpret_cast<T* const*>(uintptr_t{256}); // never dereferenced
    }
    scalar a_scalar(const char* name) const { return {name[0] == 'b' ? 0.5f : 1.0f, nullptr}; }
    void rotation(rotm_matrix& h, const float*&) const { h.is_identity = false; }
    template <class T>
    T* result() const {
        return nullptr;
    }
    bool has_wide_sizes() const { return false; }

private:
    // The index of an operand: 0, 1 or 2 for A, B or C.
    size_t place(const char* name) const {
        switch (name[0]) {
        case 'A':
            return 0;
        case 'B':
            return 1;
        case 'x':
            return has_matrix_;
        case 'y':
            return 1 + has_matrix_;
        default:
            return 2; // C, and results
        }
    }

    const myblasCall_t& call_;
    const bool has_matrix_;
};

// A list (routines/operands.h) that fills in the operands from a source.
template <class Source>
class reader {
public:
    explicit reader(const Source& from) : source(from) {}

    Source source;
    fault wrong = nullptr; // the first wrong size

    void operation(const char* name, bool& trans) {
        const int op = source.option(name);
        if (op != MYBLAS_OP_N && op != MYBLAS_OP_T && op != MYBLAS_OP_C)
            fail({name, int64_t{op}, "which is not an operation"});
        trans = op != MYBLAS_OP_N;
    }
    void fill_mode(const char* name, bool& upper) {
        const int uplo = source.option(name);
        if (uplo != MYBLAS_FILL_MODE_LOWER && uplo != MYBLAS_FILL_MODE_UPPER)
            fail({name, int64_t{uplo}, "which is neither lower nor upper"});
        upper = uplo == MYBLAS_FILL_MODE_UPPER;
    }
    void side(const char* name, bool& right) {
        const int side = source.option(name);
        if (side != MYBLAS_SIDE_LEFT && side != MYBLAS_SIDE_RIGHT)
            fail({name, int64_t{side}, "which is neither left nor right"});
        right = side == MYBLAS_SIDE_RIGHT;
    }
    void diagonal(const char* name, bool& unit) {
        const int diag = source.option(name);
        if (diag != MYBLAS_DIAG_NON_UNIT && diag != MYBLAS_DIAG_UNIT)
            fail({name, int64_t{diag}, "which is neither unit nor non-unit"});
        unit = diag == MYBLAS_DIAG_UNIT;
    }
    void size(const char* name, int64_t& n) {
        n = source.size(name);
        if (n < 0)
            fail(negative(name, n));
    }
    void count(const char* name, int64_t& n) {
        n = source.size(name);
        may_have_zero_increments_ = true;
    }
    void element_bytes(const char* name, int& bytes) {
        const int64_t given = source.element_bytes(bytes);
        if (given != 1 && given != 2 && given != 4 && given != 8 && given != 16)
            fail({name, given, "which is not 1, 2, 4, 8 or 16"});
        bytes = static_cast<int>(given);
    }
    void scalar(const char* name, myblas::scalar& s) { s = source.a_scalar(name); }
    void rotation(const char*, rotm_matrix& h, const float*& param) { source.rotation(h, param); }

    template <class T>
    void matrix(const char* name, T*& pointer, int64_t& ld, matrix_shape shape, bool = true) {
        pointer = source.template operand<T>(name);
        columns(name, ld, shape.rows);
    }
    template <class T>
    void matrix(const char* name,
                T*& pointer,
                int64_t& ld,
                matrix_shape shape,
                bool,
                int64_t& stride,
                T* const*& array) {
        locate(name, pointer, array);
        columns(name, ld, shape.rows);
        if (source.form == batch_form::strided)
            stride = source.stride(ld, shape.cols);
    }
    // Its batches are always strided.
    template <class T>
    void
    matrix(const char* name, T*& pointer, int64_t& ld, matrix_shape shape, bool, int64_t& stride) {
        pointer = source.template operand<T>(name);
        columns(name, ld, shape.rows);
        if (source.form != batch_form::single)
            stride = source.stride(ld, shape.cols);
    }
    template <class T>
    void untyped_matrix(
        const char* name, T*& pointer, int64_t& ld, matrix_shape shape, int, int64_t& stride) {
        matrix(name, pointer, ld, shape, true, stride);
    }
    template <class T>
    void unchecked_matrix(T*& pointer, int64_t& ld, int64_t& stride) {
        pointer = source.template operand<T>("");
        ld = source.distance("");
        if (source.form != batch_form::single)
            stride = source.stride(ld, 0);
    }
    template <class T>
    void vector(const char* name, T*& pointer, int64_t& increment, int64_t, bool = true) {
        pointer = source.template operand<T>(name);
        step(name, increment);
    }
    template <class T>
    void vector(const char* name,
                T*& pointer,
                int64_t& increment,
                int64_t,
                bool,
                int64_t& stride,
                T* const*& array) {
        locate(name, pointer, array);
        step(name, increment);
        if (source.form == batch_form::strided)
            stride = source.stride(increment, 0);
    }
    template <class T>
    void array(const char* name, T*& pointer, bool = true) {
        pointer = source.template operand<T>(name);
    }
    template <class T>
    void result(T*& pointer) {
        pointer = source.template result<T>();
    }
    void index_result(void*& pointer, bool& is_wide) {
        pointer = source.template result<void>();
        is_wide = source.has_wide_sizes();
    }
    void batch(const char* name, int64_t& count) {
        count = source.batch_count(count);
        if (count < 0)
            fail(negative(name, count));
    }

private:
    void fail(const fault& found) {
        if (!wrong)
            wrong = found;
    }
    template <class T>
    void locate(const char* name, T*& pointer, T* const*& array) {
        if (source.form == batch_form::arrays)
            array = source.template array<T>(name);
        else
            pointer = source.template operand<T>(name);
    }
    void columns(const char* name, int64_t& ld, int64_t rows) {
        ld = source.distance(name);
        if (const fault found = check_columns(name, ld, rows))
            fail(found);
    }
    void step(const char* name, int64_t& increment) {
        increment = source.distance(name);
        if (increment == 0 && !may_have_zero_increments_)
            fail({fault::kind::increment, name});
    }

    bool may_have_zero_increments_ = false;
};

} // namespace myblas
