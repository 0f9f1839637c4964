// Tells from a function's name whether a preload library serves its calls, and if not, why.
#pragma once

#include <array>
#include <string_view>

namespace myblas::preload {

// The libraries that count calls, as a report names them.
inline constexpr char system_blas_title[] = "myblas-blas"; // libmyblas-blas.so
inline constexpr char blas_title[] = "myblas-blas-preload";
inline constexpr char cublas_title[] = "myblas-cublas-preload";

inline constexpr char remark_served[] = "served";
inline constexpr char remark_not_served[] = "not served";
inline constexpr char remark_double[] = "double precision: not served";
inline constexpr char remark_complex[] = "complex: not served";
inline constexpr char remark_half[] = "half precision: not served";

// The served routines of the Fortran BLAS and CBLAS, without the affixes of a spelling.
inline constexpr auto served_blas = std::to_array<std::string_view>({
#define BLAS_ENTRY(name, ...) #name,
#include "common/entries.inc"
#undef BLAS_ENTRY
});

// The affixes of a spelling.
struct affixes {
    std::string_view before, after;
};
inline constexpr auto blas_spellings = std::to_array<affixes>({
#define SPELL(name, id, used, integer, before, after) {#before, #after},
    BLAS_SPELLINGS(SPELL, )
#undef SPELL
});

// The served functions of cuBLAS, in all forms.
inline constexpr auto served_cublas = std::to_array<std::string_view>({
#define CUBLAS_ENTRY(name, ...) #name,
#include "common/entries.inc"
#undef CUBLAS_ENTRY
#define MYBLAS_ENTRIES_64
#define CUBLAS_ENTRY(name, ...) #name "_64",
#include "common/entries.inc"
#undef CUBLAS_ENTRY
#undef MYBLAS_ENTRIES_64
#define CUBLASLT_ENTRY(name) #name,
#include "common/entries.inc"
#undef CUBLASLT_ENTRY
});

template <size_t count>
constexpr bool is_among(std::string_view name,
                        const std::array<std::string_view, count>& names) noexcept {
    for (const std::string_view n : names)
        if (n == name)
            return true;
    return false;
}

constexpr bool drop_prefix(std::string_view* text, std::string_view prefix) noexcept {
    const bool has = text->starts_with(prefix);
    if (has)
        text->remove_prefix(prefix.size());
    return has;
}

constexpr bool drop_suffix(std::string_view* text, std::string_view suffix) noexcept {
    const bool has = text->ends_with(suffix);
    if (has)
        text->remove_suffix(suffix.size());
    return has;
}

// Finds the remark_ on a function of a BLAS without affixes. False if there is none; with
// sanitizers, GCC 12 cannot compare a remark with null at compile time.
constexpr bool find_remark(std::string_view name, const char** remark) noexcept {
    constexpr auto others = std::to_array<std::string_view>(
        {"gbmv", "sbmv", "spmv", "spr",   "spr2",  "tbmv",   "tbsv", "tpmv",
         "tpsv", "hemm", "herk", "her2k", "hemv",  "her",    "her2", "gerc",
         "geru", "dotc", "dotu", "gemmt", "axpby", "gemm3m", "dsdot"});
    drop_suffix(&name, "_sub");                         // CBLAS, of complex results
    const size_t place = name.starts_with('i') ? 1 : 0; // of the letter for the precision
    if (name.size() <= place + 1)
        return false;
    if (name == "scasum" || name == "scnrm2" ||
        name == "scabs1") { // real results of complex numbers
        *remark = remark_complex;
        return true;
    }
    bool is_served = false;
    for (const std::string_view s : served_blas)
        is_served = is_served || (s.substr(0, place) == name.substr(0, place) && s[place] == 's' &&
                                  s.substr(place + 1) == name.substr(place + 1));
    if (!is_served && !is_among(name.substr(place + 1), others))
        return false;
    switch (name[place]) {
    case 's':
        *remark = is_served ? remark_served : remark_not_served;
        return true;
    case 'd':
        *remark = remark_double;
        return true;
    case 'c':
    case 'z':
        *remark = remark_complex;
        return true;
    default:
        return false;
    }
}

// A remark_ on a function of a BLAS in any spelling; null for any other.
constexpr const char* remark_on_blas(std::string_view name) noexcept {
    for (const affixes& a : blas_spellings) {
        std::string_view routine = name;
        const char* remark = nullptr;
        if (drop_prefix(&routine, a.before) && drop_suffix(&routine, a.after) &&
            find_remark(routine, &remark))
            return remark;
    }
    return nullptr;
}

// A remark_ on a function of cuBLAS that computes; null for any other.
constexpr const char* remark_on_cublas(std::string_view name) noexcept {
    if (is_among(name, served_cublas))
        return remark_served;
    if (!drop_prefix(&name, "cublas") || name.size() < 2)
        return nullptr;
    if (name.starts_with("Create") || name.starts_with("Destroy"))
        return nullptr;
    if (name.starts_with("Gemm"))
        return remark_not_served;
    if (name[1] < 'a' || name[1] > 'z')
        return nullptr;
    switch (name.front()) {
    case 'S':
        return name.starts_with("Set") ? nullptr : remark_not_served;
    case 'D':
        return remark_double;
    case 'C':
    case 'Z':
        return remark_complex;
    case 'H':
        return remark_half;
    default:
        return nullptr;
    }
}

static_assert(remark_on_blas("sgemm_") == remark_served);
static_assert(remark_on_blas("cblas_dgemm") == remark_double);
static_assert(remark_on_blas("scipy_cblas_sgemm64_") == remark_served);
static_assert(remark_on_blas("scipy_sgemm_") == remark_served);
static_assert(remark_on_blas("sgemm_64_") == remark_served);
static_assert(remark_on_blas("cblas_isamax_64") == remark_served);
static_assert(remark_on_blas("scipy_idamax_64_") == remark_double);
static_assert(remark_on_blas("scipy_cblas_zdotc_sub64_") == remark_complex);
static_assert(remark_on_blas("cblas_zdotc_sub") == remark_complex);
static_assert(remark_on_blas("scnrm2_") == remark_complex);
static_assert(remark_on_blas("sspmv_") == remark_not_served);
static_assert(remark_on_blas("strsm_") == remark_served);
static_assert(remark_on_blas("stbmv_") == remark_not_served);
static_assert(remark_on_blas("sgemm") == nullptr);
static_assert(remark_on_blas("scopy") == nullptr);
static_assert(remark_on_cublas("cublasSgemm_v2_64") == remark_served);
static_assert(remark_on_cublas("cublasSspr_v2") == remark_not_served);
static_assert(remark_on_cublas("cublasDgemm_v2") == remark_double);
static_assert(remark_on_cublas("cublasLtMatmul") == remark_served);
static_assert(remark_on_cublas("cublasSetStream_v2") == nullptr);
static_assert(remark_on_cublas("cublasCreate_v2") == nullptr);

} // namespace myblas::preload
