// Measures shape after shape: the library's kernels, and all libraries that they are compared with.
#pragma once

#include "library.h"
#include "machine.h"
#include "options.h"
#include "report.h"
#include "rival.h"
#include "task.h"
#include "timing.h"

#include <string>
#include <vector>

namespace bench {

// Throws usage_error where an option or the environment names a kernel or family that the routine
// of a shape does not have.
void check_kernels(const options&, myblasBackend_t, const std::vector<shape>&);

class runner {
public:
    runner(const options&, const library_handle&, const std::vector<rival>&, machine&, report&);

    void run(const shape&);

private:
    // A kernel that accepts the shape: the name to force (empty: none), and the name of the kernel
    // that ran.
    struct candidate {
        std::string forced, name;
        verdict check;
    };

    std::vector<std::string> wanted_kernels(routine) const;
    buffer lent_workspace(const task&, const std::vector<std::string>& names) const;
    void try_kernel(task&, const std::string& name, std::vector<candidate>& found) const;
    std::string why_not(const task&) const;
    void time(const task&, const std::vector<candidate>&) const;
    std::vector<subject> opponents(const task&, const std::vector<candidate>&) const;
    subject
    ours(const std::string& name, const task&, myblasMath_t, const std::string& forced) const;
    void add_fastest_of_lt(std::vector<subject>& others, const task&) const;
    subject plain_product(const task&) const; // beside a fused one
    std::string strict_choice(const task&) const;
    plan make_plan() const;

    const options& options_;
    const library_handle& handle_;
    const std::vector<rival>& rivals_;
    machine& machine_;
    report& report_;
};

} // namespace bench
