#include "cublas/lookup.h"

#include "cublas/entries.h"
#include "cublas/lt.h"

#include <atomic>
#include <dlfcn.h>
#include <string_view>

namespace myblas::preload {
namespace {

// ---- Which cuBLAS -------------------------------------------------------------------------------

constexpr std::string_view file_names[] = {"libcublas.so", "libcublasLt.so"}; // by library_kind

template <library_kind kind>
bool is_library(const char* base_name) {
    return std::string_view(base_name).starts_with(file_names[static_cast<int>(kind)]);
}

// The handles of dlopen of the first cuBLAS and cublasLt whose functions were looked up, by
// library_kind. Functions of any other cuBLAS are not replaced, because a function that was handed
// on does not tell where it came from.
constinit std::atomic<void*> looked_up[2];

} // namespace

void* cublas_symbol(library_kind kind, const char* symbol, const void* caller) noexcept {
    return symbol_for(caller,
                      symbol,
                      scope_order::caller_first,
                      kind == library_kind::cublas ? is_library<library_kind::cublas>
                                                   : is_library<library_kind::cublas_lt>,
                      looked_up[static_cast<int>(kind)].load(std::memory_order_acquire));
}

#ifdef __x86_64__

namespace {

// ---- What is replaced ---------------------------------------------------------------------------

// Defined in entries.cpp; here only the address counts.
extern "C" {
int cublasDestroy_v2(void*);
int cublasSetStream_v2(void*, myblasStream_t);
int cublasSetWorkspace_v2(void*, void*, size_t);
int cublasSetSmCountTarget(void*, int);
}

// The exported function of that name, or null. There is no table of addresses: a constructor might
// have to fill it, and other constructors may look functions up before that one runs.
void* replacement_of(std::string_view name) noexcept {
    if (!name.starts_with("cublas"))
        return nullptr;
#define CUBLAS_SETTING(NAME)                                                                       \
    if (name == #NAME)                                                                             \
        return reinterpret_cast<void*>(NAME);
#define CUBLASLT_ENTRY CUBLAS_SETTING
#define CUBLAS_ENTRY(NAME, ...) CUBLAS_SETTING(NAME)
#include "common/entries.inc"
#undef CUBLAS_SETTING
#undef CUBLASLT_ENTRY
#undef CUBLAS_ENTRY
#define MYBLAS_ENTRIES_64
#define CUBLAS_ENTRY(NAME, ...)                                                                    \
    if (name == #NAME "_64")                                                                       \
        return reinterpret_cast<void*>(NAME##_64);
#include "common/entries.inc"
#undef CUBLAS_ENTRY
#undef MYBLAS_ENTRIES_64
    return nullptr;
}

// Whether `found`, which the code at `caller` looked up, may be replaced: `found` must belong to
// cuBLAS, and calls from the caller must be forwarded to the same cuBLAS.
bool is_replaceable(const char* name, const void* found, const void* caller) noexcept {
    const char* const file = file_of(found);
    const char* const calling_file = file_of(caller);
    if (!file || !calling_file || is_own(caller))
        return false;
    const library_kind kind = std::string_view(name).starts_with("cublasLt")
                                  ? library_kind::cublas_lt
                                  : library_kind::cublas;
    const std::string_view own_name = file_names[static_cast<int>(kind)];
    if (!std::string_view(base_name(file)).starts_with(own_name))
        return false;
    // cuBLAS's internal calls are parts of a call that the program has made.
    for (const std::string_view n : file_names)
        if (std::string_view(base_name(calling_file)).starts_with(n))
            return false;
    if (cublas_symbol(kind, name, caller) != found)
        return false;
    std::atomic<void*>& chosen = looked_up[static_cast<int>(kind)];
    if (chosen.load(std::memory_order_acquire))
        return true;
    void* library = mapped_library(file);
    void* before = nullptr;
    if (!library)
        return false;
    return chosen.compare_exchange_strong(before, library) || before == library;
}

// ---- The next dlsym -----------------------------------------------------------------------------

using dlsym_function = void*(void*, const char*);

void* find_nothing(void*, const char*) { return nullptr; }

// The next dlsym in the order of loading: the C library's, or the dlsym of another library that is
// loaded in front of the C library. Only dlvsym can be used here, because dlsym would be this
// library's dlsym.
dlsym_function* next_dlsym() noexcept {
    static constinit std::atomic<dlsym_function*> known{nullptr};
    dlsym_function* next = known.load(std::memory_order_relaxed);
    if (!next) {
        constexpr char first_version[] = "GLIBC_2.2.5"; // on x86-64, in every C library
        next = reinterpret_cast<dlsym_function*>(dlvsym(RTLD_NEXT, "dlsym", first_version));
        if (next)
            next = reinterpret_cast<dlsym_function*>(next(RTLD_NEXT, "dlsym"));
        if (!next)
            next = find_nothing;
        known.store(next, std::memory_order_relaxed);
    }
    return next;
}

} // namespace

// The answer to a look-up; if there is none, `next` is called.
struct looked_up_function {
    void* answer;
    dlsym_function* next;
};

extern "C" [[gnu::visibility("hidden")]] looked_up_function
myblas_look_up(void* handle, const char* name, const void* caller) noexcept {
    dlsym_function* const next = next_dlsym();
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || !name)
        return {nullptr, next};
    void* const own = replacement_of(name);
    if (!own)
        return {nullptr, next};
    const void* const found = next(handle, name);
    return {found && is_replaceable(name, found, caller) ? own : nullptr, next};
}

// The next dlsym reads its return address to determine whose RTLD_NEXT and RTLD_DEFAULT are meant,
// and whom an error names. A jump to the next dlsym keeps the caller's return address on the stack.
asm(R"(
        .pushsection .text
        .p2align 4
        .globl dlsym
        .type dlsym, @function
dlsym:
        .cfi_startproc
        endbr64
        subq $24, %rsp
        .cfi_adjust_cfa_offset 24
        movq %rdi, (%rsp)
        movq %rsi, 8(%rsp)
        movq 24(%rsp), %rdx # the return address
        call myblas_look_up
        movq (%rsp), %rdi
        movq 8(%rsp), %rsi
        addq $24, %rsp
        .cfi_adjust_cfa_offset -24
        testq %rax, %rax
        jnz 1f
        jmp *%rdx
1:      ret
        .cfi_endproc
        .size dlsym, . - dlsym
        .popsection
)");

#endif

} // namespace myblas::preload
