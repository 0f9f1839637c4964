#include "adapter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>

extern "C" void xerbla_(const char* name, const int* info, size_t length);

namespace adapter {
namespace {

char refusal[256]; // what the library's log last said

void keep_message(const char* message) { std::snprintf(refusal, sizeof refusal, "%s", message); }

int number_in(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
}

int growth() {
    static const int factor = number_in("ADAPTER_GROWTH", 1);
    return factor;
}

// Well mixed bits of a counter.
unsigned mix(unsigned x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

// Takes random numbers of up to 1/2 from a short list in turn, because operands are filled for
// every call.
float random_half() {
    static const std::vector<float> numbers = [] {
        std::vector<float> all(4093); // a prime, so that columns differ
        for (size_t i = 0; i < all.size(); ++i)
            all[i] = static_cast<float>(static_cast<int32_t>(mix(static_cast<unsigned>(i) + 1))) *
                     0x1p-32f;
        return all;
    }();
    static size_t next = 0;
    next = next + 1 < numbers.size() ? next + 1 : 0;
    return numbers[next];
}

// ---- Kernels ------------------------------------------------------------------------------------

struct kernel {
    std::string name;
    long runs = 0;
};

myblasMath_t math_mode() { return static_cast<myblasMath_t>(number_in("ADAPTER_MATH", 0)); }

// The kernels that fit the device and the mode.
std::vector<kernel> kernels_of(myblasRoutine_t routine) {
    myblasBackend_t backend = MYBLAS_BACKEND_AUTO;
    check(myblasGetBackend(handle(), &backend));
    myblasDevice_t device{};
    device.size_bytes = sizeof device;
    if (backend == MYBLAS_BACKEND_CUDA)
        check(myblasGetDevice(handle(), &device));
    int count = 0;
    check(myblasGetKernelCount(backend, routine, &count));
    std::vector<kernel> kernels;
    for (int i = 0; i < count; ++i) {
        myblasKernelInfo_t info{};
        info.size_bytes = sizeof info;
        check(myblasGetKernelInfo(backend, routine, i, &info));
        if (info.math_mode <= math_mode() && device.arch >= info.min_arch &&
            (info.max_arch == 0 || device.arch <= info.max_arch) &&
            info.smem_bytes <= device.smem_per_block)
            kernels.push_back({info.name});
    }
    return kernels;
}

struct forcing {
    bool is_asked_for, takes_first;
    std::optional<size_t> starts_at;
    std::map<myblasRoutine_t, std::vector<kernel>> kernels;
};

forcing& forced() {
    static forcing one = [] {
        const char* text = std::getenv("ADAPTER_KERNELS");
        forcing f{text != nullptr, text && std::strcmp(text, "first") == 0, {}, {}};
        size_t number = 0;
        if (text && std::sscanf(text, "%zu", &number) == 1)
            f.starts_at = number;
        return f;
    }();
    return one;
}

// Makes the call with the first kernel that accepts it, beginning with the one that ADAPTER_KERNELS
// says. For "all", the number of the call selects it. Returns the status.
myblasStatus_t call_forced(const routine& r,
                           const std::function<myblasStatus_t(myblasHandle_t)>& call) {
    std::vector<kernel>& kernels = forced().kernels[r.kernels];
    if (kernels.empty())
        kernels = kernels_of(r.kernels);
    const size_t count = forced().takes_first ? 1 : kernels.size();
    const size_t first =
        (forced().starts_at ? *forced().starts_at : mix(static_cast<unsigned>(r.calls))) % count;
    myblasStatus_t status = MYBLAS_STATUS_NOT_SUPPORTED;
    for (size_t i = 0; i < count && status == MYBLAS_STATUS_NOT_SUPPORTED; ++i) {
        kernel& chosen = kernels[(first + i) % count];
        check(myblasForceKernel(handle(), r.kernels, chosen.name.c_str()));
        status = call(handle());
        const char* last = nullptr;
        check(myblasGetLastKernel(handle(), r.kernels, &last));
        // A quick return takes no kernel: then the name of the last kernel is from an earlier
        // call.
        if (status == MYBLAS_STATUS_SUCCESS && last && chosen.name == last)
            ++chosen.runs;
    }
    check(myblasForceKernel(handle(), r.kernels, nullptr));
    return status;
}

// ---- The report ---------------------------------------------------------------------------------

std::map<std::string, const routine*>& called() {
    static std::map<std::string, const routine*> routines;
    return routines;
}

void report() {
    const char* name = std::getenv("ADAPTER_REPORT");
    std::FILE* file = name ? std::fopen(name, "a") : nullptr;
    if (!file)
        return;
    for (const auto& [text, r] : called()) {
        std::fprintf(file, "calls %s %ld\n", text.c_str(), r->calls);
        for (const kernel& k : forced().kernels[r->kernels])
            std::fprintf(file, "kernel %s %s %ld\n", text.c_str(), k.name.c_str(), k.runs);
    }
    std::fclose(file);
}

} // namespace

void give_up(const char* what) {
    std::fprintf(stderr, "adapter: error: %s\n", what);
    std::exit(1);
}

void check(myblasStatus_t status) {
    if (status != MYBLAS_STATUS_SUCCESS)
        give_up(refusal[0] ? refusal : myblasGetStatusString(status));
}

myblasHandle_t handle() {
    static myblasHandle_t one = nullptr;
    if (!one) {
        check(myblasSetLoggerCallback(keep_message));
        check(myblasCreate(&one));
        check(myblasSetMathMode(one, math_mode()));
        called(), forced(); // made before report is registered, so that they outlive it
        std::atexit(report);
    }
    return one;
}

bool perform(routine& r, const std::function<myblasStatus_t(myblasHandle_t)>& call) {
    if (++r.calls == 1)
        called()[std::string(r.name, std::strcspn(r.name, " "))] = &r;
    const myblasStatus_t status = forced().is_asked_for ? call_forced(r, call) : call(handle());
    if (status == MYBLAS_STATUS_SUCCESS)
        return true;
    const char* reason = std::strstr(refusal, "INVALID_VALUE: ");
    if (status != MYBLAS_STATUS_INVALID_VALUE || !reason)
        give_up(refusal);
    reason += std::strlen("INVALID_VALUE: ");
    const std::string name(reason, std::strcspn(reason, " "));
    for (const parameter& p : r.parameters)
        if (name == p.name) {
            xerbla_(r.name, &p.number, 6);
            return false;
        }
    give_up(refusal);
}

// ---- Operands -----------------------------------------------------------------------------------

namespace {

unsigned axis_count = 0;

// Memory of earlier operands, the latest first: successive calls have operands of similar sizes.
struct block {
    float* memory;
    size_t floats;
};
std::vector<block> blocks;
constexpr size_t least_floats = 1 << 17; // room for most, so that little is allocated

block take(size_t floats) {
    while (!blocks.empty() && blocks.back().floats < floats) {
        check(myblasFree(handle(), blocks.back().memory));
        blocks.pop_back();
    }
    if (blocks.empty()) {
        void* memory = nullptr;
        floats = std::max(floats, least_floats);
        check(myblasMalloc(handle(), &memory, floats * sizeof(float)));
        return {static_cast<float*>(memory), floats};
    }
    const block last = blocks.back();
    blocks.pop_back();
    return last;
}

} // namespace

axis::axis(int size) : axis(size, growth()) {}

axis::axis(int size, int growth) : missing_(std::max(-size, 0)) {
    ++axis_count;
    if (size <= 0)
        return;
    indices_.assign(static_cast<size_t>((size - 1) * growth + 1), -1);
    for (int i = 0; i < size; ++i) {
        const unsigned room = static_cast<unsigned>(i < size - 1 ? growth : 1);
        const unsigned seed = axis_count * 1024 + static_cast<unsigned>(i);
        places_.push_back(i * growth + static_cast<int>(mix(seed) % room));
        indices_[static_cast<size_t>(places_.back())] = i;
    }
}

axis axis::reversed() const {
    axis other = *this;
    for (int i = 0; i < size(); ++i) {
        other.places_[static_cast<size_t>(i)] = grown() - 1 - place(size() - 1 - i);
        other.indices_[static_cast<size_t>(grown() - 1 - place(i))] = size() - 1 - i;
    }
    for (int i = 0; i < grown(); ++i)
        if (index_at(i) < 0)
            other.indices_[static_cast<size_t>(grown() - 1 - i)] = -1;
    return other;
}

float matrix::value(const filler& f, int row, int column) const {
    if (f.has_triangle && (f.uplo == MYBLAS_FILL_MODE_LOWER ? row < column : row > column))
        return std::numeric_limits<float>::quiet_NaN();
    const bool other_row = rows_.index_at(row) < 0, other_column = columns_.index_at(column) < 0;
    if ((f.zero_rows && other_row) || (f.zero_columns && other_column))
        return 0;
    if (!f.is_apart)
        return random_half();
    if (row == column)
        return f.is_unit ? std::numeric_limits<float>::quiet_NaN() : 1 + random_half();
    return other_row == other_column ? random_half() * 0x1p-8f : 0;
}

matrix::matrix(
    const float* host, const axis& rows, const axis& columns, int ld, const filler& filler)
    : host_(const_cast<float*>(host)), rows_(rows), columns_(columns), host_ld_(ld),
      ld_(ld + rows.grown() - rows.size()) {
    if (rows.size() < 1 || columns.size() < 1 || ld < rows.size())
        return;
    // Some kernels need leading dimensions that are multiples of 4: half of the larger ones are.
    if (growth() > 1 && rows.grown() > 1 && mix(axis_count) % 2 == 0)
        ld_ = (ld_ + 3) / 4 * 4;
    const auto size = static_cast<size_t>(columns.grown() - 1) * static_cast<size_t>(ld_) +
                      static_cast<size_t>(rows.grown());
    copy_.assign(size, std::numeric_limits<float>::quiet_NaN());
    if (growth() > 1)
        for (int j = 0; j < columns.grown(); ++j)
            for (int i = 0; i < rows.grown(); ++i)
                copy_[static_cast<size_t>(j) * ld_ + i] = value(filler, i, j);
    for (int j = 0; j < columns.size(); ++j) {
        const float* from = host + static_cast<ptrdiff_t>(j) * ld;
        float* to = copy_.data() + static_cast<ptrdiff_t>(columns.place(j)) * ld_;
        for (int i = 0; i < rows.size(); ++i)
            to[rows.place(i)] = from[i];
    }
    const block memory = take(size);
    device_ = memory.memory;
    capacity_ = memory.floats;
    const int count = static_cast<int>(size);
    check(myblasSetVector(handle(), count, sizeof(float), copy_.data(), 1, device_, 1));
}

matrix::~matrix() {
    if (device_)
        blocks.push_back({device_, capacity_});
}

void matrix::fetch() const {
    if (!device_)
        return;
    std::vector<float> found(copy_.size());
    const int count = static_cast<int>(found.size());
    check(myblasGetVector(handle(), count, sizeof(float), device_, 1, found.data(), 1));
    for (int j = 0; j < columns_.grown(); ++j) {
        const size_t column = static_cast<size_t>(j) * ld_;
        const size_t begin = column + rows_.grown(), end = column + ld_;
        if (j + 1 < columns_.grown() &&
            std::memcmp(&found[begin], &copy_[begin], (end - begin) * sizeof(float)) != 0)
            give_up("memory between the columns of an operand was written");
        if (columns_.index_at(j) < 0)
            continue;
        float* to = host_ + static_cast<ptrdiff_t>(columns_.index_at(j)) * host_ld_;
        for (int i = 0; i < rows_.size(); ++i)
            to[i] = found[column + rows_.place(i)];
    }
}

namespace {

// The elements in the order of memory. If the increment is 0, all are the same element.
axis along(const axis& elements, int inc) {
    if (inc == 0 && elements.size() > 0)
        return axis::ungrown(1);
    return inc < 0 ? elements.reversed() : elements;
}

} // namespace

vector::vector(const float* host, const axis& elements, int inc, const filler& filler)
    : matrix(host, axis::ungrown(1), along(elements, inc), std::max(std::abs(inc), 1), filler) {}

// ---- Letters ------------------------------------------------------------------------------------

namespace {

int of_letters(char c, const char* letters) {
    for (int i = 0; letters[i]; ++i)
        if (c == letters[i] || c == letters[i] + 'a' - 'A')
            return i;
    return -1;
}

} // namespace

myblasOperation_t operation(char c) { return static_cast<myblasOperation_t>(of_letters(c, "NTC")); }
myblasFillMode_t fill_mode(char c) { return static_cast<myblasFillMode_t>(of_letters(c, "LU")); }
myblasSideMode_t side_mode(char c) { return static_cast<myblasSideMode_t>(of_letters(c, "LR")); }
myblasDiagType_t diag_type(char c) { return static_cast<myblasDiagType_t>(of_letters(c, "NU")); }

} // namespace adapter
