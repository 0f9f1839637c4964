// The few functions of the CUDA driver that staging needs beside libmyblas: pinned memory, events, and
// which device is current. Loaded when a call is first considered for the GPU; never linked.
#pragma once

#include "myblas/myblas.h"

#include <cstddef>

namespace myblas::preload {

struct cuda_driver {
    using context = void*;
    using event = void*;

    int (*device_get_count)(int*);
    int (*primary_context_retain)(context*, int device);
    int (*context_push)(context);
    int (*context_pop)(context*);
    int (*memory_info)(size_t* free_bytes, size_t* total_bytes);
    int (*host_allocate)(void**, size_t bytes, unsigned flags);
    int (*event_create)(event*, unsigned flags);
    int (*event_record)(event, myblasStream_t);
    int (*event_synchronize)(event);
    int (*event_query)(event); // 0: it has come
    int (*stream_wait_event)(myblasStream_t, event, unsigned flags);
};

// Null where there is no driver, no device, or the process forked after the driver was used.
const cuda_driver* load_driver() noexcept;

// Why that is so.
const char* why_no_driver() noexcept;

// Why a context cannot be had, by the driver's error.
const char* why_no_context(int error) noexcept;

} // namespace myblas::preload
