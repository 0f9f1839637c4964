// A second handle in a comparison: of the same library or of another build of it, with the default
// choice of kernels.
#pragma once

#include "library.h"
#include "machine.h"
#include "shape.h"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

namespace bench {

class rival {
public:
    // A handle of the linked library.
    rival(std::string name, myblasBackend_t);
    // Loads a libmyblas from a file; its name is "myblas@" and the folder of the file. Throws
    // usage_error if it cannot be used.
    static rival load(const std::string& file, myblasBackend_t);

    // Bytes of workspace that a call wants; 0 if the library lacks the routine.
    size_t wanted_workspace(myblasMath_t, const shape&, const operands&) const;

    // Prepares the handle for calls of a shape, in a workspace. Empty: the handle's own workspace.
    void prepare(const machine&, myblasMath_t, const shape&, const buffer& workspace) const;
    // Sets the handle's own workspace again.
    void drop_workspace(const machine&) const;

    // Adds a subject if the library has the routine.
    void join(std::vector<subject>&, const shape&, const operands&) const;

private:
    rival(std::string name, const library_functions&, myblasBackend_t);
    void set_math(myblasMath_t) const;

    std::string name_;
    library_functions library_;
    std::shared_ptr<std::remove_pointer_t<myblasHandle_t>> handle_;
};

} // namespace bench
