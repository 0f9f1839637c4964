// The arguments of one letter, and the enumerations of CBLAS: what they say, and whether they are any that the
// reference BLAS knows.
#pragma once

#include "blas/routines.h"

#include <initializer_list>

namespace myblas::preload {

// The number of the first argument that is not known, from 1 on; 0: all are.
inline int wrong_letter(std::initializer_list<bool> are_known) {
    int number = 0;
    for (const bool is_known : are_known) {
        ++number;
        if (!is_known)
            return number;
    }
    return 0;
}

// ---- Fortran -------------------------------------------------------------------------------------

inline bool is_letter(const char* c, char capital) { return *c == capital || *c == capital + 32; }

inline bool is_trans(const char* c) { return is_letter(c, 'T') || is_letter(c, 'C'); }
inline bool is_operation(const char* c) { return is_letter(c, 'N') || is_trans(c); }

// The matcopy routines also have R, "conjugated, not transposed".
inline bool is_copy_operation(const char* c) { return is_letter(c, 'R') || is_operation(c); }
inline bool is_row_major(const char* c) { return is_letter(c, 'R'); }
inline bool is_order(const char* c) { return is_letter(c, 'C') || is_row_major(c); }

inline bool is_upper(const char* c) { return is_letter(c, 'U'); }
inline bool is_uplo(const char* c) { return is_letter(c, 'L') || is_upper(c); }
inline bool is_left(const char* c) { return is_letter(c, 'L'); }
inline bool is_side(const char* c) { return is_letter(c, 'R') || is_left(c); }
inline bool is_unit(const char* c) { return is_letter(c, 'U'); }
inline bool is_diag(const char* c) { return is_letter(c, 'N') || is_unit(c); }

// ---- CBLAS ---------------------------------------------------------------------------------------

// Enumerations and sizes are ints in the low half of their slots.
inline int as_int(slot s) { return static_cast<int>(s); }

inline bool is_row_major(slot order) { return as_int(order) == cblas_row_major; }
inline bool is_trans(slot trans) {
    return as_int(trans) == cblas_trans || as_int(trans) == cblas_conj_trans;
}
inline bool is_order(slot order) { return is_row_major(order) || as_int(order) == cblas_col_major; }
inline bool is_operation(slot trans) { return as_int(trans) == cblas_no_trans || is_trans(trans); }
inline bool is_copy_operation(slot trans) {
    return as_int(trans) == cblas_conj_no_trans || is_operation(trans);
}

inline bool is_upper(slot uplo) { return as_int(uplo) == cblas_upper; }
inline bool is_uplo(slot uplo) { return as_int(uplo) == cblas_lower || is_upper(uplo); }
inline bool is_left(slot side) { return as_int(side) == cblas_left; }
inline bool is_side(slot side) { return as_int(side) == cblas_right || is_left(side); }
inline bool is_unit(slot diag) { return as_int(diag) == cblas_unit; }
inline bool is_diag(slot diag) { return as_int(diag) == cblas_non_unit || is_unit(diag); }

} // namespace myblas::preload
