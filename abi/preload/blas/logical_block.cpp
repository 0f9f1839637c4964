// pilaenv_: PBLAS, the part of ScaLAPACK that multiplies distributed matrices, asks it how many
// columns a panel has. ScaLAPACK 2.2 answers 32 and calls sgemm_ with k = 32: too little work for
// the bytes that a GPU has to be sent.
//
// MYBLAS_LOGICAL_BLOCK
//   A number of columns, in single precision; 0: ScaLAPACK's own number. All processes of a job
//   must give the same answer, else PBLAS computes nonsense. Without the variable, the number
//   therefore differs from ScaLAPACK's only if all processes are on one host with a GPU.
#include "common/local_ranks.h"
#include "common/mapped.h"
#include "core/environment.h"

#include <climits>
#include <dlfcn.h>
#include <unistd.h>

namespace myblas::preload {
namespace {

// psgemm of order 16384 with four ranks takes less time with 2048 columns than with 512 or 8192.
// With fewer, C crosses the links more often. With more, PBLAS allocates larger panels in each
// call.
constexpr int block_for_a_gpu = 2048, usual_block = 32;

bool may_use_gpu() noexcept {
    static constexpr choice<bool> backends[] = {{"auto", true}, {"cuda", true}, {"host", false}};
    static constexpr choice<bool> offload[] = {{"auto", true}, {"always", true}, {"never", false}};
    return read_choice("MYBLAS_BACKEND", backends, true, false) &&
           read_choice("MYBLAS_OFFLOAD", offload, true, false);
}

// 0: ScaLAPACK's own number
int read_block() noexcept {
    if (const char* text = read_variable("MYBLAS_LOGICAL_BLOCK")) {
        char* end;
        const long number = std::strtol(text, &end, 10);
        return *end == '\0' && number > 0 && number < INT_MAX ? static_cast<int>(number) : 0;
    }
    const bool has_gpu = access("/dev/nvidiactl", F_OK) == 0;
    return has_gpu && is_job_on_one_host() && may_use_gpu() ? block_for_a_gpu : 0;
}

} // namespace
} // namespace myblas::preload

extern "C" [[gnu::visibility("default")]] int pilaenv_(int* context, const char* precision) {
    using namespace myblas::preload;
    static const int own = read_block();
    if (own > 0 && (*precision == 'S' || *precision == 's'))
        return own;
    using function = int(int*, const char*);
    static auto* const next = reinterpret_cast<function*>(foreign_symbol(RTLD_NEXT, "pilaenv_"));
    return next ? next(context, precision) : usual_block;
}
