// What the C programs of this folder share: matrices from a hash of their indices, and the check of
// results in double precision.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// In [-1, 1), by row, column and seed, so that any process can make any part of a matrix.
static inline float hashed(uint64_t row, uint64_t column, uint64_t seed) {
    uint64_t x = (row << 32 ^ column) + seed * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return (float)(x >> 40) / (1 << 23) - 1;
}

// An element of the vector that results are multiplied with.
static inline double probe(size_t i) { return hashed(i, 0, 99); }

static inline void* allocate(size_t bytes) {
    void* memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static inline double* zeros(size_t n) {
    double* x = allocate(n * sizeof *x);
    for (size_t i = 0; i < n; ++i)
        x[i] = 0;
    return x;
}

struct difference {
    double norm;    // of the difference, relative to the norm of what was wanted
    double largest; // difference of an element, in root mean squares of what was wanted
};

static inline struct difference compare(const double* got, const double* wanted, size_t n) {
    double lost = 0, whole = 0, largest = 0;
    for (size_t i = 0; i < n; ++i) {
        const double error = fabs(got[i] - wanted[i]);
        lost += error * error;
        whole += wanted[i] * wanted[i];
        if (!(error <= largest)) // also NaN
            largest = error;
    }
    return (struct difference){sqrt(lost / whole), largest / sqrt(whole / (double)n)};
}

// The end of a line "RESULT {...}": times of the first and of the quickest call, rate, errors.
static inline void
print_measured(double first, double best, int calls, double flop, struct difference d) {
    printf("\"first_ms\": %.2f, \"ms\": %.2f, \"calls\": %d, ", 1e3 * first, 1e3 * best, calls);
    printf("\"tflops\": %.3f, \"error\": %.3g, ", 1e-12 * flop / best, fmin(d.norm, 1e30));
    printf("\"largest_error\": %.3g}\n", fmin(d.largest, 1e30));
    fflush(stdout);
}
