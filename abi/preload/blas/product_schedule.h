// How a product is cut into blocks, and the steps by which a device computes one block. Pure: all
// of this is tested without a device.
#pragma once

#include "blas/level3.h"

namespace myblas::preload {

// How the operands of a block are uploaded if the block is computed as a whole.
struct pace {
    int64_t lead_cols;              // of 16 columns
    int64_t first_elements;         // uploaded before the first product
    int64_t growth;                 // a panel's depth over the depth before, in halves
    int64_t panels;                 // about this number, if copies take longer; else 0
    int64_t parts_of_a, parts_of_b; // in a panel
    bool transposes;                // operands are transposed on the device
};

// C is cut into blocks. If there is memory for all of A, B and C, each device has one block, which
// is computed in two parts. First, panels of A and of the leading columns of B are multiplied as
// they arrive. Panels have growing depth. The first panel is shallow, so that the arithmetic starts
// early. Each panel reads and writes C in memory again. The other columns are therefore not
// computed by panels, but in groups and with all of A, which is on the device by then. The first
// part of C is downloaded meanwhile, and so is each group. The last groups are narrow, because
// nothing overlaps with their download.
//
// If the copies take longer than the arithmetic, there is time to wait for a deeper first panel. In
// a shallow one, the pieces of B's columns are short, and the host copies them slowly.
//
// If the arithmetic takes longer than the copies, each panel takes longer to multiply than the next
// panel takes to arrive. Then panels arrive in parts, which are multiplied at once: first some of
// B's columns with A's rows part by part, then B's other columns. An operand whose adjacent
// elements are adjacent in k is then transposed on the device. Products of operands stored the
// other way are faster, by more time than the transposition takes. If the copies take longer, fewer
// columns lead, so that their part of C is downloaded sooner.
//
// Devices with blocks of the same size, or almost, which all need A, share its upload.
//
// If there is not enough memory for all of A, B and C, a block stays on the device while panels of
// A and B pass through two buffers. The last panel is deeper and is multiplied with C in groups of
// columns.
struct product_schedule {
    int64_t block_m, block_n;
    bool is_resident;
    pace resident;           // if it is
    bool shares_a;           // each device uploads a part of A, and has the rest from the others
    int64_t block_k, last_k; // depth of all panels, and of the last, if not resident
    int64_t blocks_m, blocks_n;
    int64_t slot_elements;
    int64_t strip_cols; // columns of C that fit a slot

    int64_t blocks() const { return blocks_m * blocks_n; }
    int64_t largest_depth() const { return std::max(block_k, last_k); }
};

// keeps_k: k is not cut. The schedule may then exceed the memory.
product_schedule make_product_schedule(const product&,
                                       size_t memory_bytes,
                                       int devices,
                                       bool is_strict,
                                       bool keeps_k,
                                       int64_t slot_elements);

// Elements of device memory that a block takes.
int64_t elements_in_all(const product&, const product_schedule&);

// The part of the product in block `index` from its column `from_col` on.
product block_of(const product&, const product_schedule&, int64_t index, int64_t from_col = 0);

// op(A) or op(B). Its rows or columns correspond to the rows or columns of C. Element (l, j): l in
// k, j in C.
template <class T>
struct operand_of_product {
    T* data;
    int64_t ld;
    bool is_along_k; // adjacent elements are adjacent in k

    T* at(int64_t l, int64_t j) const { return data + (is_along_k ? l + j * ld : j + l * ld); }
};

inline constexpr int most_groups_of_product = 48;
inline constexpr int most_shared_parts_of_product = 64; // of A; more are uploaded by each device

// The device's memory begins with C. Steps are enqueued in order, on one stream each for uploads,
// fetches, arithmetic and downloads.
//   upload      the matrix is copied to its place in the device's memory, and later arithmetic
//               waits for the copy
//   publish     other devices may fetch what was uploaded of this part, once the uploads have
//               reached this step
//   fetch       once the owner has published its upload of this part, it is copied from the same
//               place in the owner's memory, and later arithmetic waits for the copy
//   transpose   the device transposes a matrix that was uploaded
//   multiply    rows and columns of C += alpha a b, or beta C + alpha a b
//   release     the buffer is free once the arithmetic has reached this step
//   claim       uploads wait until the buffer is free
//   group       some columns of C are finished once the arithmetic has reached this step
//   download    columns of C are downloaded, once their group is finished
struct product_step {
    enum class kind {
        upload,
        publish,
        fetch,
        transpose,
        multiply,
        release,
        claim,
        group,
        download
    };
    kind what;
    int number = 0;                           // of the buffer, the group, or the part
    int owner = 0;                            // fetch: the number of the block
    host_matrix<const float> from = {};       // upload, fetch; transpose, which reads device memory
    float* place = nullptr;                   // upload, fetch, transpose
    int64_t ld = 0;                           // of the place
    operand_of_product<float> a = {}, b = {}; // multiply: from its first rows and columns on
    range rows = {}, cols = {};               // multiply, download
    int64_t depth = 0;                        // multiply
    float beta = 0;
};

// Calls visit for each step in order until visit returns false, and returns the last result.
// `block` is the block of this number, and `memory` the device's.
bool visit_product_schedule(const product& block,
                            const product_schedule&,
                            int number,
                            float* memory,
                            function_ref<bool(const product_step&)> visit);

// Leading dimension of C in the device's memory.
int64_t ld_of_c(const product_schedule&);

} // namespace myblas::preload
