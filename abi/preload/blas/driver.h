// The functions of the CUDA driver that staging needs in addition to libmyblas: pinned memory,
// events, and the current device. The driver is loaded when a call is first considered for the GPU,
// and never linked.
#pragma once

#include "myblas/myblas.h"

#include <cstddef>

namespace myblas::preload {

// CUDA_MEMCPY3D_PEER. Copies here have one plane, of device memory.
struct device_copy {
    struct end {
        size_t x_bytes, y, z, level;
        int memory_type;
        void* host;
        float* device;
        void *array, *context;
        size_t pitch_bytes, height;
    };
    end from, to;
    size_t width_bytes, height, depth;
};

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
    int (*event_query)(event); // 0: the event is complete
    int (*stream_wait_event)(myblasStream_t, event, unsigned flags);
    int (*device_get_p2p_attribute)(int* value, int attribute, int device, int peer);
    int (*context_enable_peer_access)(context peer, unsigned flags);
    int (*copy_between_devices)(const device_copy*, myblasStream_t);
};

// Null if there is no driver or no device, or if the process forked after the driver was used.
const cuda_driver* load_driver() noexcept;

// Why load_driver() returned null.
const char* why_no_driver() noexcept;

// Why no context could be created, from the driver's error code.
const char* why_no_context(int error) noexcept;

} // namespace myblas::preload
