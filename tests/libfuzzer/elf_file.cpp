// ELF files, as myblas-doctor and myblas-run read them.
#include "elf_file.h"

#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static memory_file file;
    static const tools::name_set names = {"cublasSgemm_v2", "cublasLtMatmul", "sgemm_", "ssyrk_"};
    const auto elf = tools::read_elf(file.hold(text_of(data, size)), names);
    if (!elf)
        return 0;
    using kind = tools::elf_file::kind;
    require(elf->interpreter.empty() || elf->what == kind::program, "a program has a loader");
    for (const std::string& name : elf->mentions)
        require(names.contains(name) && !elf->imports.contains(name),
                "a name is mentioned only if it is looked for and not imported");
    return 0;
}
