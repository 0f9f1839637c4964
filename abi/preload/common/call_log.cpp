#include "common/call_log.h"

#include "common/process_record.h"

namespace myblas::preload::call_log {

bool is_on() noexcept { return call_log_file.is_on() && own_record(); }

void add(const logged_call& c) noexcept {
    process_record* const r = own_record();
    if (!r || c.m <= 0 || c.n <= 0 || c.k <= 0 || c.batch <= 0)
        return;
    const uint64_t hash = hash_of({c.routine,
                                   c.transa,
                                   c.transb,
                                   c.uplo,
                                   c.m,
                                   c.n,
                                   c.k,
                                   c.lda,
                                   c.ldb,
                                   c.ldc,
                                   c.incx,
                                   c.batch});
    r->log.add(c, hash, 0);
}

} // namespace myblas::preload::call_log
