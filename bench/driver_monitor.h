// Facts that only the driver's management library (NVML) knows: the present clock, energy, the
// driver's version.
#pragma once

#include "dynamic_library.h"

#include <optional>
#include <string>

namespace bench {

class driver_monitor {
public:
    explicit driver_monitor(const char* pci_bus_id);

    unsigned sm_clock_mhz() const;        // 0 if it is not available
    std::optional<double> joules() const; // taken since the driver was loaded
    std::string driver_version() const;   // empty if it is not available

private:
    dynamic_library library_{"libnvidia-ml.so.1"};
    void* device_ = nullptr;
    any_function clock_ = nullptr, energy_ = nullptr, driver_ = nullptr;
};

} // namespace bench
