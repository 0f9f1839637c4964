#include "driver_monitor.h"

namespace bench {
namespace {

constexpr int nvml_success = 0, nvml_clock_sm = 1;

} // namespace

driver_monitor::driver_monitor(const char* pci_bus_id) {
    const any_function initialise = library_.find("nvmlInit_v2");
    const any_function find_device = library_.find("nvmlDeviceGetHandleByPciBusId_v2");
    if (!initialise || !find_device || call_c<int>(initialise) != nvml_success)
        return;
    driver_ = library_.find("nvmlSystemGetDriverVersion");
    if (call_c<int>(find_device, pci_bus_id, &device_) == nvml_success) {
        clock_ = library_.find("nvmlDeviceGetClockInfo");
        energy_ = library_.find("nvmlDeviceGetTotalEnergyConsumption");
    }
}

unsigned driver_monitor::sm_clock_mhz() const {
    unsigned mhz = 0;
    return clock_ && call_c<int>(clock_, device_, nvml_clock_sm, &mhz) == nvml_success ? mhz : 0;
}

std::optional<double> driver_monitor::joules() const {
    unsigned long long millijoules = 0;
    if (!energy_ || call_c<int>(energy_, device_, &millijoules) != nvml_success)
        return std::nullopt;
    return static_cast<double>(millijoules) * 1e-3;
}

std::string driver_monitor::driver_version() const {
    char text[96] = {}; // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
    return driver_ && call_c<int>(driver_, &text[0], static_cast<unsigned>(sizeof text)) ==
                          nvml_success
               ? text
               : "";
}

} // namespace bench
