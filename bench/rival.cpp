#include "rival.h"

#include "dynamic_library.h"
#include "errors.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace bench {
namespace {

// The nearest folder whose name tells which build it is.
std::string folder_of(const std::string& file) {
    namespace fs = std::filesystem;
    fs::path folder = fs::absolute(file).lexically_normal().parent_path();
    while (folder.has_relative_path() &&
           (folder.filename() == "lib" || folder.filename() == "lib64" ||
            folder.filename() == "build"))
        folder = folder.parent_path();
    return folder.filename();
}

} // namespace

rival::rival(std::string name, const library_functions& library, myblasBackend_t backend)
    : name_(std::move(name)), library_(library) {
    myblasHandle_t handle = nullptr;
    require(library_.create_on(&handle, backend), fmt::format("{}: a handle", name_).c_str());
    handle_ = {handle, library_.destroy};
    // The environment may have forced kernels. Another build may lack a routine.
    for (int i = 0; i < routine_count; ++i)
        (void)library_.force_kernel(handle, describe(static_cast<routine>(i)).kernels, nullptr);
}

rival::rival(std::string name, myblasBackend_t backend)
    : rival(std::move(name), linked_library(), backend) {}

rival rival::load(const std::string& file, myblasBackend_t backend) {
    const dynamic_library loaded(file);
    if (!loaded)
        throw usage_error(fmt::format("cannot load {}", dlerror()));
    const library_functions found(loaded);
    if (!found.is_complete())
        throw usage_error(fmt::format("{} is no libmyblas", file));
    if (found.create_on == linked_library().create_on)
        throw usage_error(fmt::format("{} is the library itself", file));
    return rival("myblas@" + folder_of(file), found, backend);
}

void rival::set_math(myblasMath_t math) const {
    require(library_.set_math_mode(handle_.get(), math),
            fmt::format("{}: the math mode", name_).c_str());
}

size_t rival::wanted_workspace(myblasMath_t math, const shape& s, const operands& o) const {
    set_math(math);
    const myblasCall_t call = describe_call(s, o);
    size_t bytes = 0;
    const myblasStatus_t status = library_.get_workspace_size(handle_.get(), &call, &bytes);
    return status == MYBLAS_STATUS_SUCCESS ? bytes : 0;
}

void rival::prepare(const machine& device,
                    myblasMath_t math,
                    const shape& s,
                    const buffer& workspace) const {
    drop_workspace(device);
    set_math(math);
    require(library_.set_pointer_mode(handle_.get(), pointer_mode(s.routine)),
            "myblasSetPointerMode");
    if (workspace.bytes() > 0)
        require(library_.set_workspace(handle_.get(), workspace.data(), workspace.bytes()),
                "myblasSetWorkspace");
}

void rival::drop_workspace(const machine& device) const {
    require(library_.set_stream(handle_.get(), device.stream()), "myblasSetStream");
}

void rival::join(std::vector<subject>& subjects, const shape& s, const operands& o) const {
    if (!library_.routines[s])
        return;
    subjects.push_back({name_, [this, s, o] {
                            require(call_routine(library_, handle_.get(), s, o), name_.c_str());
                        }});
}

} // namespace bench
