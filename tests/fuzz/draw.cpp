// Draws calls: every function, sizes at the edges of tiles, unusual scalars and states, wrong
// arguments.
#include "fuzz/call.h"

#include "myblas/myblas_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuzz {
namespace {

int64_t draw_size(random_source& random) {
    static constexpr int64_t primes[] = {3, 5, 7, 11, 13, 17, 23, 37, 53, 61, 97, 101, 131, 257};
    static constexpr int64_t tiles[] = {4, 8, 16, 32, 64, 96, 128, 192, 256};
    switch (random.between(0, 15)) {
    case 0:
        return random.between(0, 1);
    case 1:
    case 2:
    case 3:
        return random.between(1, 8);
    case 4:
    case 5:
    case 6:
        return random.one_of(primes);
    case 7:
    case 8:
    case 9:
    case 10:
        return random.one_of(tiles) + random.between(-1, 1);
    case 11:
        return random.between(1, 700);
    default:
        return random.between(1, 70);
    }
}

int64_t draw_length(random_source& random) { // of a vector
    if (random.chance(100))
        return random.between(1, 1 << 18);
    if (random.chance(8))
        return random.between(1, 5000);
    return random.chance(30) ? -draw_size(random) : draw_size(random);
}

int64_t draw_increment(random_source& random, bool may_be_zero) {
    static constexpr int64_t magnitudes[] = {1, 1, 1, 1, 2, 2, 3, 4, 7, 32};
    if (may_be_zero && random.chance(12))
        return 0;
    return random.one_of(magnitudes) * (random.chance(3) ? -1 : 1);
}

int64_t draw_padding(random_source& random) {
    static constexpr int64_t paddings[] = {0, 0, 0, 0, 1, 2, 3, 4, 5, 8, 29, 64};
    return random.one_of(paddings);
}

int64_t draw_offset(random_source& random) { return random.chance(2) ? 0 : random.between(0, 3); }

float draw_scalar(random_source& random) {
    static constexpr float usual[] = {1, 1, 1, 0, 0, -0.0f, -1, 0.5f, 2, -0.75f};
    static constexpr float infinity = std::numeric_limits<float>::infinity();
    static const float unusual[] = {0x1p-149f,
                                    -0x1.8p-130f,
                                    0x1p-126f,
                                    1e-30f,
                                    1e30f,
                                    std::numeric_limits<float>::max(),
                                    infinity,
                                    -infinity,
                                    std::numeric_limits<float>::quiet_NaN(),
                                    0x1.fffffep-1f};
    if (random.chance(7))
        return random.one_of(unusual);
    if (random.chance(4))
        return static_cast<float>(random.between(-1000, 1000)) / 512;
    return random.one_of(usual);
}

float draw_rotation_scalar(random_source& random) {
    if (random.chance(8))
        return draw_scalar(random);
    return std::ldexp(
        static_cast<float>(random.between(-4000, 4000)),
        static_cast<int>(random.chance(4) ? random.between(-140, 110) : random.between(-14, -8)));
}

bool has(const call_case& c, const char* name) { return find_parameter(c.f, name) != nullptr; }

void draw_sizes(random_source& random, call_case& c) {
    arguments& g = c.args;
    const bool is_vector = (has(c, "incx") || has(c, "counts")) && !has(c, "lda");
    g.m = draw_size(random), g.n = draw_size(random), g.k = draw_size(random);
    g.rows = draw_size(random), g.cols = draw_size(random);
    if (is_vector)
        g.n = has(c, "element_bytes") || c.f == histogram256 ? std::abs(draw_length(random))
                                                             : draw_length(random);
    g.batch_count = has(c, "batch_count") ? random.between(0, 5) : 1;
    g.group_count = random.between(0, 4);
    if (c.f >= sgemm && c.f <= ssyr2k && random.chance(150)) { // a long sum
        g.m = random.between(1, 6), g.n = random.between(1, 6);
        g.k = random.chance(4) ? random.between(100000, 1000000) : random.between(1000, 50000);
        g.batch_count = 1;
    } else if (has(c, "batch_count") && random.chance(400)) {
        g.m = random.between(1, 3), g.n = random.between(1, 3), g.k = random.between(0, 3);
        g.batch_count = random.chance(3) ? random.between(60000, 70000) : random.between(100, 1000);
    } else if (random.chance(100)) { // long and thin
        (random.chance(2) ? g.m : g.n) = random.between(1000, 70000);
    }
    // Limits sizes, so that most references take less than a millisecond.
    const double most = random.chance(150) ? 3e7 : random.chance(10) ? 3e6 : 4e5;
    while (work_of(c) > most) {
        int64_t* sizes[] = {&g.m, &g.n, &g.k, &g.batch_count, &g.rows, &g.cols};
        int64_t* largest =
            *std::max_element(sizes, sizes + 6, [&](int64_t* a, int64_t* b) { return *a < *b; });
        if (*largest > 1000 && random.chance(2)) // long extents stay if they can
            largest = sizes[random.between(0, 5)];
        *largest = *largest > 1 ? *largest - (*largest + 2) / 3 : *largest;
    }
}

void draw_strides(random_source& random, call_case& c) {
    arguments& g = c.args;
    for (const operand& x : operands_of(c)) {
        operand one = x;
        one.count = 1;
        const int64_t tight = one.elements();
        const bool may_overlap =
            !x.is_written && !(c.f == sgemm_fused_strided_batched && c.in_place && x.name == "C");
        int64_t stride = tight + (random.chance(2) ? 0 : random.between(1, 9));
        if (may_overlap && random.chance(6))
            stride = random.between(0, 3);
        else if (random.chance(8))
            stride = -stride;
        if (x.name == "bias")
            c.stride_bias = stride;
        else if (x.name == "aux")
            c.stride_aux = stride;
        else if (const parameter* p = find_parameter(c.f, "stride" + x.name))
            set(g, *p, stride);
    }
    if (c.in_place && c.f == transpose_strided_batched)
        g.strideB = g.strideA;
}

void draw_wrong_argument(random_source& random, call_case& c) {
    if (random.chance(8)) {
        c.fault_parameter = null_handle;
        return;
    }
    const auto parameters = parameters_of(c.f);
    const auto i = random.between(0, static_cast<int64_t>(parameters.size()) - 1);
    const parameter& p = parameters[static_cast<size_t>(i)];
    const std::string_view name = p.name, type = p.type;
    const bool is_vector = has(c, "incx") && !has(c, "lda");
    const bool is_copy = std::string_view(name_of(c.f)).starts_with("myblas");
    static constexpr int64_t no_options[] = {-1, 3, 111, 1 << 20};
    static constexpr int64_t no_bytes[] = {0, -4};
    const int64_t good = get(c.args, p);
    if (c.f == sgemm_grouped_batched && name == "group_count")
        c.fault_value = -1;
    else if (type == "myblasOperation_t" || type == "myblasFillMode_t" ||
             type == "myblasSideMode_t" || type == "myblasDiagType_t")
        c.fault_value = random.one_of(no_options);
    else if (name.starts_with("ld") && !is_pointer(p))
        c.fault_value = random.chance(2) ? -good : 0;
    else if (name.starts_with("inc") && !is_vector)
        c.fault_value = 0;
    else if (name.starts_with("inc") && is_copy)
        c.fault_value = random.between(-2, 0);
    else if (name == "element_bytes")
        c.fault_value = is_copy ? random.one_of(no_bytes) : 3;
    else if ((name == "m" || name == "n" || name == "k" || name == "rows" || name == "cols" ||
              name == "batch_count") &&
             (!is_vector || is_copy))
        c.fault_value = -random.between(1, 1000);
    else if (is_pointer(p) && name != "stream" && name != "epilogue")
        c.fault_value = 0;
    else
        return;
    c.fault_parameter = i;
}

void draw_kernels(random_source& random, call_case& c, myblasBackend_t backend) {
    const auto a_kernel = [&](myblasRoutine_t routine) -> std::string {
        int count = 0;
        myblasGetKernelCount(backend, routine, &count);
        myblasKernelInfo_t info = {};
        info.size_bytes = sizeof info;
        if (count == 0 || myblasGetKernelInfo(backend,
                                              routine,
                                              static_cast<int>(random.between(0, count - 1)),
                                              &info) != MYBLAS_STATUS_SUCCESS)
            return "";
        const std::string name = info.name;
        return random.chance(3) ? name.substr(0, name.find('/')) : name;
    };
    const int routine = routine_of(c.f);
    if (routine >= 0 && random.chance(3))
        c.kernel = a_kernel(static_cast<myblasRoutine_t>(routine));
    if (is_level3(c.f) && random.chance(8))
        c.product_kernel = a_kernel(MYBLAS_ROUTINE_SGEMM);
}

} // namespace

double work_of(const call_case& c) {
    const arguments& g = c.args;
    const auto f = [](int64_t x) { return static_cast<double>(std::max<int64_t>(x, 1)); };
    const double m = f(g.m), n = f(g.n), k = f(g.k), batch = f(g.batch_count);
    const double order = g.side == MYBLAS_SIDE_RIGHT ? n : m;
    if (c.f >= sgemm && c.f <= sgemm_fused_strided_batched)
        return m * n * k * batch + 40 * batch + m * k + n * k;
    if (c.f == sgemm_grouped_batched)
        return m * n * k * 5;
    if (c.f >= ssyrk && c.f <= sgemmtr)
        return n * n * k * (c.f == ssyr2k ? 2 : 1);
    if (is_level3(c.f))
        return m * n * order * batch + 40 * batch + order * order * batch;
    if (has(c, "rows"))
        return f(g.rows) * f(g.cols) * f(g.element_bytes) * 4;
    if (has(c, "m"))
        return m * n * batch * 10 + 40 * batch;
    return n * (has(c, "lda") ? n : 1) * 5;
}

call_case draw(random_source& random, myblasBackend_t backend, function only) {
    call_case c;
    arguments& g = c.args;
    c.f = static_cast<function>(random.between(0, function_count - 1));
    if (routine_of(c.f) < 0 &&
        !random.chance(3)) // few, because copies are many functions with little to go wrong
        c.f = static_cast<function>(random.between(sgemm, function_count - 1));
    if (only != function_count)
        c.f = only;
    const bool is_vector = has(c, "incx") && !has(c, "lda");
    const bool is_copy = std::string_view(name_of(c.f)).starts_with("myblas");
    c.seed = static_cast<int64_t>(random.bits() >> 32);
    c.is_wide = random.between(0, 1);
    c.device_scalars = random.chance(3);
    static constexpr int64_t plain_data[] = {small_integers, uniform};
    c.data = random.chance(2) ? random.one_of(plain_data) : random.between(0, data_kind_count - 1);
    c.null_unread = random.between(0, 1);
    c.offset_a = draw_offset(random), c.offset_b = draw_offset(random);
    c.offset_c = draw_offset(random);
    c.on_stream = random.chance(3);
    c.order = random.between(0, shared_array);
    c.alpha = draw_scalar(random), c.beta = draw_scalar(random);
    if (has(c, "transa") || has(c, "trans") || is_level3(c.f) ||
        routine_of(c.f) == MYBLAS_ROUTINE_SGEMM)
        c.math = random.between(0, MYBLAS_FP32_REPRODUCIBLE_MATH);
    for (float& x : c.given)
        x = c.f >= srot && c.f <= srotmg ? draw_rotation_scalar(random) : 0;
    if (c.f == srotm)
        c.given[0] = static_cast<float>(random.between(-2, 1));
    g.transa = random.between(0, 2), g.transb = random.between(0, 2);
    g.trans = random.between(0, 2), g.op = random.between(0, 2);
    g.side = random.between(0, 1), g.uplo = random.between(0, 1), g.diag = random.between(0, 1);
    static constexpr int64_t element_bytes[] = {1, 2, 4, 8, 16};
    g.element_bytes = random.one_of(element_bytes);
    if (is_copy)
        g.element_bytes = random.between(1, 20);
    g.incx = draw_increment(random, is_vector), g.incy = draw_increment(random, is_vector);
    if (is_copy)
        g.incx = std::max<int64_t>(1, std::abs(g.incx)),
        g.incy = std::max<int64_t>(1, std::abs(g.incy));
    draw_sizes(random, c);

    // A call in place fixes other arguments.
    if (random.chance(3)) {
        switch (c.f) {
        case sgemm_fused:
        case sgemm_fused_strided_batched:
        case strmm:
            c.in_place = 1;
            break;
        case sgeam:
            c.in_place = random.between(1, 2);
            (c.in_place == 1 ? g.transa : g.transb) = MYBLAS_OP_N;
            break;
        case transpose_strided_batched:
            g.m = g.n = std::min(g.m, g.n);
            c.in_place = 1;
            break;
        case transpose:
        case transpose_ex:
            c.in_place = 1;
            if (random.chance(2))
                g.m = g.n = std::min(g.m, g.n);
            break;
        default:
            break;
        }
    }
    const bool is_tight = c.in_place && has(c, "B") && !has(c, "C") && g.m != g.n;
    const auto ld = [&](int64_t rows) {
        return std::max<int64_t>(1, rows) + (is_tight ? 0 : draw_padding(random));
    };
    const bool is_rank_k = c.f >= ssyrk && c.f <= ssyr2k;
    const bool is_transpose = routine_of(c.f) == MYBLAS_ROUTINE_TRANSPOSE;
    const int64_t order = g.side == MYBLAS_SIDE_RIGHT ? g.n : g.m;
    if (c.f == sgemmtr) {
        g.lda = ld(g.transa ? g.k : g.n), g.ldb = ld(g.transb ? g.n : g.k), g.ldc = ld(g.n);
    } else if (is_rank_k) {
        g.lda = ld(g.trans ? g.k : g.n), g.ldb = ld(g.trans ? g.k : g.n), g.ldc = ld(g.n);
    } else if (is_level3(c.f)) {
        g.lda = ld(order), g.ldb = ld(g.m), g.ldc = ld(g.m);
    } else if (has(c, "rows")) {
        g.lda = ld(g.rows), g.ldb = ld(g.rows);
    } else if (is_transpose) {
        g.lda = ld(g.m), g.ldb = ld(g.n);
    } else if (c.f == sgeam) {
        g.lda = ld(g.transa ? g.n : g.m), g.ldb = ld(g.transb ? g.n : g.m), g.ldc = ld(g.m);
    } else if (has(c, "transa") || c.f == sgemm_grouped_batched) {
        g.lda = ld(g.transa ? g.k : g.m), g.ldb = ld(g.transb ? g.n : g.k), g.ldc = ld(g.m);
        g.ldd = ld(g.m);
    } else {
        g.lda = ld(has(c, "m") ? g.m : g.n);
    }
    if (has(c, "epilogue") && !random.chance(6)) {
        c.has_epilogue = 1;
        c.activation = random.between(0, 2);
        c.bias_of = random.between(0, 1);
        c.has_bias = random.between(0, 1), c.has_aux = random.between(0, 1);
        c.ldaux = ld(g.m);
    }
    if (c.in_place) {
        if (c.f == sgeam)
            g.ldc = c.in_place == 1 ? g.lda : g.ldb;
        else if (c.f == strmm)
            g.ldc = g.ldb;
        else if (is_transpose)
            g.ldb = g.m == g.n ? g.lda : g.ldb;
        else
            g.ldd = g.ldc;
    }
    draw_strides(random, c);
    if (c.in_place && c.f == sgemm_fused_strided_batched)
        g.strideC = g.strideD;
    if (routine_of(c.f) >= 0 && random.chance(3))
        c.workspace = random.between(own_workspace, workspace_kind_count - 1);
    draw_kernels(random, c, backend);
    if (random.chance(2))
        c.repeats = random.between(0, backend == MYBLAS_BACKEND_CUDA ? 15 : 7);
    if (random.chance(12))
        draw_wrong_argument(random, c);
    return c;
}

} // namespace fuzz
