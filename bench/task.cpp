#include "task.h"

#include "bounds.h"
#include "reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace bench {
namespace {

constexpr double unit_float = 0x1p-24, unit_double = 0x1p-53;
constexpr size_t padding_bytes = 16; // so that every kind of fill comes out even
// Seeds of the operands' random data. A matrix that is changed in place is both a and c.
constexpr uint64_t stream_a = 0, stream_b = 1, stream_c = 2, stream_columns = 3, stream_bias = 4;

size_t allocation_bytes(const shape& s, int64_t elements) {
    if (elements == 0)
        return 0;
    const size_t bytes =
        static_cast<size_t>(elements + s.offset) * static_cast<size_t>(s.element_bytes);
    return (bytes + padding_bytes - 1) / padding_bytes * padding_bytes;
}

generated_data data_of(const shape& s, const buffer& storage, uint64_t seed) {
    const auto of = [&]<class T>(T) -> generated_data {
        return vector_data<T>{static_cast<T*>(storage.data()),
                              static_cast<int64_t>(storage.bytes() / sizeof(T)),
                              seed};
    };
    if (s.data == data_kind::skewed)
        return of(skewed_bytes());
    if (s.data == data_kind::constant)
        return of(equal_bytes());
    return s.element_bytes == 4   ? of(float())
           : s.element_bytes == 8 ? of(double())
                                  : of(uint32_t());
}

operand_view view_a(const shape& s, const operands& o) {
    return {static_cast<float*>(o.a), s.lda, s.transa ? s.m : s.k, s.batch, true, s.transa};
}

operand_view view_b(const shape& s, const operands& o) {
    return {static_cast<float*>(o.b), s.ldb, s.transb ? s.k : s.n, s.batch, false, !s.transb};
}

// A host copy of device memory.
template <class T>
std::unique_ptr<T[]> fetch(machine& device, const void* data, int64_t count) {
    auto copy = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(count));
    device.download(copy.get(), data, static_cast<size_t>(count) * sizeof(T));
    return copy;
}

// `count` numbers from [0, n): all of them, or the first, the last and some between.
std::vector<int64_t> choose(int64_t n, int64_t count, std::mt19937_64& random) {
    if (count >= n) {
        std::vector<int64_t> all(static_cast<size_t>(n));
        std::iota(all.begin(), all.end(), int64_t{0});
        return all;
    }
    std::vector<int64_t> chosen{0};
    if (count > 1)
        chosen.push_back(n - 1);
    while (static_cast<int64_t>(chosen.size()) < count)
        chosen.push_back(std::uniform_int_distribution<int64_t>(0, n - 1)(random));
    return chosen;
}

} // namespace

std::string task::why_no_room(const machine& device, const shape& s, size_t copies) {
    const operand_sizes count = count_elements(s);
    const size_t list_bytes =
        s.pointer_array ? 3 * static_cast<size_t>(s.batch) * sizeof(float*) : 0;
    const size_t bytes = allocation_bytes(s, count.a) + allocation_bytes(s, count.b) +
                         allocation_bytes(s, count.c) + allocation_bytes(s, count.bias) +
                         list_bytes;
    const size_t needed = copies * bytes, available = device.free_bytes();
    return needed <= available
               ? ""
               : fmt::format("it takes {} MiB, {} MiB are free", needed >> 20, available >> 20);
}

task::task(machine& device, const library_handle& handle, const shape& sizes, uint64_t seed)
    : machine_(device), handle_(handle), shape_(sizes), seed_(seed) {
    const operand_sizes count = count_elements(shape_);
    const size_t offset_bytes =
        static_cast<size_t>(shape_.offset) * static_cast<size_t>(shape_.element_bytes);
    const auto make = [&](int64_t elements, buffer& storage, void*& operand, uint64_t stream) {
        if (elements == 0)
            return;
        storage = buffer(handle_, allocation_bytes(shape_, elements));
        operand = static_cast<char*>(storage.data()) + offset_bytes;
        fill_operand(storage, seed_ + stream);
    };
    make(count.a, a_, operands_.a, stream_a);
    make(count.b, b_, operands_.b, stream_b);
    const bool keeps_b = shape_.routine == routine::trmv; // the old value
    make(count.c, c_, operands_.c, shape_.in_place ? stream_a : keeps_b ? stream_b : stream_c);
    make(count.bias, bias_, operands_.bias, stream_bias);
    if (has_special_matrix(shape_.routine))
        fill_special_matrix(purpose::timing);
    if (shape_.routine == routine::sgemm && shape_.data != data_kind::uniform) {
        machine_.fill(operand_data{view_a(shape_, operands_), shape_.data, seed_ + stream_a});
        machine_.fill(operand_data{view_b(shape_, operands_), shape_.data, seed_ + stream_b});
    }
    if (shape_.in_place)
        operands_.b = operands_.a;
    if (shape_.pointer_array)
        make_pointer_arrays();
    // The offset counts bytes, and counts are aligned; an index has 8 bytes.
    if (shape_.routine == routine::histogram || finds_index(shape_.routine))
        operands_.c = c_.data();

    handle_.set_stream(machine_.stream());
    require(myblasSetPointerMode(handle_.get(), pointer_mode(shape_.routine)),
            "myblasSetPointerMode");
}

void task::fill_operand(const buffer& storage, uint64_t seed) {
    machine_.fill(data_of(shape_, storage, seed));
}

// While they are timed, solutions and trmv repeatedly take their own results. The results keep
// their magnitude, because the diagonal is +-1 and the rest is so small that thousands of calls do
// not add up. All digits of the rest are random. In a check, the rest is so large that each part of
// the matrix affects the result.
void task::fill_special_matrix(purpose wanted) {
    const bool repeats = shape_.routine == routine::trsm || shape_.routine == routine::trsv ||
                         shape_.routine == routine::trmv;
    const int64_t order = has(shape_.routine, field::side) ? order_of(shape_) : shape_.n;
    const bool is_check = wanted == purpose::check;
    const double row_scale = (is_check ? 2 : 0x1p-14) / std::sqrt(static_cast<double>(order));
    machine_.fill(triangle_data{{.x = static_cast<float*>(operands_.a),
                                 .ld = shape_.lda,
                                 .order = order,
                                 .upper = shape_.upper,
                                 .unit = shape_.unit,
                                 .scale = repeats ? static_cast<float>(row_scale) : 1.0f,
                                 .invertible = repeats,
                                 .spread = is_check ? 1.0f : 0.0f},
                                seed_ + stream_a});
}

void task::make_pointer_arrays() {
    std::vector<float*> lists = batch_pointers(shape_, operands_);
    if (shape_.shuffled) { // all three in the same way, so that the products stay the same
        const size_t batch = static_cast<size_t>(shape_.batch);
        std::vector<size_t> order(batch);
        std::iota(order.begin(), order.end(), size_t{0});
        std::shuffle(order.begin(), order.end(), std::mt19937_64(seed_));
        const std::vector<float*> sorted = lists;
        for (size_t i = 0; i < lists.size(); ++i)
            lists[i] = sorted[i / batch * batch + order[i % batch]];
    }
    const size_t bytes = lists.size() * sizeof(float*);
    lists_ = buffer(handle_, bytes);
    machine_.upload(lists_.data(), lists.data(), bytes);
    use_pointers(operands_, lists_, shape_.batch);
}

buffer& task::output() {
    switch (shape_.routine) {
    case routine::transpose:
    case routine::trmv:
    case routine::trsv:
    case routine::trsm:
        return b_;
    case routine::syr:
    case routine::syr2:
    case routine::ger:
        return a_;
    default:
        return c_;
    }
}

uint64_t task::output_seed() {
    const buffer* const of = &output();
    return seed_ + (of == &a_ ? stream_a : of == &b_ ? stream_b : stream_c);
}

void task::call_and_wait() {
    require(call(), describe(shape_.routine).name);
    machine_.synchronize();
}

void task::call_on_poison() {
    machine_.poison(output().data(), output().bytes());
    call_and_wait();
}

// Earlier calls have changed the output.
void task::call_on_data() {
    fill_operand(output(), output_seed());
    call_and_wait();
}

verdict task::verify(const std::string& kernel) {
    switch (shape_.routine) {
    case routine::sgemm:
    case routine::sgemm_fused:
        return verify_product();
    case routine::transpose:
        // The ladder's two yardsticks move the same bytes without transposing them.
        return verify_transpose(kernel == "copy" || kernel == "copy_shared");
    case routine::geam:
        return verify_geam();
    case routine::sum:
    case routine::asum:
    case routine::dot:
    case routine::nrm2:
        return verify_reduction<float>(kernel);
    case routine::iamax:
    case routine::iamin:
        return verify_index();
    case routine::dsum:
        return verify_reduction<double>(kernel);
    case routine::gemsum:
        return verify_gemsum(kernel);
    case routine::histogram:
        return verify_histogram();
    default:
        return is_matrix_blas(shape_.routine) ? verify_matrix_blas() : verify_pair();
    }
}

// Draws columns of C to compare. Their number follows from a share, 1 / shares, of the machine's
// budget for references.
std::vector<int64_t> task::choose_columns(const product_view& p, int64_t shares) {
    constexpr double least = 4;
    const double per_column = static_cast<double>(p.m) * static_cast<double>(p.depth());
    const double columns = machine_.reference_budget() / per_column / static_cast<double>(shares);
    std::mt19937_64 random(seed_ + stream_columns);
    return choose(p.n, static_cast<int64_t>(std::max(columns, least)), random);
}

verdict task::verify_product() {
    if (shape_.beta == 0)
        call_on_poison();
    else
        call_on_data();
    const product_view first = view_product(shape_, operands_, 0);
    const double per_product = static_cast<double>(shape_.m) * static_cast<double>(shape_.n) *
                               static_cast<double>(shape_.k);
    const int64_t least_products = std::min<int64_t>(shape_.batch, 4);
    const int64_t products =
        std::clamp(static_cast<int64_t>(machine_.reference_budget() / per_product),
                   least_products,
                   shape_.batch);
    std::mt19937_64 random(seed_);
    std::vector<product_view> views;
    for (const int64_t index : choose(shape_.batch, products, random))
        views.push_back(view_product(shape_, operands_, index, output_seed()));
    const std::vector<int64_t> columns = choose_columns(first, products);
    const double worst = machine_.product_error(views, columns);
    const size_t checked = views.size() * columns.size();
    return {worst / unit_float,
            blas_bound(handle_.math(), shape_),
            static_cast<int64_t>(checked) * shape_.m};
}

verdict task::verify_transpose(bool as_copy) {
    if (shape_.in_place) { // earlier calls have transposed the matrix
        fill_operand(a_, seed_ + stream_a);
        call_and_wait();
    } else {
        call_on_poison();
    }
    const auto bytes_of = [](const void* x) { return static_cast<const unsigned char*>(x); };
    const double wrong = machine_.compare(misplaced_elements{
        .source = bytes_of(shape_.in_place ? operands_.c : operands_.a),
        .target = bytes_of(operands_.b),
        .m = shape_.m,
        .n = shape_.n,
        .lda = shape_.lda,
        .ldb = shape_.ldb,
        .element_bytes = shape_.element_bytes,
        .as_copy = as_copy,
    });
    return {wrong, 0, shape_.m * shape_.n};
}

verdict task::verify_geam() {
    call_on_poison();
    const auto view = [](const void* x, int64_t ld, bool trans) {
        return matrix_view{static_cast<const float*>(x), ld, trans};
    };
    const double worst = machine_.compare(sum_errors{
        .m = shape_.m,
        .n = shape_.n,
        .a = view(operands_.a, shape_.lda, shape_.transa),
        .b = view(operands_.b, shape_.ldb, shape_.transb),
        .c = view(operands_.c, shape_.ldc, false),
        .alpha = geam_alpha,
        .beta = geam_beta,
    });
    return {worst / unit_float, 2, shape_.m * shape_.n};
}

// The documented bound is the default kernel's. With data of both signs every order of summation
// stays below it; with one sign, in-order addition wanders as sqrt(n), and beyond 2^22 addends it
// loses them.
double task::reduction_bound(const std::string& kernel) const {
    if (shape_.routine == routine::dot || shape_.routine == routine::nrm2)
        return 1; // of what verify_reduction() holds the error against
    const double n = static_cast<double>(shape_.n);
    const double documented = std::log2(n) + 16;
    if (shape_.routine != routine::asum)
        return documented;
    handle_.force(shape_.routine, "");
    if (kernel == handle_.choice(shape_, operands_))
        return documented;
    return n <= 0x1p22 ? documented + 4 * std::sqrt(n) : n;
}

template <class T>
verdict task::verify_reduction(const std::string& kernel) {
    call_on_poison();
    if (!exact_) {
        const bool is_dot = shape_.routine == routine::dot,
                   is_nrm2 = shape_.routine == routine::nrm2;
        exact_ = machine_.sum_exactly(shape_,
                                      operands_.a,
                                      is_dot    ? operands_.b
                                      : is_nrm2 ? operands_.a
                                                : nullptr);
        if (shape_.routine == routine::asum)
            exact_->value = exact_->magnitude;
        if (is_nrm2)
            exact_->value = exact_->magnitude = std::sqrt(exact_->value);
        // The bound: one rounding, and the roundings of sums in double precision.
        if (is_dot || is_nrm2)
            exact_->magnitude = std::fabs(exact_->value) +
                                static_cast<long double>(shape_.n) * 0x1p-29L * exact_->magnitude;
    }
    const double result = static_cast<double>(fetch<T>(machine_, operands_.c, 1)[0]);
    const double error = relative_error(
        result, static_cast<double>(exact_->value), static_cast<double>(exact_->magnitude));
    return {error / (sizeof(T) == sizeof(double) ? unit_double : unit_float),
            reduction_bound(kernel),
            1};
}

verdict task::verify_gemsum(const std::string& kernel) {
    call_on_poison();
    const product_view view = view_product(shape_, operands_, 0);
    constexpr int64_t only_column = 0;
    const double worst = machine_.product_error({&view, 1}, {&only_column, 1});
    constexpr double documented = 12;
    const bool in_order = kernel == "naive" || kernel == "serial";
    return {worst / unit_float, in_order ? static_cast<double>(view.k) : documented, view.m};
}

verdict task::verify_histogram() {
    call_on_poison();
    const auto x = fetch<unsigned char>(machine_, operands_.a, shape_.n);
    const auto counts = fetch<uint64_t>(machine_, operands_.c, 256);
    std::vector<uint64_t> expected(256);
    for (int64_t i = 0; i < shape_.n; ++i)
        ++expected[x[static_cast<size_t>(i)]];
    int wrong = 0;
    for (size_t v = 0; v < expected.size(); ++v)
        wrong += counts[v] != expected[v];
    return {static_cast<double>(wrong), 0, 256};
}

verdict task::verify_index() {
    call_on_poison();
    const int64_t result = fetch<int64_t>(machine_, operands_.c, 1)[0];
    if (result < 1 || result > shape_.n)
        return {static_cast<double>(shape_.n), 0, 1};
    const double preceding =
        machine_.compare(preceding_elements{static_cast<const float*>(operands_.a),
                                            shape_.n,
                                            shape_.incx,
                                            shape_.routine == routine::iamax,
                                            result - 1});
    return {preceding, 0, 1};
}

verdict task::verify_pair() {
    fill_operand(a_, seed_ + stream_a); // earlier calls have changed them
    if (operands_.b)
        fill_operand(b_, seed_ + stream_b);
    call_and_wait();
    const double worst = machine_.compare(
        pair_errors{view_pair(shape_, operands_, seed_ + stream_a, seed_ + stream_b)});
    const double bound = [&] {
        switch (shape_.routine) {
        case routine::copy:
        case routine::swap:
            return 0.0;
        case routine::rot:
        case routine::rotm:
            return 3.0;
        default: // axpy and scal, whose scalars are powers of two
            return 1.0;
        }
    }();
    return {worst / unit_float, bound, shape_.n};
}

verdict task::verify_matrix_blas() {
    if (has_special_matrix(shape_.routine))
        fill_special_matrix(purpose::check);
    const product_view view = view_product(shape_, operands_, 0, output_seed());
    if (view.was_poisoned)
        call_on_poison();
    else
        call_on_data();
    constexpr int64_t shares = 4; // sweeps have many large matrices, and each uses its whole budget
    const std::vector<int64_t> columns = choose_columns(view, shares);
    const double worst = machine_.product_error({&view, 1}, columns);
    const double changed =
        machine_.compare(changed_elements{view,
                                          static_cast<const float*>(output().data()),
                                          static_cast<int64_t>(output().bytes() / sizeof(float))});
    int64_t checked = 0;
    for (const int64_t j : columns)
        checked += view.results == product_view::part::all     ? view.m
                   : view.results == product_view::part::upper ? j + 1
                                                               : view.m - j;
    if (has_special_matrix(shape_.routine))
        fill_special_matrix(purpose::timing);
    // Any change outside of the results is an infinite error.
    const double error = changed > 0 ? std::numeric_limits<double>::infinity() : worst / unit_float;
    return {error, blas_bound(handle_.math(), shape_), checked};
}

} // namespace bench
