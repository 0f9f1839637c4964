// A problem in words, for the log.
#pragma once

#include "core/problem.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace myblas {

struct description {
    char text[512];
};

[[gnu::format(printf, 1, 2)]] inline description in_words(const char* format, ...) {
    description d;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(d.text, sizeof d.text, format, arguments);
    va_end(arguments);
    return d;
}

inline description describe(const sgemm_problem& p) {
    return in_words("%c%c m=%" PRId64 " n=%" PRId64 " k=%" PRId64 " lda=%" PRId64 " ldb=%" PRId64
                    " ldc=%" PRId64 " batch=%" PRId64 " A=%p B=%p C=%p%s",
                    p.transa ? 'T' : 'N',
                    p.transb ? 'T' : 'N',
                    p.m,
                    p.n,
                    p.k,
                    p.lda,
                    p.ldb,
                    p.ldc,
                    p.batch_count,
                    p.a_array ? static_cast<const void*>(p.a_array) : p.a,
                    p.b_array ? static_cast<const void*>(p.b_array) : p.b,
                    p.c_array ? static_cast<const void*>(p.c_array) : p.c,
                    p.finish.is_empty() ? "" : " fused");
}

inline description describe(const transpose_problem& p) {
    return in_words("m=%" PRId64 " n=%" PRId64 " element_bytes=%d lda=%" PRId64 " ldb=%" PRId64
                    " batch=%" PRId64 " A=%p B=%p",
                    p.m,
                    p.n,
                    p.element_bytes,
                    p.lda,
                    p.ldb,
                    p.batch_count,
                    p.a,
                    p.b);
}

inline description describe(const geam_problem& p) {
    return in_words("%c%c m=%" PRId64 " n=%" PRId64 " lda=%" PRId64 " ldb=%" PRId64 " ldc=%" PRId64
                    " A=%p B=%p C=%p",
                    p.transa ? 'T' : 'N',
                    p.transb ? 'T' : 'N',
                    p.m,
                    p.n,
                    p.lda,
                    p.ldb,
                    p.ldc,
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.b),
                    static_cast<const void*>(p.c));
}

template <class Problem>
description describe_vector(const Problem& p) {
    return in_words(
        "n=%" PRId64 " incx=%" PRId64 " x=%p", p.n, p.incx, static_cast<const void*>(p.x));
}

template <class T>
description describe(const sum_problem<T>& p) {
    return describe_vector(p);
}

inline description describe(const gemsum_problem& p) {
    return in_words("%c m=%" PRId64 " n=%" PRId64 " lda=%" PRId64 " A=%p result=%p",
                    p.trans ? 'T' : 'N',
                    p.m,
                    p.n,
                    p.lda,
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.result));
}

inline description describe(const histogram_problem& p) {
    return in_words("n=%" PRId64 " x=%p", p.n, static_cast<const void*>(p.x));
}

template <class Problem>
description describe_vectors(const Problem& p) {
    return in_words("n=%" PRId64 " incx=%" PRId64 " incy=%" PRId64 " x=%p y=%p",
                    p.n,
                    p.incx,
                    p.incy,
                    static_cast<const void*>(p.x),
                    static_cast<const void*>(p.y));
}

inline description describe(const axpy_problem& p) { return describe_vectors(p); }
inline description describe(const copy_problem& p) { return describe_vectors(p); }
inline description describe(const dot_problem& p) { return describe_vectors(p); }
inline description describe(const swap_problem& p) { return describe_vectors(p); }
inline description describe(const rot_problem& p) { return describe_vectors(p); }
inline description describe(const rotm_problem& p) { return describe_vectors(p); }
inline description describe(const nrm2_problem& p) { return describe_vector(p); }
inline description describe(const extremum_problem& p) { return describe_vector(p); }
inline description describe(const scal_problem& p) { return describe_vector(p); }
inline description describe(const rotg_problem& p) {
    return in_words("a=%p b=%p c=%p s=%p",
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.b),
                    static_cast<const void*>(p.c),
                    static_cast<const void*>(p.s));
}

inline description describe(const rotmg_problem& p) {
    return in_words("d1=%p d2=%p x1=%p y1=%p param=%p",
                    static_cast<const void*>(p.d1),
                    static_cast<const void*>(p.d2),
                    static_cast<const void*>(p.x1),
                    static_cast<const void*>(p.y1),
                    static_cast<const void*>(p.param));
}

// ---- Level 2 -------------------------------------------------------------------------------------

inline description describe(const symv_problem& p) {
    return in_words("%c n=%" PRId64 " lda=%" PRId64 " incx=%" PRId64 " incy=%" PRId64
                    " A=%p x=%p y=%p",
                    p.upper ? 'U' : 'L',
                    p.n,
                    p.lda,
                    p.incx,
                    p.incy,
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.x),
                    static_cast<const void*>(p.y));
}

// syr, syr2 and ger, which has no triangle.
inline description describe(const syr_problem& p) {
    return in_words("%s m=%" PRId64 " n=%" PRId64 " lda=%" PRId64 " incx=%" PRId64 " incy=%" PRId64
                    " A=%p x=%p y=%p",
                    p.is_ger  ? "all"
                    : p.upper ? "U"
                              : "L",
                    p.rows(),
                    p.n,
                    p.lda,
                    p.incx,
                    p.incy,
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.x),
                    static_cast<const void*>(p.y));
}

template <bool solve>
description describe(const triangular_problem<solve>& p) {
    return in_words("%c%c%c n=%" PRId64 " lda=%" PRId64 " incx=%" PRId64 " A=%p x=%p",
                    p.upper ? 'U' : 'L',
                    p.trans ? 'T' : 'N',
                    p.unit ? 'U' : 'N',
                    p.n,
                    p.lda,
                    p.incx,
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.x));
}

// ---- Level 3 ---------------------------------------------------------------------------------------

template <bool twice>
description describe(const rank_k_problem<twice>& p) {
    return in_words("%c%c n=%" PRId64 " k=%" PRId64 " lda=%" PRId64 " ldb=%" PRId64 " ldc=%" PRId64
                    " A=%p B=%p C=%p",
                    p.upper ? 'U' : 'L',
                    p.trans ? 'T' : 'N',
                    p.n,
                    p.k,
                    p.lda,
                    p.ldb,
                    p.ldc,
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.b),
                    static_cast<const void*>(p.c));
}

inline description describe(const symm_problem& p) {
    return in_words("%c%c m=%" PRId64 " n=%" PRId64 " lda=%" PRId64 " ldb=%" PRId64 " ldc=%" PRId64
                    " A=%p B=%p C=%p",
                    p.right ? 'R' : 'L',
                    p.upper ? 'U' : 'L',
                    p.m,
                    p.n,
                    p.lda,
                    p.ldb,
                    p.ldc,
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.b),
                    static_cast<const void*>(p.c));
}

inline description describe(const trmm_problem& p) {
    return in_words("%c%c%c%c m=%" PRId64 " n=%" PRId64 " lda=%" PRId64 " ldb=%" PRId64
                    " ldc=%" PRId64 " A=%p B=%p C=%p",
                    p.right ? 'R' : 'L',
                    p.upper ? 'U' : 'L',
                    p.trans ? 'T' : 'N',
                    p.unit ? 'U' : 'N',
                    p.m,
                    p.n,
                    p.lda,
                    p.ldb,
                    p.ldc,
                    static_cast<const void*>(p.a),
                    static_cast<const void*>(p.b),
                    static_cast<const void*>(p.c));
}

inline description describe(const trsm_problem& p) {
    return in_words("%c%c%c%c m=%" PRId64 " n=%" PRId64 " lda=%" PRId64 " ldb=%" PRId64
                    " batch=%" PRId64 " A=%p B=%p",
                    p.right ? 'R' : 'L',
                    p.upper ? 'U' : 'L',
                    p.trans ? 'T' : 'N',
                    p.unit ? 'U' : 'N',
                    p.m,
                    p.n,
                    p.lda,
                    p.ldb,
                    p.batch_count,
                    p.a_array ? static_cast<const void*>(p.a_array) : p.a,
                    p.b_array ? static_cast<const void*>(p.b_array) : p.b);
}

} // namespace myblas
