#include "common/mapped.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace myblas::preload {
namespace {

const link_map* map_of(const void* address) noexcept {
    Dl_info info;
    link_map* map = nullptr;
    return dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) ? map : nullptr;
}

} // namespace

bool is_own(const void* address) noexcept {
    static constexpr char inside = 0;
    return in_same_file(address, &inside);
}

bool in_same_file(const void* first, const void* second) noexcept {
    return map_of(first) == map_of(second);
}

const char* file_of(const void* address) noexcept {
    const link_map* map = map_of(address);
    return map ? map->l_name : nullptr;
}

void* mapped_library(const char* name) noexcept { return dlopen(name, RTLD_LAZY | RTLD_NOLOAD); }

void* foreign_symbol(void* handle, const char* symbol) noexcept {
    void* address = dlsym(handle, symbol);
    return address && !is_own(address) ? address : nullptr;
}

bool visit_mapped(bool (*visit)(const char* name, void* context), void* context) noexcept {
    struct visitor {
        bool (*visit)(const char*, void*);
        void* context;
    } argument{visit, context};
    const auto pass_name = [](dl_phdr_info* info, size_t, void* data) {
        const visitor& v = *static_cast<const visitor*>(data);
        return static_cast<int>(info->dlpi_name && *info->dlpi_name &&
                                v.visit(info->dlpi_name, v.context));
    };
    return dl_iterate_phdr(pass_name, &argument) != 0;
}

const char* base_name(const char* path) noexcept {
    const char* slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

} // namespace myblas::preload
