// The kernels that a handle's last products took, so that repeated calls skip the selection.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace myblas {

// Everything that the selection may read of a problem (of pointers: see kernel_entry.h). Equal
// inputs on one handle give the same kernel.
struct selection_inputs {
    int64_t m, n, k, lda, stride_a, ldb, stride_b, ldc, stride_c, batch_count;
    size_t workspace_bytes;
    // Mode, epilogue or none, whether beta is 0 or 1, transpositions, triangle, zeroes, pointers.
    uint64_t bits;

    bool operator==(const selection_inputs&) const = default;
};
static_assert(sizeof(sgemm_problem) == 248, "a new field belongs into selection_inputs");

inline selection_inputs inputs_of(const sgemm_problem& p, size_t workspace_bytes) {
    uint64_t bits = p.math * 32 + may_be_nonzero(p.beta) * 16 + is_one(p.beta) * 8 +
                    !p.epilogue.is_empty() * 4 + p.transa * 2 + p.transb;
    bits = (bits * 3 + static_cast<unsigned>(p.triangle)) * 2 + (p.a == p.b);
    bits = bits * 5 + static_cast<unsigned>(p.zeros);
    const auto add = [&](const void* pointer) {
        const uintptr_t place = reinterpret_cast<uintptr_t>(pointer) % pointer_period;
        bits = bits * (pointer_period + 1) + (pointer ? place + 1 : 0);
    };
    add(p.a);
    add(p.b);
    add(p.c);
    add(p.a_array);
    add(p.b_array);
    add(p.c_array);
    return {p.m,
            p.n,
            p.k,
            p.lda,
            p.stride_a,
            p.ldb,
            p.stride_b,
            p.ldc,
            p.stride_c,
            p.batch_count,
            workspace_bytes,
            bits};
}

// A selection by predicted time takes 300 to 500 ns for a new shape; a cache hit takes about 25 ns.
class selection_cache {
public:
    // The result of select() for the problem, from the cache if the problem is there.
    template <class Select>
    selection<sgemm_problem>
    find(const sgemm_problem& problem, size_t workspace_bytes, Select&& select) {
        const selection_inputs wanted = inputs_of(problem, workspace_bytes);
        entry& place = entries[place_of(wanted)];
        if (!place.selected.kernel || place.inputs != wanted)
            place = {wanted, select()};
        return place.selected;
    }

private:
    struct entry {
        selection_inputs inputs;
        selection<sgemm_problem> selected; // no kernel: the entry is empty
    };
    static constexpr int place_bits = 5;

    static size_t place_of(const selection_inputs& i) {
        // Odd multipliers, whose products differ in the upper bits
        const uint64_t mixed = static_cast<uint64_t>(i.m) * 0x9e3779b97f4a7c15u +
                               static_cast<uint64_t>(i.n) * 0xc2b2ae3d27d4eb4fu +
                               static_cast<uint64_t>(i.k) * 0x165667b19e3779f9u +
                               static_cast<uint64_t>(i.workspace_bytes) * 0x9fb21c651e98df25u +
                               i.bits * 0xd6e8feb86659fd93u;
        return mixed >> (64 - place_bits);
    }

    std::array<entry, 1 << place_bits> entries{};
};

} // namespace myblas
