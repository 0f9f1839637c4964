#include "fuzz/call.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace fuzz {

uint64_t random_source::bits() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int64_t random_source::between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(bits() % static_cast<uint64_t>(high - low + 1));
}

// ---- Arguments by name --------------------------------------------------------------------------

const char* name_of(function f) { return function_info_of(f)->name; }

std::span<const parameter> parameters_of(function f) {
    const parameter* first = function_info_of(f)->parameters;
    size_t count = 0;
    while (first[count].name)
        ++count;
    return {first, count};
}

const parameter* find_parameter(function f, std::string_view name) {
    for (const parameter& p : parameters_of(f))
        if (name == p.name)
            return &p;
    return nullptr;
}

bool is_pointer(const parameter& p) {
    return std::strpbrk(p.type, "*[") || std::strcmp(p.type, "myblasStream_t") == 0;
}

int64_t get(const arguments& a, const parameter& p) {
    int64_t value;
    std::memcpy(&value, reinterpret_cast<const char*>(&a) + p.offset, sizeof value);
    return value;
}

void set(arguments& a, const parameter& p, int64_t value) {
    std::memcpy(reinterpret_cast<char*>(&a) + p.offset, &value, sizeof value);
}

// ---- Text ---------------------------------------------------------------------------------------

std::span<const case_field> case_fields() {
    static constexpr case_field fields[] = {
        {"wide", &call_case::is_wide, 0},
        {"device_scalars", &call_case::device_scalars, 0},
        {"math", &call_case::math, 0},
        {"data", &call_case::data, small_integers},
        {"seed", &call_case::seed, 1},
        {"workspace", &call_case::workspace, own_workspace},
        {"repeats", &call_case::repeats, 0},
        {"on_stream", &call_case::on_stream, 0},
        {"in_place", &call_case::in_place, 0},
        {"null_unread", &call_case::null_unread, 0},
        {"offset_a", &call_case::offset_a, 0},
        {"offset_b", &call_case::offset_b, 0},
        {"offset_c", &call_case::offset_c, 0},
        {"order", &call_case::order, tight_array},
        {"has_epilogue", &call_case::has_epilogue, 0},
        {"activation", &call_case::activation, 0},
        {"bias_of", &call_case::bias_of, 0},
        {"has_bias", &call_case::has_bias, 0},
        {"has_aux", &call_case::has_aux, 0},
        {"ldaux", &call_case::ldaux, 0},
        {"stride_bias", &call_case::stride_bias, 0},
        {"stride_aux", &call_case::stride_aux, 0},
        {"fault_parameter", &call_case::fault_parameter, no_fault},
        {"fault_value", &call_case::fault_value, 0},
    };
    return fields;
}

std::string to_text(const call_case& c) {
    std::string text = name_of(c.f);
    char word[96];
    const auto add = [&](const char* name, const char* format, auto value) {
        std::snprintf(word, sizeof word, format, value);
        text += std::string(" ") + name + "=" + word;
    };
    for (const parameter& p : parameters_of(c.f))
        if (!is_pointer(p))
            add(p.name, "%lld", static_cast<long long>(get(c.args, p)));
    for (const case_field& f : case_fields())
        if (c.*f.member != f.simplest)
            add(f.name, "%lld", static_cast<long long>(c.*f.member));
    add("alpha", "%a", static_cast<double>(c.alpha));
    add("beta", "%a", static_cast<double>(c.beta));
    for (int i = 0; i < 5; ++i)
        if (std::bit_cast<uint32_t>(c.given[i]) != 0)
            add(("given" + std::to_string(i)).c_str(), "%a", static_cast<double>(c.given[i]));
    if (c.f == sgemm_grouped_batched)
        for (const char* name : {"transa", "transb", "m", "n", "k", "lda", "ldb", "ldc"})
            add(name, "%lld", static_cast<long long>(get(c.args, *find_parameter(sgemm, name))));
    if (!c.kernel.empty())
        text += " kernel=" + c.kernel;
    if (!c.product_kernel.empty())
        text += " product_kernel=" + c.product_kernel;
    return text;
}

bool from_text(std::string_view text, call_case& c, std::string& error) {
    std::istringstream words{std::string(text)};
    std::string word;
    words >> word;
    int f = 0;
    while (f < function_count && word != name_of(static_cast<function>(f)))
        ++f;
    if (f == function_count) {
        error = "no function " + word;
        return false;
    }
    c = call_case{};
    c.f = static_cast<function>(f);
    for (const case_field& field : case_fields())
        c.*field.member = field.simplest;
    while (words >> word) {
        const size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
        const parameter* p = find_parameter(c.f, name);
        if (!p && c.f == sgemm_grouped_batched)
            p = find_parameter(sgemm, name);
        const auto fields = case_fields();
        const auto field = std::find_if(
            fields.begin(), fields.end(), [&](const case_field& x) { return name == x.name; });
        char* end = nullptr;
        if (name == "alpha")
            c.alpha = std::strtof(value.c_str(), &end);
        else if (name == "beta")
            c.beta = std::strtof(value.c_str(), &end);
        else if (name.size() == 6 && name.starts_with("given") && name[5] >= '0' && name[5] < '5')
            c.given[name[5] - '0'] = std::strtof(value.c_str(), &end);
        else if (name == "kernel")
            c.kernel = value;
        else if (name == "product_kernel")
            c.product_kernel = value;
        else if (field != fields.end())
            c.*field->member = std::strtoll(value.c_str(), &end, 0);
        else if (p && !is_pointer(*p))
            set(c.args, *p, std::strtoll(value.c_str(), &end, 0));
        else
            error = word + ": no field of this name";
        if (end && (*end || value.empty()))
            error = word + ": not a number";
        if (!error.empty())
            return false;
    }
    return true;
}

// ---- What the functions have in common ----------------------------------------------------------

int routine_of(function f) {
    switch (f) {
    case sgemm:
    case sgemm_host:
    case sgemm_strided_batched:
    case sgemm_batched:
    case sgemm_fused:
    case sgemm_fused_strided_batched:
    case sgemm_grouped_batched:
    case sgemv:
    case sgemv_strided_batched:
    case sgemv_batched:
        return MYBLAS_ROUTINE_SGEMM;
    case ssyrk:
    case ssyrkx:
    case sgemmtr:
        return MYBLAS_ROUTINE_SYRK;
    case ssyr2k:
        return MYBLAS_ROUTINE_SYR2K;
    case ssymm:
        return MYBLAS_ROUTINE_SYMM;
    case strmm:
        return MYBLAS_ROUTINE_TRMM;
    case strsm:
    case strsm_batched:
    case strsm_strided_batched:
        return MYBLAS_ROUTINE_TRSM;
    case transpose:
    case transpose_ex:
    case transpose_strided_batched:
        return MYBLAS_ROUTINE_TRANSPOSE;
    case sgeam:
        return MYBLAS_ROUTINE_GEAM;
    case sum:
    case sasum:
        return MYBLAS_ROUTINE_SUM;
    case dsum:
        return MYBLAS_ROUTINE_DSUM;
    case sgemsum:
        return MYBLAS_ROUTINE_GEMSUM;
    case histogram256:
        return MYBLAS_ROUTINE_HISTOGRAM;
    case saxpy:
        return MYBLAS_ROUTINE_AXPY;
    case scopy:
        return MYBLAS_ROUTINE_COPY;
    case sdot:
    case sdsdot:
        return MYBLAS_ROUTINE_DOT;
    case snrm2:
        return MYBLAS_ROUTINE_NRM2;
    case isamax:
    case isamin:
        return MYBLAS_ROUTINE_IAMAX;
    case sscal:
        return MYBLAS_ROUTINE_SCAL;
    case sswap:
        return MYBLAS_ROUTINE_SWAP;
    case srot:
        return MYBLAS_ROUTINE_ROT;
    case srotm:
        return MYBLAS_ROUTINE_ROTM;
    case srotg:
        return MYBLAS_ROUTINE_ROTG;
    case srotmg:
        return MYBLAS_ROUTINE_ROTMG;
    case ssymv:
        return MYBLAS_ROUTINE_SYMV;
    case sger:
    case ssyr:
    case ssyr2:
        return MYBLAS_ROUTINE_SYR;
    case strmv:
        return MYBLAS_ROUTINE_TRMV;
    case strsv:
        return MYBLAS_ROUTINE_TRSV;
    default:
        return -1;
    }
}

bool is_level3(function f) { return f >= ssyrk && f <= strsm_strided_batched; }

namespace {

bool has(function f, const char* name) { return find_parameter(f, name) != nullptr; }

// Where an operand of a copy or of mysgemmHost is. The operands of routines are in device memory.
memory side_of(function f, const char* name) {
    if (f == sgemm_host)
        return memory::host;
    const std::string_view function = name_of(f), operand = name;
    const bool is_source = operand == "A" || operand == "x";
    if (function.starts_with("myblasSet"))
        return is_source ? memory::host : memory::device;
    if (function.starts_with("myblasGet"))
        return is_source ? memory::device : memory::host;
    return memory::device;
}

uint64_t mix(uint64_t a, uint64_t b) { return random_source(a * 0x100000001B3u ^ b).bits(); }

// The distance from matrix b - 1 to matrix b of a batch that an array of pointers names.
int64_t array_stride(const call_case& c, int64_t elements, bool is_written) {
    switch (c.order) {
    case padded_array:
        return elements + 5;
    case reversed_array:
        return -(elements + 1);
    case shared_array:
        return is_written ? elements : 0;
    default:
        return elements;
    }
}

} // namespace

std::vector<product_group> groups_of(const call_case& c) {
    const arguments& g = c.args;
    std::vector<product_group> groups;
    static constexpr float scalars[] = {1, 0, -1, 0.5f};
    for (int64_t i = 0; i < g.group_count; ++i) {
        product_group x = {
            g.transa, g.transb, g.m, g.n, g.k, g.lda, g.ldb, g.ldc, 2, c.alpha, c.beta};
        if (i > 0) {
            random_source random(mix(static_cast<uint64_t>(c.seed), static_cast<uint64_t>(i)));
            x.transa = random.between(0, 2), x.transb = random.between(0, 2);
            x.m = random.between(0, g.m + 2), x.n = random.between(0, g.n + 2);
            x.k = random.between(0, g.k + 2);
            x.lda = std::max<int64_t>(1, x.transa ? x.k : x.m) + random.between(0, 2);
            x.ldb = std::max<int64_t>(1, x.transb ? x.n : x.k) + random.between(0, 2);
            x.ldc = std::max<int64_t>(1, x.m) + random.between(0, 2);
            x.size = random.between(0, 3);
            x.alpha = random.one_of(scalars), x.beta = random.one_of(scalars);
        }
        groups.push_back(x);
    }
    return groups;
}

int64_t operand::elements() const {
    if (is_empty())
        return 0;
    return (count - 1) * std::abs(stride) + (cols - 1) * std::abs(ld) + rows;
}

int64_t operand::start(int64_t batch) const {
    return stride < 0 ? (batch - (count - 1)) * stride : batch * stride;
}

int64_t operand::index(int64_t batch, int64_t i, int64_t j) const {
    return start(batch) + (ld < 0 ? (j - (cols - 1)) * ld : j * ld) + i;
}

bool is_refused_by_mode(const call_case& c) {
    if (c.math != MYBLAS_FP32_REPRODUCIBLE_MATH || is_quick_return(c))
        return false;
    const bool is_fused = c.f == sgemm_fused || c.f == sgemm_fused_strided_batched;
    const bool is_gelu = is_fused && c.has_epilogue && c.activation == MYBLAS_ACTIVATION_GELU;
    return is_gelu || c.f == ssyr2k || c.f == strmm || routine_of(c.f) == MYBLAS_ROUTINE_TRSM;
}

bool is_reproducible(const call_case& c) {
    const bool is_promised = routine_of(c.f) == MYBLAS_ROUTINE_SGEMM || is_level3(c.f);
    return c.math == MYBLAS_FP32_REPRODUCIBLE_MATH && is_promised && !is_refused_by_mode(c);
}

bool is_quick_return(const call_case& c) {
    const arguments& g = c.args;
    const bool is_batch = has(c.f, "batch_count");
    if (is_batch && g.batch_count == 0)
        return true;
    switch (c.f) {
    case set_matrix:
    case get_matrix:
    case set_matrix_async:
    case get_matrix_async:
        return g.rows == 0 || g.cols == 0;
    case sgemm_grouped_batched:
        return g.group_count == 0;
    case sgemsum:
        return (g.op == MYBLAS_OP_N ? g.m : g.n) == 0;
    case sum:
    case sasum:
    case dsum:
    case sdot:
    case sdsdot:
    case snrm2:
    case isamax:
    case isamin:
    case histogram256:
    case srotg:
    case srotmg:
        return false;
    case sscal:
        return g.n <= 0 || g.incx <= 0;
    default:
        return (has(c.f, "m") && g.m == 0) || g.n <= 0;
    }
}

// ---- Operands -----------------------------------------------------------------------------------

namespace {

// Collects the operands of a call.
class operand_list {
public:
    explicit operand_list(const call_case& c) : c_(c), is_quick_(is_quick_return(c)) {}

    std::vector<operand> all;

    operand& matrix(const char* name,
                    int64_t rows,
                    int64_t cols,
                    int64_t ld,
                    bool is_read,
                    bool is_written = false,
                    int64_t stride = 0) {
        operand x;
        x.name = name;
        x.rows = rows, x.cols = cols, x.ld = ld;
        x.is_read = is_read && !is_quick_, x.is_written = is_written && !is_quick_;
        x.where = side_of(c_.f, name);
        const char letter = name[0];
        x.offset = letter == 'A'                    ? c_.offset_a
                   : letter == 'B' || letter == 'x' ? c_.offset_b
                                                    : c_.offset_c;
        if (has(c_.f, "batch_count")) {
            x.count = c_.args.batch_count;
            x.stride = stride;
        }
        if (x.name.ends_with("array")) {
            x.is_array = true;
            x.count = has(c_.f, "batch_count") ? c_.args.batch_count : 1;
            operand one = x;
            one.count = 1;
            x.stride = array_stride(c_, one.elements(), is_written);
        }
        all.push_back(x);
        return all.back();
    }
    operand& vector(const char* name,
                    int64_t n,
                    int64_t increment,
                    bool is_read,
                    bool is_written = false,
                    int64_t stride = 0) {
        return matrix(name, 1, n, increment, is_read, is_written, stride);
    }
    // Scalars in the memory that the pointer mode names.
    operand& scalars(const char* name, std::vector<float> values) {
        operand x;
        x.name = name;
        x.rows = static_cast<int64_t>(values.size());
        x.values = std::move(values);
        x.holds = content::given;
        x.where = c_.f == sgemm_host ? memory::host : memory::scalar;
        x.is_read = true;
        all.push_back(x);
        return all.back();
    }
    operand& result(const char* name, int64_t element_bytes = 4) {
        operand& x = scalars(name, {0});
        x.holds = content::data;
        x.element_bytes = element_bytes;
        x.is_read = false, x.is_written = true;
        return x;
    }
    void triangle(operand& x, bool is_solved) const {
        const bool is_upper = c_.args.uplo == MYBLAS_FILL_MODE_UPPER;
        x.part = is_upper ? region::upper : region::lower;
        x.is_unit = has(c_.f, "diag") && c_.args.diag == MYBLAS_DIAG_UNIT;
        x.is_solved = is_solved;
    }

private:
    const call_case& c_;
    const bool is_quick_;
};

void add_product(operand_list& list, const call_case& c) {
    const arguments& g = c.args;
    const bool is_array = c.f == sgemm_batched;
    const bool is_fused = c.f == sgemm_fused || c.f == sgemm_fused_strided_batched;
    const bool reads_ab = g.k > 0 && c.alpha != 0;
    list.scalars("alpha", {c.alpha});
    list.scalars("beta", {c.beta});
    list.matrix(is_array ? "Aarray" : "A",
                g.transa ? g.k : g.m,
                g.transa ? g.m : g.k,
                g.lda,
                reads_ab,
                false,
                g.strideA);
    list.matrix(is_array ? "Barray" : "B",
                g.transb ? g.n : g.k,
                g.transb ? g.k : g.n,
                g.ldb,
                reads_ab,
                false,
                g.strideB);
    const bool is_d_of_its_own = is_fused && !c.in_place;
    if (is_d_of_its_own || !is_fused)
        list.matrix(is_array ? "Carray" : "C", g.m, g.n, g.ldc, c.beta != 0, !is_fused, g.strideC);
    if (!is_fused)
        return;
    list.matrix("D", g.m, g.n, g.ldd, c.in_place && c.beta != 0, true, g.strideD);
    if (!c.has_epilogue)
        return;
    if (c.has_bias)
        list.vector(
            "bias", c.bias_of == MYBLAS_BIAS_OF_ROWS ? g.m : g.n, 1, true, false, c.stride_bias);
    if (c.has_aux)
        list.matrix("aux", g.m, g.n, c.ldaux, false, true, c.stride_aux);
}

void add_groups(operand_list& list, const call_case& c) {
    std::vector<float> alphas, betas;
    for (const product_group& x : groups_of(c)) {
        alphas.push_back(x.alpha);
        betas.push_back(x.beta);
        const bool is_done = x.m == 0 || x.n == 0 || x.size <= 0;
        const bool reads_ab = x.k > 0 && x.alpha != 0 && !is_done;
        struct {
            const char* name;
            int64_t rows, cols, ld;
            bool is_read, is_written;
        } shapes[] = {
            {"Aarray", x.transa ? x.k : x.m, x.transa ? x.m : x.k, x.lda, reads_ab, false},
            {"Barray", x.transb ? x.n : x.k, x.transb ? x.k : x.n, x.ldb, reads_ab, false},
            {"Carray", x.m, x.n, x.ldc, x.beta != 0 && !is_done, !is_done},
        };
        for (const auto& s : shapes) {
            operand& o = list.matrix(s.name, s.rows, s.cols, s.ld, s.is_read, s.is_written);
            operand one = o;
            o.count = std::max<int64_t>(0, x.size);
            o.stride = array_stride(c, one.elements(), s.is_written);
        }
    }
    list.scalars("alpha_array", alphas);
    list.scalars("beta_array", betas);
}

void add_level3(operand_list& list, const call_case& c) {
    const arguments& g = c.args;
    const bool is_rank_k = c.f >= ssyrk && c.f <= sgemmtr;
    const bool is_solve = c.f >= strsm;
    const bool is_right = g.side == MYBLAS_SIDE_RIGHT;
    list.scalars("alpha", {c.alpha});
    if (is_rank_k) {
        // B of gemmtr is stored as k x n if it is not transposed.
        const bool trans_a = c.f == sgemmtr ? g.transa : g.trans;
        const bool trans_b = c.f == sgemmtr ? !g.transb : trans_a;
        const bool reads_ab = g.k > 0 && c.alpha != 0;
        list.scalars("beta", {c.beta});
        list.matrix("A", trans_a ? g.k : g.n, trans_a ? g.n : g.k, g.lda, reads_ab);
        if (c.f != ssyrk)
            list.matrix("B", trans_b ? g.k : g.n, trans_b ? g.n : g.k, g.ldb, reads_ab);
        list.triangle(list.matrix("C", g.n, g.n, g.ldc, c.beta != 0, true), false);
        return;
    }
    const int64_t order = is_right ? g.n : g.m;
    const bool is_array = c.f == strsm_batched;
    list.triangle(
        list.matrix(is_array ? "Aarray" : "A", order, order, g.lda, c.alpha != 0, false, g.strideA),
        is_solve);
    if (is_solve) {
        list.matrix(is_array ? "Barray" : "B", g.m, g.n, g.ldb, c.alpha != 0, true, g.strideB);
        return;
    }
    list.matrix("B", g.m, g.n, g.ldb, c.alpha != 0, c.in_place != 0);
    if (c.f == ssymm)
        list.scalars("beta", {c.beta});
    if (!c.in_place)
        list.matrix("C", g.m, g.n, g.ldc, c.f == ssymm && c.beta != 0, true);
}

void add_level2(operand_list& list, const call_case& c) {
    const arguments& g = c.args;
    switch (c.f) {
    case sgemv:
    case sgemv_strided_batched:
    case sgemv_batched: {
        const bool is_array = c.f == sgemv_batched;
        list.scalars("alpha", {c.alpha});
        list.scalars("beta", {c.beta});
        list.matrix(is_array ? "Aarray" : "A", g.m, g.n, g.lda, c.alpha != 0, false, g.strideA);
        list.vector(
            is_array ? "xarray" : "x", g.trans ? g.m : g.n, g.incx, c.alpha != 0, false, g.stridex);
        list.vector(
            is_array ? "yarray" : "y", g.trans ? g.n : g.m, g.incy, c.beta != 0, true, g.stridey);
        return;
    }
    case ssymv:
        list.scalars("alpha", {c.alpha});
        list.scalars("beta", {c.beta});
        list.triangle(list.matrix("A", g.n, g.n, g.lda, c.alpha != 0), false);
        list.vector("x", g.n, g.incx, c.alpha != 0);
        list.vector("y", g.n, g.incy, c.beta != 0, true);
        return;
    case sger:
    case ssyr:
    case ssyr2: {
        list.scalars("alpha", {c.alpha});
        list.vector("x", c.f == sger ? g.m : g.n, g.incx, c.alpha != 0);
        if (c.f != ssyr)
            list.vector("y", g.n, g.incy, c.alpha != 0);
        operand& a = list.matrix("A", c.f == sger ? g.m : g.n, g.n, g.lda, c.alpha != 0);
        a.is_written = a.is_read;
        if (c.f != sger)
            list.triangle(a, false);
        return;
    }
    default: // trmv, trsv
        list.triangle(list.matrix("A", g.n, g.n, g.lda, true), c.f == strsv);
        list.vector("x", g.n, g.incx, true, true);
    }
}

void add_level1(operand_list& list, const call_case& c) {
    const arguments& g = c.args;
    const int64_t n = std::max<int64_t>(g.n, 0);
    switch (c.f) {
    case sum:
    case sasum:
    case dsum:
    case snrm2:
    case isamax:
    case isamin: {
        const bool reads = c.f == snrm2 || g.incx > 0;
        operand& x =
            list.vector("x", reads ? n : 0, c.f == snrm2 ? std::abs(g.incx) : g.incx, true);
        x.element_bytes = c.f == dsum ? 8 : 4;
        const bool is_index = c.f == isamax || c.f == isamin;
        list.result("result", c.f == dsum || (is_index && c.is_wide) ? 8 : 4);
        return;
    }
    case saxpy:
        list.scalars("alpha", {c.alpha});
        list.vector("x", n, g.incx, c.alpha != 0);
        list.vector("y", n, g.incy, c.alpha != 0, c.alpha != 0);
        return;
    case scopy:
        list.vector("x", n, g.incx, true);
        list.vector("y", n, g.incy, false, true);
        return;
    case sdsdot:
        list.scalars("sb", {c.alpha});
        [[fallthrough]];
    case sdot:
        list.vector("x", n, g.incx, true);
        list.vector("y", n, g.incy, true);
        list.result("result");
        return;
    case sscal:
        list.scalars("alpha", {c.alpha});
        list.vector("x", g.incx <= 0 ? 0 : n, g.incx, true, true);
        return;
    case srotm: {
        list.scalars("param", {c.given, c.given + 5});
        const bool writes = c.given[0] != -2;
        list.vector("x", n, g.incx, writes, writes);
        list.vector("y", n, g.incy, writes, writes);
        return;
    }
    case sswap:
    case srot:
        list.vector("x", n, g.incx, true, true);
        list.vector("y", n, g.incy, true, true);
        if (c.f == srot) {
            list.scalars("c", {c.given[0]});
            list.scalars("s", {c.given[1]});
        }
        return;
    case srotg:
        for (const char* name : {"a", "b", "c", "s"})
            list.scalars(name, {name[0] == 'a' ? c.given[0] : c.given[1]}).is_written = true;
        list.all[2].is_read = list.all[3].is_read = false;
        return;
    default: // rotmg
        list.scalars("d1", {c.given[0]}).is_written = true;
        list.scalars("d2", {c.given[1]}).is_written = true;
        list.scalars("x1", {c.given[2]}).is_written = true;
        list.scalars("y1", {c.given[3]});
        list.scalars("param", {7, 7, 7, 7, 7}).is_written = true;
    }
}

void add_moves(operand_list& list, const call_case& c) {
    const arguments& g = c.args;
    const auto as_bytes = [&](operand& x, int64_t bytes) {
        x.element_bytes = bytes;
        x.holds = content::bytes;
    };
    switch (c.f) {
    case transpose:
    case transpose_ex:
    case transpose_strided_batched: {
        const int64_t bytes = c.f == transpose_ex ? g.element_bytes : 4;
        if (c.in_place) { // one operand, as large as both
            operand& a = list.matrix("A", g.m, g.n, g.lda, true, true, g.strideA);
            as_bytes(a, bytes);
            return;
        }
        as_bytes(list.matrix("A", g.m, g.n, g.lda, true, false, g.strideA), bytes);
        as_bytes(list.matrix("B", g.n, g.m, g.ldb, false, true, g.strideB), bytes);
        return;
    }
    case sgeam:
        list.scalars("alpha", {c.alpha});
        list.scalars("beta", {c.beta});
        list.matrix(
            "A", g.transa ? g.n : g.m, g.transa ? g.m : g.n, g.lda, c.alpha != 0, c.in_place == 1);
        list.matrix(
            "B", g.transb ? g.n : g.m, g.transb ? g.m : g.n, g.ldb, c.beta != 0, c.in_place == 2);
        if (!c.in_place)
            list.matrix("C", g.m, g.n, g.ldc, false, true);
        return;
    case sgemsum:
        list.matrix("A", g.m, g.n, g.lda, true);
        list.vector("result", g.op ? g.n : g.m, 1, false, true);
        return;
    case histogram256: {
        operand& x = list.matrix("x", std::max<int64_t>(g.n, 0), 1, g.n, true);
        as_bytes(x, 1);
        operand& counts = list.matrix("counts", 256, 1, 256, false, true);
        as_bytes(counts, 8);
        counts.offset = 0;
        return;
    }
    case set_vector:
    case get_vector:
    case set_vector_async:
    case get_vector_async:
        as_bytes(list.vector("x", g.n, g.incx, true), g.element_bytes);
        as_bytes(list.vector("y", g.n, g.incy, false, true), g.element_bytes);
        return;
    default: // copies of matrices
        as_bytes(list.matrix("A", g.rows, g.cols, g.lda, true), g.element_bytes);
        as_bytes(list.matrix("B", g.rows, g.cols, g.ldb, false, true), g.element_bytes);
    }
}

} // namespace

std::vector<operand> operands_of(const call_case& c) {
    operand_list list(c);
    if (c.f == sgemm_grouped_batched)
        add_groups(list, c);
    else if (c.f >= sgemm && c.f <= sgemm_fused_strided_batched)
        add_product(list, c);
    else if (is_level3(c.f))
        add_level3(list, c);
    else if (c.f >= sgemv)
        add_level2(list, c);
    else if ((c.f >= saxpy && c.f <= srotmg) || (c.f >= sum && c.f <= dsum))
        add_level1(list, c);
    else
        add_moves(list, c);
    return list.all;
}

// ---- Described calls ----------------------------------------------------------------------------

myblasCall_t describe(const call_case& c) {
    const arguments& g = c.args;
    myblasCall_t call = {};
    call.size_bytes = sizeof call;
    call.routine = static_cast<myblasRoutine_t>(routine_of(c.f));
    call.side = static_cast<myblasSideMode_t>(g.side);
    call.uplo = static_cast<myblasFillMode_t>(g.uplo);
    call.diag = static_cast<myblasDiagType_t>(g.diag);
    call.transa = static_cast<myblasOperation_t>(has(c.f, "trans") ? g.trans
                                                 : has(c.f, "op")  ? g.op
                                                                   : g.transa);
    call.transb = static_cast<myblasOperation_t>(c.f != ssyrkx ? g.transb
                                                 : g.trans     ? int64_t{MYBLAS_OP_N}
                                                               : int64_t{MYBLAS_OP_T});
    call.m = g.m, call.n = g.n, call.k = g.k;
    call.lda = g.lda, call.ldb = g.ldb, call.ldc = g.ldc;
    call.batch_count = has(c.f, "batch_count") ? g.batch_count : 0;
    call.math_mode = static_cast<myblasMath_t>(c.math);
    call.element_bytes = static_cast<int>(c.f == transpose_ex ? g.element_bytes : 4);
    call.pointer_array = c.f == sgemm_batched || c.f == strsm_batched;
    call.is_fused = c.f == sgemm_fused || c.f == sgemm_fused_strided_batched;
    if (call.is_fused)
        call.ldc = g.ldd;
    call.reads_C = c.device_scalars ? 2 : c.beta == 0 ? 0 : c.beta == 1 ? 1 : 2;
    if (c.f == sgemm_strided_batched || c.f == sgemm_fused_strided_batched)
        call.shared = (g.strideA == 0) + 2 * (g.strideB == 0);
    if (c.f == ssymv)
        call.ldb = g.incx, call.ldc = g.incy;
    return call;
}

} // namespace fuzz
