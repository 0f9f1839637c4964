#include "cost_model.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

namespace bench {
namespace {

constexpr int unknowns = 4;
using vector4 = std::array<double, unknowns>;
using matrix4 = std::array<vector4, unknowns>;

// Gaussian elimination on the unknowns of the set; nothing where they depend on one another. The matrix
// is symmetric with a diagonal of ones.
std::optional<vector4> solve(matrix4 a, vector4 b, unsigned set) {
    constexpr double least_pivot = 1e-9;
    const auto in_set = [set](int i) { return set >> i & 1; };
    for (int i = 0; i < unknowns; ++i) {
        if (!in_set(i))
            continue;
        if (!(a[i][i] > least_pivot))
            return std::nullopt;
        for (int row = 0; row < unknowns; ++row) {
            if (row == i || !in_set(row))
                continue;
            const double factor = a[row][i] / a[i][i];
            for (int col = 0; col < unknowns; ++col)
                a[row][col] -= factor * a[i][col];
            b[row] -= factor * b[i];
        }
    }
    vector4 x{};
    for (int i = 0; i < unknowns; ++i)
        if (in_set(i))
            x[i] = b[i] / a[i][i];
    return x;
}

std::string comment(const char* sign, const provenance& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += fmt::format("{} {}\n", sign, line);
    return text;
}

} // namespace

// The normal equations, with columns of unit length. At the optimum some unknowns are zero and the others
// are those of the unconstrained problem without the former; with four unknowns all sets can be tried.
cost fit(std::span<const observation> observations) {
    matrix4 a{};
    vector4 b{};
    for (const observation& o : observations) {
        const double scale = o.weight / o.us;
        const vector4 row = {
            scale, scale * o.work.waves, scale * o.work.steps, scale * o.work.bytes};
        for (int i = 0; i < unknowns; ++i) {
            for (int j = 0; j < unknowns; ++j)
                a[i][j] += row[i] * row[j];
            b[i] += row[i] * o.weight;
        }
    }
    vector4 length{};
    for (int i = 0; i < unknowns; ++i)
        length[i] = std::sqrt(a[i][i]);
    for (int i = 0; i < unknowns; ++i) {
        for (int j = 0; j < unknowns; ++j)
            if (length[i] > 0 && length[j] > 0)
                a[i][j] /= length[i] * length[j];
        if (length[i] > 0)
            b[i] /= length[i];
    }

    vector4 best{};
    double best_gain = -std::numeric_limits<double>::infinity(); // of the squares that it explains
    for (unsigned set = 1; set < 1u << unknowns; ++set) {
        const std::optional<vector4> x = solve(a, b, set);
        if (!x)
            continue;
        double gain = 0;
        bool is_feasible = true;
        for (int i = 0; i < unknowns; ++i) {
            gain += (*x)[i] * b[i];
            is_feasible = is_feasible && (*x)[i] >= 0;
        }
        if (is_feasible && gain > best_gain) {
            best = *x;
            best_gain = gain;
        }
    }
    for (int i = 0; i < unknowns; ++i)
        best[i] = length[i] > 0 ? best[i] / length[i] : 0;
    return {best[0], best[1], best[2], best[3]};
}

fit_error error_of(const cost& c, std::span<const observation> observations) {
    fit_error found;
    double squares = 0, weights = 0;
    for (const observation& o : observations) {
        const double error = std::fabs(c.predict_us(o.work) / o.us - 1);
        const double weight = o.weight * o.weight;
        squares += weight * error * error;
        weights += weight;
        found.worst = std::max(found.worst, error);
    }
    found.mean = std::sqrt(squares / weights);
    return found;
}

const char* form_name(int form) {
    constexpr const char* names[form_count] = {"NN", "NT", "TN", "TT"};
    return names[form];
}

std::string to_source(int arch, const provenance& lines, std::span<const kernel_costs> kernels) {
    std::string text =
        fmt::format("// Costs of the SGEMM kernels for compute capability {}.{}. Written by "
                    "myblas-bench tune sgemm.\n",
                    arch / 10,
                    arch % 10);
    text += comment("//", lines);
    text += "#include \"kernels/sgemm/registry.h\"\n"
            "#include \"select/tuning.h\"\n"
            "\n"
            "namespace myblas {\n"
            "namespace {\n"
            "\n"
            "// clang-format off\n"
            "constexpr kernel_cost<sgemm_problem> costs[] = {\n"
            "    // fixed, per_wave, per_step, per_byte, in microseconds\n";
    for (const kernel_costs& kernel : kernels) {
        text += fmt::format("    {{&cuda::sgemm_{}, {{{{\n", kernel.kernel);
        for (int form = 0; form < form_count; ++form) {
            const auto found = kernel.of_form.find(form);
            const cost c = found == kernel.of_form.end() ? cost{} : found->second;
            const std::string row = fmt::format(
                "{{{:.4g}, {:.4g}, {:.4g}, {:.4g}}}", c.fixed, c.per_wave, c.per_step, c.per_byte);
            text += fmt::format("        {:<48} // {}\n",
                                row + (form + 1 < form_count ? "," : ""),
                                form_name(form));
        }
        text += "    }}},\n";
    }
    text += fmt::format("}};\n"
                        "// clang-format on\n"
                        "\n"
                        "}} // namespace\n"
                        "\n"
                        "constinit const cost_list<sgemm_problem> sgemm_costs_sm{} = costs;\n"
                        "\n"
                        "}} // namespace myblas\n",
                        arch);
    return text;
}

std::string
to_tuning_file(int arch, const provenance& lines, std::span<const kernel_costs> kernels) {
    std::string text = fmt::format("myblas-tuning 1\narch {}\n", arch);
    text += comment("#", lines);
    text += "# kernel, form, then fixed, per_wave, per_step, per_byte, in microseconds\n";
    for (const kernel_costs& kernel : kernels)
        for (const auto& [form, c] : kernel.of_form)
            text += fmt::format("sgemm {} {} {:.4g} {:.4g} {:.4g} {:.4g}\n",
                                kernel.kernel,
                                form_name(form),
                                c.fixed,
                                c.per_wave,
                                c.per_step,
                                c.per_byte);
    return text;
}

} // namespace bench
