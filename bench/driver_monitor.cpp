#include "driver_monitor.h"

namespace bench {
namespace {

constexpr int nvml_success = 0, nvml_clock_sm = 1;

} // namespace

driver_monitor::driver_monitor(const char* pci_bus_id) : library_{"libnvidia-ml.so.1"} {
    int (*initialise)() = nullptr;
    int (*find_device)(const char*, void**) = nullptr;
    library_.find(initialise, "nvmlInit_v2");
    library_.find(find_device, "nvmlDeviceGetHandleByPciBusId_v2");
    if (!initialise || !find_device || initialise() != nvml_success)
        return;
    library_.find(driver_, "nvmlSystemGetDriverVersion");
    if (find_device(pci_bus_id, &device_) == nvml_success) {
        library_.find(clock_, "nvmlDeviceGetClockInfo");
        library_.find(energy_, "nvmlDeviceGetTotalEnergyConsumption");
    }
}

unsigned driver_monitor::sm_clock_mhz() const {
    unsigned mhz = 0;
    return clock_ && clock_(device_, nvml_clock_sm, &mhz) == nvml_success ? mhz : 0;
}

std::optional<double> driver_monitor::joules() const {
    unsigned long long millijoules = 0;
    if (!energy_ || energy_(device_, &millijoules) != nvml_success)
        return std::nullopt;
    return static_cast<double>(millijoules) * 1e-3;
}

std::string driver_monitor::driver_version() const {
    char text[96] = {}; // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
    return driver_ && driver_(text, sizeof text) == nvml_success ? text : "";
}

} // namespace bench
