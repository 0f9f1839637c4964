#include "elf_file.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tools {
namespace {

constexpr size_t shortest_name = 4; // of names to look for; code has many shorter strings

constexpr auto own_machine =
#ifdef __aarch64__
    EM_AARCH64;
#else
    EM_X86_64;
#endif

// A mapped file. Only the parts that are used are read, because some libraries have gigabytes.
class image {
public:
    explicit image(const std::string& path) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status;
        if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_size > 0) {
            const auto size = static_cast<size_t>(status.st_size);
            void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
            if (bytes != MAP_FAILED)
                bytes_ = {static_cast<const char*>(bytes), size};
        }
        if (file >= 0)
            close(file);
    }
    ~image() {
        if (!bytes_.empty())
            munmap(const_cast<char*>(bytes_.data()), bytes_.size());
    }
    image(const image&) = delete;
    image& operator=(const image&) = delete;

    // The T at an offset, or nothing beyond the end of the file.
    template <class T>
    std::optional<T> at(uint64_t offset) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T))
            return {};
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }

    std::string_view range(uint64_t offset, uint64_t size) const {
        if (offset > bytes_.size() || bytes_.size() - offset < size)
            return {};
        return {bytes_.data() + offset, size};
    }

private:
    std::string_view bytes_;
};

std::string text_at(std::string_view table, uint64_t offset) {
    return offset < table.size()
               ? std::string(table.substr(offset, table.find('\0', offset) - offset))
               : std::string();
}

// Reads the symbols of the loader's table, or of the linker's table, which also has a program's own
// functions.
void read_symbols(const image& file,
                  const Elf64_Shdr& section,
                  std::string_view names,
                  elf_file* elf) {
    for (uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= section.sh_size;
         offset += sizeof(Elf64_Sym)) {
        const auto symbol = file.at<Elf64_Sym>(section.sh_offset + offset);
        if (!symbol)
            return;
        const bool is_defined = symbol->st_shndx != SHN_UNDEF;
        if (section.sh_type == SHT_DYNSYM)
            (is_defined ? elf->exports : elf->imports).insert(text_at(names, symbol->st_name));
        else if (is_defined && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
            elf->exports.insert(text_at(names, symbol->st_name));
    }
}

void read_relocations(const image& file,
                      const Elf64_Shdr& section,
                      const Elf64_Shdr& symbols,
                      std::string_view names,
                      elf_file* elf) {
    for (uint64_t offset = 0; offset + sizeof(Elf64_Rela) <= section.sh_size;
         offset += sizeof(Elf64_Rela)) {
        const auto relocation = file.at<Elf64_Rela>(section.sh_offset + offset);
        if (!relocation)
            return;
        const uint64_t index = ELF64_R_SYM(relocation->r_info);
        if (const auto symbol = file.at<Elf64_Sym>(symbols.sh_offset + index * sizeof(Elf64_Sym));
            symbol && index != 0)
            elf->bound.insert(text_at(names, symbol->st_name));
    }
}

void read_dynamic(const image& file, uint64_t begin, uint64_t size, elf_file* elf) {
    for (uint64_t offset = 0; offset < size; offset += sizeof(Elf64_Dyn)) {
        const auto entry = file.at<Elf64_Dyn>(begin + offset);
        if (!entry || entry->d_tag == DT_NULL)
            return;
        elf->is_executable =
            elf->is_executable || (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_PIE));
        elf->binds_to_itself = elf->binds_to_itself || entry->d_tag == DT_SYMBOLIC ||
                               (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_SYMBOLIC));
    }
}

} // namespace

std::optional<elf_file> read_elf(const std::string& path, const name_set& names) {
    const image file(path);
    const auto header = file.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != own_machine)
        return {};

    elf_file elf;
    for (int i = 0; i < header->e_phnum; ++i) {
        const auto segment = file.at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
        if (segment && segment->p_type == PT_INTERP)
            elf.interpreter = text_at(file.range(segment->p_offset, segment->p_filesz), 0);
        else if (segment && segment->p_type == PT_DYNAMIC)
            read_dynamic(file, segment->p_offset, segment->p_filesz, &elf);
    }
    using kind = elf_file::kind;
    const bool is_executable = header->e_type == ET_EXEC || elf.is_executable;
    if (!elf.interpreter.empty())
        elf.what = kind::program;
    else if (is_executable)
        elf.what = kind::static_program;
    else if (header->e_type == ET_DYN)
        elf.what = kind::shared_library;

    for (int i = 0; i < header->e_shnum; ++i) {
        const auto section = file.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
        if (!section)
            break;
        const bool is_table = section->sh_type == SHT_DYNSYM ||
                              (section->sh_type == SHT_SYMTAB && elf.what != kind::shared_library);
        const bool has_relocations =
            section->sh_type == SHT_RELA && (section->sh_flags & SHF_ALLOC);
        const auto linked_to = [&](const Elf64_Shdr& from) {
            return file.at<Elf64_Shdr>(header->e_shoff + from.sh_link * sizeof(Elf64_Shdr));
        };
        const auto text_of = [&](const Elf64_Shdr& strings) {
            return file.range(strings.sh_offset, strings.sh_size);
        };
        if (is_table) {
            if (const auto strings = linked_to(*section))
                read_symbols(file, *section, text_of(*strings), &elf);
        } else if (has_relocations) {
            const auto symbols = linked_to(*section);
            const auto strings = symbols ? linked_to(*symbols) : symbols;
            if (strings)
                read_relocations(file, *section, *symbols, text_of(*strings), &elf);
        } else if (section->sh_type == SHT_PROGBITS && (section->sh_flags & SHF_ALLOC) &&
                   !(section->sh_flags & (SHF_EXECINSTR | SHF_WRITE))) {
            std::string_view data = text_of(*section);
            for (size_t end; (end = data.find('\0')) != std::string_view::npos;
                 data.remove_prefix(end + 1))
                if (end >= shortest_name)
                    if (const auto name = names.find(data.substr(0, end)); name != names.end())
                        elf.mentions.insert(*name);
        }
    }
    for (const std::string& name : elf.imports)
        elf.mentions.erase(name);
    return elf;
}

} // namespace tools
