// Python code and the modules that it imports, as myblas-doctor reads them. The input is the text
// of a module, of a package and of the script that imports both.
#include "python.h"

#include "target.h"

#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;

// The folder with the package p and its module q.
class packages {
public:
    packages() {
        std::string name = fs::temp_directory_path() / "myblas-fuzz-XXXXXX";
        require(mkdtemp(name.data()), "a folder for the package");
        folder = name;
        fs::create_directory(folder / "p");
    }
    ~packages() { fs::remove_all(folder); }
    void hold(std::string_view text) const {
        for (const char* file : {"p/__init__.py", "p/q.py"})
            std::ofstream(folder / file) << text;
    }
    fs::path folder;
};

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const packages installed;
    const std::string text(text_of(data, size));
    installed.hold(text);
    const tools::python_code code{"-c", "import p.q\n" + text, "/nowhere", ""};
    const tools::python_imports imports = tools::follow_imports(code, {installed.folder});
    const auto found = imports.found.find("p");
    require(found != imports.found.end() && found->second == installed.folder / "p",
            "the package is found");
    for (const auto& [name, folder] : imports.found)
        require(name == "p", "no package is made up");
    return 0;
}
