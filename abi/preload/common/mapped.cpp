#include "common/mapped.h"

#include <climits>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
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

const void* mapped_file(const void* address) noexcept {
    struct place {
        uintptr_t address;
        const void* headers;
    } asked{reinterpret_cast<uintptr_t>(address), nullptr};
    const auto visit = [](dl_phdr_info* info, size_t, void* context) {
        place& p = *static_cast<place*>(context);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& header = info->dlpi_phdr[i];
            const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
            if (header.p_type == PT_LOAD && p.address - begin < header.p_memsz) {
                p.headers = info->dlpi_phdr;
                return 1;
            }
        }
        return 0;
    };
    dl_iterate_phdr(visit, &asked);
    return asked.headers;
}

namespace {

// The name of the nth mapped file, in the order of loading, among files whose base name is a
// candidate. The name is copied, because dlopen and dlsym take a lock, and threads that hold it may
// wait for the lock of this walk.
bool copy_candidate(int n, bool (*is_candidate)(const char*), char (&name)[PATH_MAX]) noexcept {
    struct search {
        int left;
        bool (*is_candidate)(const char*);
        char* name;
    } asked{n, is_candidate, name};
    const auto visit = [](dl_phdr_info* info, size_t, void* context) {
        search& s = *static_cast<search*>(context);
        if (!info->dlpi_name || !*info->dlpi_name || !s.is_candidate(base_name(info->dlpi_name)) ||
            s.left-- > 0)
            return 0;
        std::snprintf(s.name, PATH_MAX, "%s", info->dlpi_name);
        return 1;
    };
    return dl_iterate_phdr(visit, &asked) != 0;
}

// Looks among a library and its dependencies. The main program has the name "", which dlopen takes
// for its whole scope, including the preload library in front. RTLD_NEXT already covers the
// program's scope.
void* symbol_in_scope_of(const void* caller, const char* symbol) noexcept {
    const char* file = file_of(caller);
    void* scope = file && *file ? mapped_library(file) : nullptr;
    void* found = scope ? foreign_symbol(scope, symbol) : nullptr;
    if (scope && !found)
        dlclose(scope);
    return found;
}

} // namespace

void* symbol_for(const void* caller,
                 const char* symbol,
                 scope_order order,
                 bool (*is_candidate)(const char* base_name),
                 void* preferred) noexcept {
    if (order == scope_order::program_first)
        if (void* found = foreign_symbol(RTLD_NEXT, symbol))
            return found;
    if (void* found = symbol_in_scope_of(caller, symbol))
        return found;
    if (preferred)
        if (void* found = foreign_symbol(preferred, symbol))
            return found;
    if (order == scope_order::caller_first)
        if (void* found = foreign_symbol(RTLD_NEXT, symbol))
            return found;
    char name[PATH_MAX];
    for (int n = 0; copy_candidate(n, is_candidate, name); ++n)
        if (void* library = mapped_library(name)) {
            if (void* found = foreign_symbol(library, symbol))
                return found;
            dlclose(library);
        }
    return nullptr;
}

void visit_definitions(const char* symbol,
                       bool (*is_candidate)(const char* base_name),
                       void (*visit)(void* address)) noexcept {
    char name[PATH_MAX];
    for (int n = 0; copy_candidate(n, is_candidate, name); ++n)
        if (void* library = mapped_library(name)) {
            void* found = foreign_symbol(library, symbol);
            if (found && std::strcmp(file_of(found), name) == 0) // else a dependency has it
                visit(found);
            dlclose(library);
        }
}

void* mapped_library(const char* name) noexcept { return dlopen(name, RTLD_LAZY | RTLD_NOLOAD); }

void* foreign_symbol(void* handle, const char* symbol) noexcept {
    void* address = dlsym(handle, symbol);
    return address && !is_own(address) ? address : nullptr;
}

namespace {

// The dynamic symbols of a loaded file.
struct symbol_table {
    const ElfW(Sym) * symbols;
    size_t count;
    const char* names;
    size_t name_bytes;
};

// The number of symbols is not stored. The symbols end where another table begins or the segment
// ends.
symbol_table symbols_of(const dl_phdr_info& info) noexcept {
    const ElfW(Dyn)* dynamic = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i)
        if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic =
                reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    const auto address = [&](const ElfW(Dyn) & entry) { // the loader has relocated most of them
        return entry.d_un.d_ptr < info.dlpi_addr ? info.dlpi_addr + entry.d_un.d_ptr
                                                 : entry.d_un.d_ptr;
    };
    uintptr_t symbols = 0, names = 0;
    size_t name_bytes = 0;
    for (const ElfW(Dyn)* entry = dynamic; entry && entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_SYMTAB)
            symbols = address(*entry);
        else if (entry->d_tag == DT_STRTAB)
            names = address(*entry);
        else if (entry->d_tag == DT_STRSZ)
            name_bytes = entry->d_un.d_val;
    }
    uintptr_t end = symbols;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info.dlpi_phdr[i];
        const uintptr_t begin = info.dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_LOAD && symbols - begin < header.p_filesz)
            end = begin + header.p_filesz;
    }
    for (const ElfW(Dyn)* entry = dynamic; entry && entry->d_tag != DT_NULL; ++entry)
        for (const auto tag : {DT_STRTAB,
                               DT_HASH,
                               DT_GNU_HASH,
                               DT_VERSYM,
                               DT_VERNEED,
                               DT_VERDEF,
                               DT_RELA,
                               DT_JMPREL})
            if (entry->d_tag == tag && address(*entry) > symbols && address(*entry) < end)
                end = address(*entry);
    if (symbols == 0 || names == 0)
        return {};
    return {reinterpret_cast<const ElfW(Sym)*>(symbols),
            (end - symbols) / sizeof(ElfW(Sym)),
            reinterpret_cast<const char*>(names),
            name_bytes};
}

} // namespace

void visit_symbols(visit_symbol* visit, void* context) noexcept {
    struct visitor {
        visit_symbol* visit;
        void* context;
    } argument{visit, context};
    const auto look = [](dl_phdr_info* info, size_t, void* data) {
        const visitor& v = *static_cast<const visitor*>(data);
        const symbol_table table = symbols_of(*info);
        for (size_t i = 1; i < table.count; ++i)
            if (const ElfW(Sym)& s = table.symbols[i]; s.st_name < table.name_bytes)
                v.visit(info->dlpi_name ? info->dlpi_name : "",
                        table.names + s.st_name,
                        s.st_shndx != SHN_UNDEF,
                        v.context);
        return 0;
    };
    dl_iterate_phdr(look, &argument);
}

const char* base_name(const char* path) noexcept {
    const char* slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

} // namespace myblas::preload
