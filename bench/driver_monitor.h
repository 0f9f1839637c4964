// What only the driver's management library (NVML) knows: the clock of the moment, the driver's version.
#pragma once

#include "dynamic_library.h"

#include <string>

namespace bench {

class driver_monitor {
public:
    explicit driver_monitor(const char* pci_bus_id);

    unsigned sm_clock_mhz() const;      // 0 if it cannot be had
    std::string driver_version() const; // empty if it cannot be had

private:
    dynamic_library library_;
    void* device_ = nullptr;
    int (*clock_)(void* device, int type, unsigned* mhz) = nullptr;
    int (*driver_)(char* text, unsigned size) = nullptr;
};

} // namespace bench
