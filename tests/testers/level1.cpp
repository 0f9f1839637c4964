// Level 1.
#include "adapter.h"

#include <algorithm>

using namespace adapter;

namespace {

routine sdot{"SDOT  ", MYBLAS_ROUTINE_DOT}, snrm2{"SNRM2 ", MYBLAS_ROUTINE_NRM2},
    sasum{"SASUM ", MYBLAS_ROUTINE_SUM}, isamax{"ISAMAX", MYBLAS_ROUTINE_IAMAX},
    saxpy{"SAXPY ", MYBLAS_ROUTINE_AXPY}, scopy{"SCOPY ", MYBLAS_ROUTINE_COPY},
    sscal{"SSCAL ", MYBLAS_ROUTINE_SCAL}, sswap{"SSWAP ", MYBLAS_ROUTINE_SWAP},
    srot{"SROT  ", MYBLAS_ROUTINE_ROT}, srotm{"SROTM ", MYBLAS_ROUTINE_ROTM},
    srotg{"SROTG ", MYBLAS_ROUTINE_ROTG}, srotmg{"SROTMG", MYBLAS_ROUTINE_ROTMG};

constexpr filler zeros{.zero_columns = true}; // a vector is a row

float dot(int n, const float* x, int incx, const float* y, int incy) {
    const axis elements(n);
    const vector dx(x, elements, incx, zeros), dy(y, elements, incy);
    float result = 0;
    perform(sdot, [&](myblasHandle_t h) {
        return mysdot(h, elements.grown(), dx.device(), incx, dy.device(), incy, &result);
    });
    return result;
}

float nrm2(int n, const float* x, int incx) {
    const axis elements(n);
    const vector dx(x, elements, incx, zeros);
    float result = 0;
    perform(snrm2, [&](myblasHandle_t h) {
        return mysnrm2(h, elements.grown(), dx.device(), incx, &result);
    });
    return result;
}

float asum(int n, const float* x, int incx) {
    const axis elements(n);
    const vector dx(x, elements, incx, zeros);
    float result = 0;
    perform(sasum, [&](myblasHandle_t h) {
        return mysasum(h, elements.grown(), dx.device(), incx, &result);
    });
    return result;
}

// An index from 1 on; 0: there is none, or it is not one of the tester's.
int amax(int n, const float* x, int incx) {
    const axis elements(n);
    const vector dx(x, elements, incx, zeros);
    int result = 0;
    perform(isamax, [&](myblasHandle_t h) {
        return myisamax(h, elements.grown(), dx.device(), incx, &result);
    });
    return result > 0 ? elements.index_at(result - 1) + 1 : 0;
}

void axpy(int n, float alpha, const float* x, int incx, float* y, int incy) {
    const axis elements(n);
    const vector dx(x, elements, incx), dy(y, elements, incy);
    if (perform(saxpy, [&](myblasHandle_t h) {
            return mysaxpy(h, elements.grown(), &alpha, dx.device(), incx, dy.device(), incy);
        }))
        dy.fetch();
}

void copy(int n, const float* x, int incx, float* y, int incy) {
    const axis elements(n);
    const vector dx(x, elements, incx), dy(y, elements, incy);
    if (perform(scopy, [&](myblasHandle_t h) {
            return myscopy(h, elements.grown(), dx.device(), incx, dy.device(), incy);
        }))
        dy.fetch();
}

void scal(int n, float alpha, float* x, int incx) {
    const axis elements(n);
    const vector dx(x, elements, incx);
    if (perform(sscal, [&](myblasHandle_t h) {
            return mysscal(h, elements.grown(), &alpha, dx.device(), incx);
        }))
        dx.fetch();
}

// Calls that change both vectors.
template <class Call>
void change(routine& r, int n, float* x, int incx, float* y, int incy, Call call) {
    const axis elements(n);
    const vector dx(x, elements, incx), dy(y, elements, incy);
    if (perform(r, [&](myblasHandle_t h) {
            return call(h, elements.grown(), dx.device(), dy.device());
        })) {
        dx.fetch();
        dy.fetch();
    }
}

void swap(int n, float* x, int incx, float* y, int incy) {
    change(sswap, n, x, incx, y, incy, [=](myblasHandle_t h, int count, float* dx, float* dy) {
        return mysswap(h, count, dx, incx, dy, incy);
    });
}

void rot(int n, float* x, int incx, float* y, int incy, float c, float s) {
    change(srot, n, x, incx, y, incy, [=](myblasHandle_t h, int count, float* dx, float* dy) {
        return mysrot(h, count, dx, incx, dy, incy, &c, &s);
    });
}

// Scalars in memory of the backend, because scalars in host memory take no kernel.
template <class Call>
void generate(routine& r, int count, float* scalars, Call call) {
    const vector on_device(scalars, axis::ungrown(count), 1);
    perform(r, [&](myblasHandle_t h) {
        check(myblasSetPointerMode(h, MYBLAS_POINTER_MODE_DEVICE));
        const myblasStatus_t status = call(h, on_device.device());
        check(myblasSetPointerMode(h, MYBLAS_POINTER_MODE_HOST));
        return status;
    });
    on_device.fetch();
}

void rotg(float* a, float* b, float* c, float* s) {
    float scalars[] = {*a, *b, *c, *s};
    generate(srotg, 4, scalars, [](myblasHandle_t h, float* x) {
        return mysrotg(h, x, x + 1, x + 2, x + 3);
    });
    *a = scalars[0], *b = scalars[1], *c = scalars[2], *s = scalars[3];
}

} // namespace

extern "C" {

// ---- Fortran ------------------------------------------------------------------------------------

float sdot_(const int* n, const float* x, const int* incx, const float* y, const int* incy) {
    return dot(*n, x, *incx, y, *incy);
}
float snrm2_(const int* n, const float* x, const int* incx) { return nrm2(*n, x, *incx); }
float sasum_(const int* n, const float* x, const int* incx) { return asum(*n, x, *incx); }
int isamax_(const int* n, const float* x, const int* incx) { return amax(*n, x, *incx); }
void saxpy_(
    const int* n, const float* alpha, const float* x, const int* incx, float* y, const int* incy) {
    axpy(*n, *alpha, x, *incx, y, *incy);
}
void scopy_(const int* n, const float* x, const int* incx, float* y, const int* incy) {
    copy(*n, x, *incx, y, *incy);
}
void sscal_(const int* n, const float* alpha, float* x, const int* incx) {
    scal(*n, *alpha, x, *incx);
}
void sswap_(const int* n, float* x, const int* incx, float* y, const int* incy) {
    swap(*n, x, *incx, y, *incy);
}
void srot_(const int* n,
           float* x,
           const int* incx,
           float* y,
           const int* incy,
           const float* c,
           const float* s) {
    rot(*n, x, *incx, y, *incy, *c, *s);
}
void srotm_(
    const int* n, float* x, const int* incx, float* y, const int* incy, const float* param) {
    change(srotm, *n, x, *incx, y, *incy, [=](myblasHandle_t h, int count, float* dx, float* dy) {
        return mysrotm(h, count, dx, *incx, dy, *incy, param);
    });
}
void srotg_(float* a, float* b, float* c, float* s) { rotg(a, b, c, s); }
void srotmg_(float* d1, float* d2, float* x1, const float* y1, float* param) {
    float scalars[9] = {*d1, *d2, *x1, *y1};
    std::copy_n(param, 5, scalars + 4);
    generate(srotmg, 9, scalars, [](myblasHandle_t h, float* x) {
        return mysrotmg(h, x, x + 1, x + 2, x + 3, x + 4);
    });
    *d1 = scalars[0], *d2 = scalars[1], *x1 = scalars[2];
    std::copy_n(scalars + 4, 5, param);
}

// ---- CBLAS --------------------------------------------------------------------------------------

float cblas_sdot(int n, const float* x, int incx, const float* y, int incy) {
    return dot(n, x, incx, y, incy);
}
float cblas_snrm2(int n, const float* x, int incx) { return nrm2(n, x, incx); }
float cblas_sasum(int n, const float* x, int incx) { return asum(n, x, incx); }
size_t cblas_isamax(int n, const float* x, int incx) {
    const int number = amax(n, x, incx);
    return number > 0 ? static_cast<size_t>(number) - 1 : 0;
}
void cblas_saxpy(int n, float alpha, const float* x, int incx, float* y, int incy) {
    axpy(n, alpha, x, incx, y, incy);
}
void cblas_scopy(int n, const float* x, int incx, float* y, int incy) { copy(n, x, incx, y, incy); }
void cblas_sscal(int n, float alpha, float* x, int incx) { scal(n, alpha, x, incx); }
void cblas_sswap(int n, float* x, int incx, float* y, int incy) { swap(n, x, incx, y, incy); }
void cblas_srot(int n, float* x, int incx, float* y, int incy, float c, float s) {
    rot(n, x, incx, y, incy, c, s);
}
void cblas_srotg(float* a, float* b, float* c, float* s) { rotg(a, b, c, s); }

} // extern "C"
