// How a product is cut into blocks, and the steps by which a device computes one. Pure: all of it is tested without a
// device.
#pragma once

#include "blas/level3.h"

namespace myblas::preload {

// How the operands of a block come that is computed as a whole.
struct pace {
    int64_t lead_cols;              // of 16 columns
    int64_t first_elements;         // that come before the first product
    int64_t growth;                 // of a panel's depth over the one before, in halves
    int64_t parts_of_a, parts_of_b; // in a panel
    bool turns;                     // operands on the device
};

// C is cut into blocks. Where there is memory for all of A, B and C, each device has one, which is computed in
// two parts. Panels of A and of the leading columns of B, of growing depth, are multiplied as they come: the
// first one is shallow, so that the arithmetic starts early. Each meets C in memory again, which is why the
// other columns are not computed so, but in groups and by all of A, which is there by then. The first part of C
// comes down meanwhile, and so does each group; the last ones are narrow, for nothing hides their way down.
//
// Where the arithmetic takes longer than the copies, each panel takes longer to multiply than the next one to
// come, and comes in parts, which are multiplied at once: some of B's columns with A's rows part by part, then
// its other columns. An operand whose adjacent elements are next to each other in k is then transposed on the
// device: with operands the other way round, products are faster by more than that takes. Elsewhere fewer
// columns lead, so that their part of C comes down sooner.
//
// Where there is no such memory, a block stays on the device while panels of A and B pass by in two buffers,
// a deeper one at last, which meets C in groups of columns.
struct product_plan {
    int64_t block_m, block_n;
    bool is_resident;
    pace resident;           // if it is
    int64_t block_k, last_k; // depth of all panels, and of the last one, if they pass by
    int64_t blocks_m, blocks_n;
    int64_t slot_elements;
    int64_t strip_cols; // of C, which fit a slot

    int64_t blocks() const { return blocks_m * blocks_n; }
    int64_t largest_depth() const { return std::max(block_k, last_k); }
};

product_plan make_product_plan(
    const product&, size_t memory_bytes, int devices, bool is_strict, int64_t slot_elements);

// Of device memory, for a block.
int64_t elements_in_all(const product&, const product_plan&);

// The part of the product in block `index` from its column `from_col` on.
product block_of(const product&, const product_plan&, int64_t index, int64_t from_col = 0);

// op(A) or op(B): its rows or columns are those of C. Element (l, j): l in k, j in C.
template <class T>
struct operand_of_product {
    T* data;
    int64_t ld;
    bool is_along_k; // adjacent elements are next to each other in k

    T* at(int64_t l, int64_t j) const { return data + (is_along_k ? l + j * ld : j + l * ld); }
};

inline constexpr int most_groups_of_product = 48;

// The device's memory begins with C. What is enqueued goes on in the order of the steps, on one stream each for uploads,
// arithmetic and downloads.
//   upload      the matrix goes to its place in the device's memory; arithmetic behind it waits for it
//   turn        the device transposes a matrix that was uploaded
//   multiply    rows and columns of C += alpha a b, or beta C + alpha a b
//   release     the buffer is free once the arithmetic is here
//   claim       uploads wait until the buffer is free
//   group       some columns of C are finished once the arithmetic is here
//   download    columns of C come down, once their group is finished
struct product_step {
    enum class kind { upload, turn, multiply, release, claim, group, download };
    kind what;
    int number = 0;                           // of the buffer, or the group
    host_matrix<const float> from = {};       // upload; turn, which reads device memory
    float* place = nullptr;                   // upload, turn
    int64_t ld = 0;                           // of the place
    operand_of_product<float> a = {}, b = {}; // multiply: from its first rows and columns on
    range rows = {}, cols = {};               // multiply, download
    int64_t depth = 0;                        // multiply
    float beta = 0;
};

// Calls visit for one step after the other, until it returns false, which is then returned. `memory` is the device's.
bool visit_product_plan(const product& block,
                        const product_plan&,
                        float* memory,
                        function_ref<bool(const product_step&)> visit);

// Leading dimension of C in the device's memory.
int64_t ld_of_c(const product_plan&);

} // namespace myblas::preload
