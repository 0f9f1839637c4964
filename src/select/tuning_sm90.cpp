// Rules of the cuda backend for compute capability 9.0.
// Provenance: small products and batches of them by docs/experiments/sgemm_small.md, thin ones by
// sgemm_skinny.md and sgemm.md, those on tensor cores by sgemm_emulated.md, all others by cost
// (tuning_sm90_sgemm.cpp);
// transposes: transpose.md; sums, histogram: sum.md. H100 80GB HBM3, CUDA 13.0, 2026-11-21 and 22.
#include "kernels/histogram/registry.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sum/registry.h"
#include "kernels/transpose/registry.h"
#include "kernels/vector/registry.h"
#include "select/tuning.h"

namespace myblas {
namespace {

constexpr unsigned nn = 1, nt = 2, tn = 4, tt = 8;
constexpr unsigned transa_form = transposition_forms(tn | tt);
constexpr unsigned transb_form = transposition_forms(nt | tt);
constexpr unsigned plain_a_form = transposition_forms(nn | nt);
constexpr unsigned nt_form = transposition_forms(nt), tn_form = transposition_forms(tn);
constexpr unsigned tensor_form = // allows tensor cores
    mode_form(MYBLAS_FP32_EMULATED_MATH) | mode_form(MYBLAS_FP32_FAST_MATH);
// Of large products, where those modes have better.
constexpr unsigned strict_form = mode_form(MYBLAS_FP32_STRICT_MATH);
constexpr unsigned strict_off_grid_form = strict_form & off_grid_form;
constexpr interval one{1, 1};

// clang-format off
constexpr rule<sgemm_problem> sgemm[] = {
    // forms       m               n               k                batch * m * n
    // Batches of small products.
    {any_form,    {at_most(16),    at_most(16),    any,             at_least(64 * 16 * 16)},     &cuda::sgemm_packed_16x16},
    {any_form,    {at_most(32),    at_most(32),    any,             at_least(64 * 32 * 32)},     &cuda::sgemm_packed_32x32},
    {any_form,    {at_most(48),    at_most(48),    any,             at_least(132 * 40 * 40)},    &cuda::sgemm_warp_tile_64x64},
    {any_form,    {at_most(64),    at_most(64),    any,             at_least(132 * 50 * 50)},    &cuda::sgemm_sliced_64x64},
    {any_form,    {at_most(96),    at_most(96),    any,             at_least(132 * 64 * 64)},    &cuda::sgemm_packed_32x32},
    {any_form,    {at_most(128),   at_most(128),   any,             at_least(100 * 128 * 128)},  &cuda::sgemm_sliced_64x64},
    {any_form,    {at_most(256),   at_most(256),   any,             at_least(30 * 256 * 256)},   &cuda::sgemm_warp_tile_128x128},
    // Products on tensor cores that are too small to be packed.
    {tensor_form, {at_least(64),   at_least(64),   {1600, 12000},   {36000, 60000}},             &cuda::sgemm_tf32x3[0]},
    {tensor_form, {at_least(64),   at_least(64),   {1000, 12000},   {60000, 100000}},            &cuda::sgemm_tf32x3[0]},
    {tensor_form, {at_least(64),   at_least(64),   {400, 12000},    {100000, 140000}},           &cuda::sgemm_tf32x3[0]},
    {tensor_form, {at_least(64),   at_least(64),   {351, 6000},     {140000, 180000}},           &cuda::sgemm_tf32x3[0]},
    {tensor_form, {at_least(64),   at_least(64),   {256, 6000},     {180000, 245000}},           &cuda::sgemm_tf32x3[0]},
    {tensor_form, {at_least(64),   at_least(64),   {64, 6000},      {245001, 450000}},           &cuda::sgemm_tf32x3[0]},
    {tensor_form, {at_least(64),   at_least(64),   {128, 6000},     {450001, 132 * 64 * 64}},    &cuda::sgemm_tf32x3[0]},
    {tensor_form, {at_least(64),   at_least(64),   {301, 1024},     {132 * 64 * 64, 768 * 768}}, &cuda::sgemm_tf32x3[2]},
    {tensor_form, {at_least(64),   at_least(64),   {128, 300},      {132 * 64 * 64, 132 << 13}}, &cuda::sgemm_tf32x3[1]},
    // A matrix with a vector; a single long dot product needs more than a block.
    {any_form,    {one,            at_least(512),  at_least(8),     any},                        &cuda::sgemm_matvec},
    {any_form,    {at_least(512),  one,            at_least(8),     any},                        &cuda::sgemm_matvec},
    {any_form,    {one,            any,            {8, 16384},      any},                        &cuda::sgemm_matvec},
    {any_form,    {any,            one,            {8, 16384},      any},                        &cuda::sgemm_matvec},
    // Medium products that are no squares, and small ones of a long k: docs/experiments/sgemm.md.
    {any_form,    {interval{193, 256}, {193, 256},    {12001, 20000},  any},                          &cuda::sgemm_stream_k_parts_128x128},
    {on_grid_form, {interval{129, 384}, {129, 384},   at_least(14001), {40000, 384 * 256}},           &cuda::sgemm_stream_k_lanes},
    {any_form,    {interval{129, 384}, {129, 384},    at_least(14001), at_most(39999)},               &cuda::sgemm_long_k_64x64},
    {off_grid_form & tn_form, {interval{129, 256}, {129, 256}, at_least(12001), any},                 &cuda::sgemm_stream_k_parts_128x128},
    {strict_off_grid_form, {interval{257, 320}, {257, 320}, at_least(14001), any},                    &cuda::sgemm_long_k_64x64},
    {strict_off_grid_form, {at_least(2000), at_least(2000), {240, 300}, any},                         &cuda::sgemm_stream_k_lanes},
    {strict_off_grid_form & plain_a_form, {at_least(60000), {65, 128}, {100, 300}, any},              &cuda::sgemm_warp_tile},
    {strict_form & nt_form, {at_least(200), at_least(200), {150, 250}, {1040001, 1300000}},           &cuda::sgemm_sliced_32x32},
    {any_form,    {at_least(129),     at_least(129),  {501, 1000},     {65537, 120000}},              &cuda::sgemm_sliced_32x16},
    {any_form,    {at_least(129),     at_least(129),  {501, 6144},     {120001, 250000}},             by_cost},
    {any_form,    {at_least(129),     at_least(700),  at_least(300),   at_least(250001)},             by_cost},
    {any_form,    {at_least(700),     at_least(129),  at_least(300),   at_least(250001)},             by_cost},
    {any_form,    {at_least(129),     at_least(129),  {100, 299},      at_least(1040001)},            by_cost},
    // By 1477 readings, most of random sizes, since launches no longer come too early, and 961 more
    // (docs/experiments/sgemm.md): tiles of the sliced kernels for one or two rounds of blocks, most of all.
    {nt_form,     {interval{17, 32},  at_least(17),   {1024, 8192},    {65537, 150000}},              &cuda::sgemm_sliced_32x32_long},
    {nt_form,     {at_least(17),      {17, 32},       {1024, 8192},    {65537, 150000}},              &cuda::sgemm_sliced_32x32_long},
    {any_form,    {interval{17, 32},  at_least(17),   {1024, 8192},    at_least(65537)},              &cuda::sgemm_sliced_32x32_cluster},
    {any_form,    {at_least(17),      {17, 32},       {1024, 8192},    at_least(65537)},              &cuda::sgemm_sliced_32x32_cluster},
    {plain_a_form,{at_most(37),       any,            {2, 73},         at_most(98000)},               &cuda::sgemm_sliced_16x16_short},
    {on_grid_form, {any,              at_most(400),   {40, 110},       {1000000, 1350000}},           &cuda::sgemm_sliced_64x64},
    {on_grid_form, {any,              at_most(400),   {40, 75},        {600000, 1000000}},            &cuda::sgemm_sliced_64x64},
    {off_grid_form, {any,             at_most(400),   {40, 110},       {1100000, 1350000}},           &cuda::sgemm_warp_tile_64x64},
    {any_form,    {any,               at_most(400),   {40, 370},       {370000, 1500000}},            &cuda::sgemm_sliced_64x32_short},
    {any_form,    {at_least(15),      at_least(15),   {250, 5600},     {14000, 26000}},               &cuda::sgemm_sliced_32x16_cluster},
    {tn_form,     {any,               any,            {55, 230},       {1500000, 20000000}},          &cuda::sgemm_stream_k_128x128},
    {transa_form, {at_least(400),     at_least(400),  {34, 40},        {400000, 1000000}},            &cuda::sgemm_warp_tile_64x64},
    {transa_form, {at_least(400),     at_least(400),  {28, 33},        {400000, 1000000}},            &cuda::sgemm_sliced_64x64},
    {transa_form, {at_least(67),      at_least(67),   {17, 33},        at_least(150000)},             &cuda::sgemm_short_k},
    {plain_a_form,{at_least(72),      at_least(72),   {2400, 20000},   {13000, 90000}},               &cuda::sgemm_long_k_128x64},
    {plain_a_form,{interval{5, 10},   at_least(5),    {41, 290},       at_most(34000)},               &cuda::sgemm_sliced_16x16_short},
    {plain_a_form,{interval{14, 100}, at_least(14),   {43, 1300},      {38000, 760000}},              &cuda::sgemm_sliced_32x32_long},
    {any_form,    {interval{33, 67},  at_least(33),   {1100, 7400},    {27000, 380000}},              &cuda::sgemm_long_k_64x64},
    {any_form,    {at_least(33),      {33, 67},       {1100, 7400},    {27000, 380000}},              &cuda::sgemm_long_k_64x64},
    {tn_form,     {at_most(14),       any,            {27, 5900},      {8100, 78000}},                &cuda::sgemm_sliced_16x16},
    {plain_a_form,{at_most(270),      any,            {14, 82},        {130000, 1300000}},            &cuda::sgemm_sliced_64x32_short},
    {plain_a_form,{any,               at_most(270),   {14, 82},        {130000, 1300000}},            &cuda::sgemm_sliced_64x32_short},
    {plain_a_form,{at_least(18),      {18, 100},      {500, 6000},     {66000, 140000}},              &cuda::sgemm_sliced_32x32_long},
    {transa_form, {at_least(100),     at_least(100),  {590, 4200},     {110000, 350000}},             by_cost},
    {any_form,    {interval{2, 14},   at_least(2),    {340, 9600},     {290, 790}},                   &cuda::sgemm_matvec},
    {any_form,    {at_least(2),       {2, 14},        {340, 9600},     {290, 790}},                   &cuda::sgemm_matvec},
    {any_form,    {any,               any,            {40, 430},       {14000, 30000}},               &cuda::sgemm_sliced_16x16},
    {any_form,    {at_least(23),      at_least(23),   {45, 380},       {77000, 390000}},              &cuda::sgemm_sliced_32x32},
    {any_form,    {at_least(25),      {25, 260},      {28, 470},       {24000, 130000}},              &cuda::sgemm_sliced_32x16},
    {any_form,    {interval{100, 750}, at_least(100), {21, 630},       {410000, 770000}},             &cuda::sgemm_sliced_64x32_short},
    {any_form,    {at_least(100),     {100, 750},     {21, 630},       {410000, 770000}},             &cuda::sgemm_sliced_64x32_short},
    {any_form,    {interval{17, 260}, at_least(17),   {190, 2500},     {31000, 480000}},              &cuda::sgemm_sliced_32x32_cluster},
    {any_form,    {at_least(17),      {17, 260},      {190, 2500},     {31000, 480000}},              &cuda::sgemm_sliced_32x32_cluster},
    // By the readings of 870 random shapes, proven on 536 others: what beats the rules that follow. Tiles of
    // the sliced kernels for one wave of blocks, most of all.
    {any_form,    {interval{129, 256}, {129, 256},    at_least(12001), any},                          &cuda::sgemm_stream_k_parts},
    {any_form,    {interval{257, 384}, {193, 256},    at_least(12001), any},                          &cuda::sgemm_stream_k_parts_128x128},
    {any_form,    {interval{193, 256}, {257, 384},    at_least(12001), any},                          &cuda::sgemm_stream_k_parts_128x128},
    {any_form,    {interval{49, 288}, at_least(49),   at_least(6145),  {30000, 200000}},              by_cost},
    {any_form,    {at_least(49),      {49, 288},      at_least(6145),  {30000, 200000}},              by_cost},
    {any_form,    {interval{25, 64},  at_least(25),   {41, 1200},      {65537, 117000}},              &cuda::sgemm_sliced_32x16},
    {any_form,    {interval{17, 288}, at_least(17),   at_most(5),      {16385, 65536}},               &cuda::sgemm_short_k},
    {any_form,    {at_least(17),      {17, 288},      at_most(5),      {16385, 65536}},               &cuda::sgemm_short_k},
    {any_form,    {interval{9, 16},   {9, 480},       {769, 10000},    at_least(600)},                &cuda::sgemm_sliced_32x32_cluster_8},
    {any_form,    {interval{9, 480},  {9, 16},        {769, 10000},    at_least(600)},                &cuda::sgemm_sliced_32x32_cluster_8},
    {any_form,    {at_least(5),       {5, 160},       {129, 1536},     {16385, 65536}},               &cuda::sgemm_sliced_32x16_cluster},
    {transa_form, {at_most(2),        any,            at_most(24),     {1501, 10000}},                &cuda::sgemm_short_k},
    {transa_form, {any,               at_most(2),     at_most(24),     {1501, 10000}},                &cuda::sgemm_short_k},
    {transa_form, {at_least(65),      at_least(65),   {33, 40},        {117001, 245000}},             &cuda::sgemm_sliced_32x32_long},
    {nt_form,     {at_least(65),      at_least(65),   {95, 240},       {1040000, 1250000}},           &cuda::sgemm_sliced_32x32},
    {transa_form, {at_least(65),      at_least(65),   {140, 600},      {500000, 600000}},             &cuda::sgemm_sliced_32x32},
    {nt_form,     {at_least(49),      at_least(49),   {241, 360},      {900000, 1080000}},            &cuda::sgemm_sliced_64x32_short},
    {any_form,    {at_least(49),      at_least(49),   {56, 140},       {800001, 1080000}},            &cuda::sgemm_sliced_64x32_short},
    {any_form,    {interval{2, 4},    at_least(2),    {300, 1536},     {4000, 10000}},                &cuda::sgemm_skinny},
    {any_form,    {at_least(2),       {2, 4},         {300, 1536},     {4000, 10000}},                &cuda::sgemm_skinny},
    {any_form,    {interval{9, 64},   at_least(9),    {41, 768},       {117001, 450000}},             &cuda::sgemm_sliced_32x32_long},
    {any_form,    {at_least(9),       {9, 64},        {41, 768},       {117001, 450000}},             &cuda::sgemm_sliced_32x32_long},
    {any_form,    {interval{65, 96},  at_least(65),   {41, 350},       {117001, 450000}},             &cuda::sgemm_sliced_32x32_long},
    {any_form,    {at_least(65),      {65, 96},       {41, 350},       {117001, 450000}},             &cuda::sgemm_sliced_32x32_long},
    {any_form,    {interval{2, 4},    at_least(2),    {25, 1024},      {1501, 16384}},                &cuda::sgemm_matvec},
    {any_form,    {at_least(2),       {2, 4},         {25, 1024},      {1501, 16384}},                &cuda::sgemm_matvec},
    {any_form,    {interval{2, 12},   at_least(2000), at_least(1537),  {10000, 45000}},               &cuda::sgemm_thin},
    {any_form,    {at_least(5),       {5, 8},         at_least(4000),  {25000, 45000}},               &cuda::sgemm_thin},
    {any_form,    {interval{97, 250}, at_least(97),   {1025, 6144},    {30000, 300000}},              &cuda::sgemm_long_k_128x64},
    {any_form,    {at_least(97),      {97, 250},      {1025, 6144},    {30000, 300000}},              &cuda::sgemm_long_k_128x64},
    {any_form,    {at_least(97),      at_least(97),   {17, 200},       {200000, 400000}},             &cuda::sgemm_sliced_32x32},
    {any_form,    {interval{2, 4},    at_least(2),    at_least(769),   {4000, 16384}},                &cuda::sgemm_thin},
    {any_form,    {at_least(2),       {2, 4},         at_least(769),   {4000, 16384}},                &cuda::sgemm_thin},
    {any_form,    {interval{17, 128}, at_least(17),   {1025, 3072},    at_most(16384)},               &cuda::sgemm_sliced_32x32_cluster_8},
    {any_form,    {interval{17, 32},  at_least(17),   {4500, 10000},   {10001, 46000}},               &cuda::sgemm_sliced_32x32_cluster_8},
    {any_form,    {interval{17, 32},  at_least(17),   {513, 4499},     {10001, 30000}},               &cuda::sgemm_sliced_32x16_cluster},
    {any_form,    {interval{17, 32},  at_least(17),   {513, 10000},    {10001, 65536}},               &cuda::sgemm_sliced_32x32_cluster},
    {any_form,    {at_least(9),       {9, 32},        {513, 10000},    {10001, 65536}},               &cuda::sgemm_sliced_32x16_cluster_4},
    {any_form,    {at_most(16),       any,            {41, 16384},     at_most(300)},                 &cuda::sgemm_matvec},
    {any_form,    {any,               at_most(16),    {41, 16384},     at_most(300)},                 &cuda::sgemm_matvec},
    {any_form,    {at_most(16),       any,            {41, 3000},      {301, 600}},                   &cuda::sgemm_matvec},
    {any_form,    {any,               at_most(16),    {41, 3000},      {301, 600}},                   &cuda::sgemm_matvec},
    {any_form,    {at_most(8),        any,            {41, 2500},      {601, 1500}},                  &cuda::sgemm_matvec},
    {any_form,    {any,               at_most(8),     {41, 2500},      {601, 1500}},                  &cuda::sgemm_matvec},
    {any_form,    {interval{2, 4},    at_least(2),    {2501, 10000},   {601, 4000}},                  &cuda::sgemm_skinny},
    {any_form,    {at_least(2),       {2, 4},         {2501, 10000},   {601, 4000}},                  &cuda::sgemm_skinny},
    {plain_a_form,{at_least(200),     at_least(200),  {41, 145},       {1800000, 3200000}},           &cuda::sgemm_warp_tile_64x128},
    {transa_form, {interval{200, 512}, at_least(200),  {41, 128},       {1200001, 2500000}},           &cuda::sgemm_warp_tile_64x128},
    // Thin products, and small ones of a long k.
    {any_form,    {any,            any,            {300, 1023},     at_most(128 * 128)},         &cuda::sgemm_sliced_32x16_cluster_4},
    {any_form,    {any,            any,            {300, 2500},     at_most(10000)},             &cuda::sgemm_sliced_32x16_cluster_4},
    {any_form,    {at_most(320),   at_most(320),   {2501, 8192},    at_most(10000)},             &cuda::sgemm_sliced_32x32_cluster_8},
    {any_form,    {at_most(16),    at_most(16),    at_least(500),   any},                        &cuda::sgemm_skinny},
    {any_form,    {at_most(16),    any,            at_least(512),   any},                        &cuda::sgemm_skinny},
    {any_form,    {any,            at_most(16),    at_least(512),   any},                        &cuda::sgemm_skinny},
    {any_form,    {at_most(16),    any,            {41, 300},       {128 * 128, 200000}},        &cuda::sgemm_sliced_16x16},
    {any_form,    {any,            at_most(16),    {41, 300},       {128 * 128, 200000}},        &cuda::sgemm_sliced_16x16},
    {any_form,    {at_most(16),    any,            at_least(64),    at_least(128 * 128)},        &cuda::sgemm_skinny},
    {any_form,    {any,            at_most(16),    at_least(64),    at_least(128 * 128)},        &cuda::sgemm_skinny},
    {any_form,    {at_most(32),    at_least(2048), at_least(1024),  any},                        &cuda::sgemm_sliced_32x64_cluster},
    {any_form,    {at_least(2048), at_most(32),    at_least(1024),  any},                        &cuda::sgemm_sliced_64x32_cluster},
    {any_form,    {any,            any,            {1024, 2000},    at_most(33000)},             &cuda::sgemm_sliced_32x16_cluster},
    {any_form,    {at_most(32),    {33, 768},      at_least(4096),  any},                        &cuda::sgemm_long_k_64x64},
    {any_form,    {interval{33, 768}, at_most(32),    at_least(4096),  any},                        &cuda::sgemm_long_k_64x64},
    {any_form,    {at_most(32),    any,            at_least(2048),  any},                        &cuda::sgemm_long_k},
    {any_form,    {any,            at_most(32),    at_least(2048),  any},                        &cuda::sgemm_long_k},
    {any_form,    {at_most(128),   at_most(128),   at_least(2048),  any},                        &cuda::sgemm_long_k_64x64},
    {any_form,    {interval{33, 64}, any,            {1200, 8000},    at_most(400 * 400)},         &cuda::sgemm_long_k_64x64},
    {any_form,    {any,            {33, 64},       {1200, 8000},    at_most(400 * 400)},         &cuda::sgemm_long_k_64x64},
    {any_form,    {interval{65, 128}, at_least(256),  {1200, 8000},    at_most(360 * 360)},         &cuda::sgemm_long_k_128x64},
    {any_form,    {interval{129, 256}, {129, 256}, at_least(20001), any},                        &cuda::sgemm_long_k_128x128},
    {any_form,    {at_most(256),   at_most(256),   at_least(2048),  any},                        &cuda::sgemm_long_k_64x64},
    {any_form,    {at_most(512),   at_most(512),   {2048, 4000},    any},                        &cuda::sgemm_long_k_64x64},
    {any_form,    {at_most(128),   at_most(128),   at_least(4096),  any},                        &cuda::sgemm_long_k},
    {any_form,    {at_most(256),   at_most(256),   {4096, 20000},   any},                        &cuda::sgemm_long_k},
    // Writing C.
    {any_form,    {any,            any,            at_most(16),     at_least(65536)},            &cuda::sgemm_short_k},
    {any_form,    {at_most(64),    any,            {17, 40},        at_least(110000)},           &cuda::sgemm_short_k},
    {any_form,    {any,            at_most(64),    {17, 40},        at_least(110000)},           &cuda::sgemm_short_k},
    {any_form,    {at_most(64),    any,            {41, 48},        at_least(400000)},           &cuda::sgemm_short_k},
    {any_form,    {any,            at_most(64),    {41, 48},        at_least(400000)},           &cuda::sgemm_short_k},
    {transb_form, {any,            any,            {24, 40},        {160000, 2200000}},          &cuda::sgemm_warp_tile_64x64},
    {any_form,    {any,            any,            {17, 40},        {160000, 8000000}},          &cuda::sgemm_short_k},
    // Small products.
    {any_form,    {any,            any,            at_most(16),     at_most(65536)},             &cuda::sgemm_sliced_16x16_short},
    {any_form,    {any,            any,            at_most(40),     at_most(128 * 128)},         &cuda::sgemm_sliced_16x16_short},
    {any_form,    {any,            any,            {17, 40},        at_most(160000)},            &cuda::sgemm_sliced_16x16_short},
    {any_form,    {any,            any,            at_most(256),    at_most(128 * 128)},         &cuda::sgemm_sliced_16x16},
    {any_form,    {any,            any,            at_most(1024),   at_most(128 * 128)},         &cuda::sgemm_sliced_32x16_cluster},
    {any_form,    {any,            any,            at_most(170),    at_most(256 * 256)},         &cuda::sgemm_sliced_32x16},
    {any_form,    {at_most(64),    any,            at_most(170),    at_most(200000)},            &cuda::sgemm_sliced_32x16},
    {any_form,    {any,            at_most(64),    at_most(170),    at_most(200000)},            &cuda::sgemm_sliced_32x16},
    {any_form,    {any,            any,            at_most(200),    at_most(270000)},            &cuda::sgemm_sliced_32x16},
    {any_form,    {at_most(130),   any,            at_most(280),    at_most(270000)},            &cuda::sgemm_sliced_32x16},
    {any_form,    {any,            at_most(130),   at_most(280),    at_most(270000)},            &cuda::sgemm_sliced_32x16},
    {any_form,    {any,            any,            at_most(1024),   at_most(260 * 260)},         &cuda::sgemm_sliced_32x16_cluster},
    {any_form,    {any,            any,            {128, 512},      at_most(360 * 360)},         &cuda::sgemm_sliced_32x16},
    {any_form,    {any,            any,            {128, 512},      at_most(416 * 416)},         &cuda::sgemm_sliced_32x32_cluster},
    {any_form,    {any,            any,            {128, 512},      at_most(480 * 480)},         &cuda::sgemm_sliced_32x32_cluster_long},
    {any_form,    {any,            any,            {128, 768},      at_most(512 * 512)},         &cuda::sgemm_sliced_64x64_cluster},
    {any_form,    {any,            any,            {128, 256},      {370000, 768 * 768}},        &cuda::sgemm_warp_tile_64x64},
    {any_form,    {any,            any,            {128, 768},      at_most(600 * 600)},         &cuda::sgemm_sliced_32x32_cluster},
    {nt_form,     {any,            any,            {128, 768},      at_most(648 * 648)},         &cuda::sgemm_sliced_32x32_cluster},
    {any_form,    {any,            any,            {128, 400},      at_most(648 * 648)},         &cuda::sgemm_sliced_32x32_cluster},
    {any_form,    {at_most(400),   any,            {128, 300},      {420000, 1300000}},          &cuda::sgemm_warp_tile_64x64},
    {any_form,    {any,            at_most(400),   {128, 300},      {420000, 1300000}},          &cuda::sgemm_warp_tile_64x64},
    {any_form,    {at_most(300),   any,            {301, 512},      {420000, 768 * 768}},        &cuda::sgemm_warp_tile_64x64},
    {any_form,    {any,            at_most(300),   {301, 512},      {420000, 768 * 768}},        &cuda::sgemm_warp_tile_64x64},
    {any_form,    {any,            any,            {128, 1024},     at_most(600 * 600)},         &cuda::sgemm_sliced_32x32_cluster_long},
    {any_form,    {any,            any,            {128, 400},      at_most(768 * 768)},         &cuda::sgemm_sliced_32x32_cluster_long},
    // Large ones of a short k.
    {any_form,    {any,            any,            at_most(128),    at_least(2048 * 2048)},      &cuda::sgemm_warp_tile_128x128},
    // All others.
    {any_form,    {any,            any,            any,             any},                        by_cost},
    {any_form,    {any,            any,            any,             any},                        &cuda::sgemm_warp_tile},
    {any_form,    {any,            any,            any,             any},                        &cuda::sgemm_shared_tile_grid_stride},
};

constexpr rule<transpose_problem> transpose[] = {
    // forms              m    n    min(m, n)       m * n
    {out_of_place_form,   {any, any, at_least(16),   at_most(1 << 18)},  &cuda::transpose_small_elements},
    {out_of_place_form,   {any, any, at_least(16),   at_most(1 << 22)},  &cuda::transpose_small_squares},
    {out_of_place_form,   {any, any, at_least(16),   at_most(1 << 22)},  &cuda::transpose_small_tiles},
    {byte_form,           {any, at_most(64), at_least(16), at_most(1 << 24)}, &cuda::transpose_small_tiles},
    {byte_form,           {any, any, at_least(16),   at_most(1 << 24)},  &cuda::transpose_small_squares},
    {byte_form & whole_sectors_form, {any, any, at_least(64), any},      &cuda::transpose_large_tiles},
    {whole_sectors_form,  {any, any, at_least(32),   any},               &cuda::transpose_vectorised},
    {whole_sectors_form,  {any, any, at_least(32),   any},               &cuda::transpose_large_tiles},
    {out_of_place_form,   {any, any, at_least(1000), at_least(2500000)}, &cuda::transpose_shifted},
    {out_of_place_form,   {any, any, at_least(9),    at_most(130000)},   &cuda::transpose_small_elements},
    {out_of_place_form,   {any, any, at_least(17),   at_most(2600000)},  &cuda::transpose_small_elements},
    {out_of_place_form,   {any, any, at_most(40),    any},               &cuda::transpose_interleaved},
    {out_of_place_form,   {any, any, any,            at_most(5800000)},  &cuda::transpose_small_elements},
    {out_of_place_form,   {any, any, any,            any},               &cuda::transpose_shifted},
    {out_of_place_form,   {any, any, any,            any},               &cuda::transpose_unrolled},
    {in_place_form,       {any, any, any,            any},               &cuda::transpose_in_place_pairs},
    {in_place_form,       {any, any, any,            any},               &cuda::transpose_in_place_square},
    {in_place_form,       {any, any, any,            any},               &cuda::transpose_in_place_workspace},
    {in_place_form,       {any, any, any,            any},               &cuda::transpose_in_place_cycles},
};

constexpr rule<geam_problem> geam[] = {
    // forms    m    n    min(m, n)  m * n
    {nn,       {any, any, any, at_least(1 << 21)}, &cuda::geam_shared_tile},
    {any_form, {any, any, any, any},               &cuda::geam_async_tiles},
    {any_form, {any, any, any, any},               &cuda::geam_shared_tile},
};

constexpr rule<sum_problem<float>> sum[] = {
    // forms    n                incx
    {any_form, {at_most(110000), at_most(1), any, any}, &cuda::sum_cluster},
    {any_form, {at_most(16384),  any,        any, any}, &cuda::sum_cluster},
    {any_form, {at_most(16384),  any,        any, any}, &cuda::sum_single_block},
    {any_form, {any,             any,        any, any}, &cuda::sum_polled},
};

constexpr rule<sum_problem<double>> dsum[] = {
    // forms    n               incx
    {any_form, {at_most(55000), at_most(1), any, any}, &cuda::dsum_cluster},
    {any_form, {at_most(8192),  any,        any, any}, &cuda::dsum_cluster},
    {any_form, {at_most(8192),  any,        any, any}, &cuda::dsum_single_block},
    {any_form, {any,            any,        any, any}, &cuda::dsum_polled},
};

constexpr rule<axpy_problem> axpy[] = {
    // forms    n    incx incy
    {any_form, {any, any, any, any}, &cuda::axpy_vectorised},
    {any_form, {any, any, any, any}, &cuda::axpy_strided},
};

constexpr rule<copy_problem> copy[] = {
    // forms    n    incx incy
    {any_form, {any, any, any, any}, &cuda::copy_vectorised},
    {any_form, {any, any, any, any}, &cuda::copy_strided},
};

constexpr rule<gemsum_problem> gemsum[] = {
    // forms    m                   n           m * n
    {any_form, {interval{5, 16384}, {8, 4096},  any, at_most(5000000)}, &cuda::gemsum_row_clusters},
    {any_form, {any,                any,        any, any},              &cuda::gemsum_row_tiles},
    {any_form, {any,                any,        any, any},              &cuda::gemsum_column_groups},
    {any_form, {any,                any,        any, any},              &cuda::gemsum_naive},
};

constexpr rule<histogram_problem> histogram[] = {
    // forms    n
    {any_form, {any, any, any, any}, &cuda::histogram_lane_counters},
};
// clang-format on

} // namespace

constinit const tuning tuning_sm90 = {
    90, {sgemm, transpose, geam, sum, dsum, axpy, copy, gemsum, histogram}, &sgemm_costs_sm90};

} // namespace myblas
