#include "fuzz/report.h"

#include "fuzz/reference.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <utility>

namespace fuzz {
namespace {

constexpr int64_t most_words = 1024; // of an operand whose data the program contains

bool has(const call_case& c, const char* name) { return find_parameter(c.f, name) != nullptr; }

class program {
public:
    explicit program(const call_case& c) : c_(c) {}

    std::string text() {
        line("/* " + to_text(c_) + " */");
        line("#include <myblas/myblas.h>");
        line("#include <myblas/myblas_kernels.h>");
        line("#include <stdio.h>");
        line("#include <stdlib.h>");
        line("");
        const std::vector<operand> all = operands_of(c_);
        for (size_t i = 0; i < all.size(); ++i)
            data(all[i], i);
        line("int main(void) {");
        line("    myblasHandle_t handle;");
        line("    if (myblasCreate(&handle) != MYBLAS_STATUS_SUCCESS)");
        line("        return 1;");
        setting("myblasSetPointerMode", c_.device_scalars);
        setting("myblasSetMathMode", c_.math);
        force(routine_of(c_.f), c_.kernel);
        force(MYBLAS_ROUTINE_SGEMM, c_.product_kernel);
        if (c_.workspace == no_workspace)
            line("    myblasSetWorkspace(handle, NULL, 0);");
        for (size_t i = 0; i < all.size(); ++i)
            place(all[i], i);
        arrays(all);
        call(all);
        for (size_t i = 0; i < all.size(); ++i)
            show(all[i], i);
        line("    return myblasDestroy(handle);");
        line("}");
        return out_.str();
    }

private:
    void line(const std::string& text) { out_ << text << '\n'; }
    static std::string variable(size_t i) { return "operand_" + std::to_string(i); }
    static int64_t words(const operand& x) { return (x.elements() * x.element_bytes + 3) / 4; }
    bool is_on_device(const operand& x) const {
        return x.where == memory::device || (x.where == memory::scalar && c_.device_scalars);
    }

    void data(const operand& x, size_t i) {
        contents filled{x, {}, {}};
        filled.sent.assign(static_cast<size_t>(words(x)) * 4, 0xFF);
        if (x.holds != content::given)
            fill(c_, filled, i);
        else if (!x.values.empty())
            std::memcpy(filled.sent.data(), x.values.data(), x.values.size() * 4);
        const int64_t count = words(x);
        if (count > most_words) {
            line("/* " + x.name + " has " + std::to_string(count) + " words: not shown */");
            out_ << "static unsigned " << variable(i) << "_data[" << count << "];\n";
            return;
        }
        out_ << "static unsigned " << variable(i) << "_data[] = { /* " << x.name << " */";
        for (int64_t w = 0; w < std::max<int64_t>(count, 1); ++w) {
            uint32_t bits = 0;
            if (w < count)
                std::memcpy(&bits, filled.sent.data() + w * 4, 4);
            char word[16];
            std::snprintf(word, sizeof word, "0x%08X,", bits);
            out_ << (w % 8 ? " " : "\n    ") << word;
        }
        line("\n};");
    }
    void setting(const char* function, int64_t value) {
        if (value)
            line(std::string("    ") + function + "(handle, " + std::to_string(value) + ");");
    }
    void force(int routine, const std::string& kernel) {
        if (!kernel.empty())
            line("    myblasForceKernel(handle, " + std::to_string(routine) + ", \"" + kernel +
                 "\");");
    }
    void place(const operand& x, size_t i) {
        const std::string name = variable(i), bytes = std::to_string(words(x) * 4);
        const int64_t offset = x.offset * x.element_bytes % 16;
        if (!is_on_device(x)) {
            line("    void* " + name + " = " + name + "_data;");
            return;
        }
        line("    void* " + name + ";");
        line("    myblasMalloc(handle, &" + name + ", " + bytes + " + 16);");
        if (offset)
            line("    " + name + " = (char*)" + name + " + " + std::to_string(offset) + ";");
        line("    myblasSetVector(handle, " + bytes + ", 1, " + name + "_data, 1, " + name +
             ", 1);");
    }
    void array(const char* name, const std::vector<std::string>& pointers) {
        std::string values;
        for (const std::string& p : pointers)
            values += p + ", ";
        line(std::string("    void* ") + name + "_host[] = {" + values + "NULL};");
        line(std::string("    void* ") + name + ";");
        line(std::string("    myblasMalloc(handle, &") + name + ", sizeof " + name + "_host);");
        line(std::string("    myblasSetVector(handle, sizeof ") + name + "_host, 1, " + name +
             "_host, 1, " + name + ", 1);");
    }
    void arrays(const std::vector<operand>& all) {
        for (const char* name : {"Aarray", "Barray", "Carray", "xarray", "yarray"}) {
            std::vector<std::string> pointers;
            for (size_t i = 0; i < all.size(); ++i)
                for (int64_t b = 0; all[i].name == name && b < all[i].count; ++b)
                    pointers.push_back("(float*)" + variable(i) + " + " +
                                       std::to_string(all[i].is_empty() ? 0 : all[i].start(b)));
            if (has(c_, name))
                array(name, pointers);
        }
        if (c_.f != sgemm_grouped_batched)
            return;
        std::map<std::string, std::string> lists;
        for (const product_group& x : groups_of(c_)) {
            const std::pair<const char*, int64_t> values[] = {{"transa_array", x.transa},
                                                              {"transb_array", x.transb},
                                                              {"m_array", x.m},
                                                              {"n_array", x.n},
                                                              {"k_array", x.k},
                                                              {"lda_array", x.lda},
                                                              {"ldb_array", x.ldb},
                                                              {"ldc_array", x.ldc},
                                                              {"group_size", x.size}};
            for (const auto& [name, value] : values)
                lists[name] += std::to_string(value) + ", ";
        }
        for (const auto& [name, values] : lists) {
            const bool is_operation = name.starts_with("trans");
            line("    const " +
                 std::string(is_operation ? "myblasOperation_t"
                             : c_.is_wide ? "int64_t"
                                          : "int") +
                 " " + name + "[] = {" + values + "0};");
        }
    }
    std::string pointer(const parameter& p, const std::vector<operand>& all) {
        const std::string name = p.name;
        if (name == "stream")
            return "NULL";
        if (name == "epilogue")
            return c_.has_epilogue ? "&epilogue" : "NULL";
        if (c_.f == sgemm_grouped_batched && name != "alpha_array" && name != "beta_array")
            return name;
        std::string of = name;
        if (c_.in_place)
            of = c_.f == sgeam && name == "C"   ? (c_.in_place == 1 ? "A" : "B")
                 : c_.f == strmm && name == "C" ? "B"
                 : has(c_, "D") && name == "C"  ? "D"
                 : !has(c_, "C") && name == "B" ? "A"
                                                : name;
        for (size_t i = 0; i < all.size(); ++i) {
            const operand& x = all[i];
            if (x.name != of)
                continue;
            const bool is_null = c_.null_unread && !c_.device_scalars && !x.is_read &&
                                 !x.is_written && x.holds != content::given && c_.f != saxpy &&
                                 c_.f != srotm;
            if (is_null)
                return "NULL";
            if (x.is_array)
                return name;
            const int64_t first =
                x.stride < 0 && !x.is_empty() ? (x.count - 1) * -x.stride * x.element_bytes : 0;
            return first ? "(void*)((char*)" + variable(i) + " + " + std::to_string(first) + ")"
                         : variable(i);
        }
        return "NULL";
    }
    void call(const std::vector<operand>& all) {
        if (has(c_, "epilogue") && c_.has_epilogue) {
            line("    myblasEpilogue_t epilogue = {sizeof epilogue};");
            line("    epilogue.activation = " + std::to_string(c_.activation) + ";");
            line("    epilogue.bias_of = " + std::to_string(c_.bias_of) + ";");
            line("    epilogue.ldaux = " + std::to_string(c_.ldaux) + ";");
            line("    epilogue.stride_bias = " + std::to_string(c_.stride_bias) + ";");
            line("    epilogue.stride_aux = " + std::to_string(c_.stride_aux) + ";");
            for (size_t i = 0; i < all.size(); ++i)
                if (all[i].name == "bias" || all[i].name == "aux") {
                    const operand& x = all[i];
                    const int64_t first =
                        x.stride < 0 && !x.is_empty() ? (x.count - 1) * -x.stride : 0;
                    line("    epilogue." + x.name + " = (float*)" + variable(i) + " + " +
                         std::to_string(first) + ";");
                }
        }
        const bool has_wide = c_.f != srotg && c_.f != srotmg && c_.is_wide;
        std::string text = std::string(name_of(c_.f)) + (has_wide ? "_64" : "") + "(";
        text += c_.fault_parameter == null_handle ? "NULL" : "handle";
        int64_t index = 0;
        for (const parameter& p : parameters_of(c_.f)) {
            const bool is_wrong = index++ == c_.fault_parameter;
            text += ", ";
            if (is_pointer(p))
                text += is_wrong ? "NULL" : pointer(p, all);
            else
                text += std::to_string(is_wrong ? c_.fault_value : get(c_.args, p));
        }
        line("    myblasStatus_t status = " + text + ");");
        line("    myblasStreamSynchronize(handle, NULL);");
        line("    printf(\"%s\\n\", myblasGetStatusName(status));");
    }
    void show(const operand& x, size_t i) {
        if (!x.is_written)
            return;
        const std::string name = variable(i), bytes = std::to_string(words(x) * 4);
        if (is_on_device(x))
            line("    myblasGetVector(handle, " + bytes + ", 1, " + name + ", 1, " + name +
                 "_data, 1);");
        line("    for (int i = 0; i < " + std::to_string(words(x)) + "; ++i)");
        line("        printf(\"" + x.name + "[%d] = %.9g (0x%08X)\\n\", i, ((float*)" + name +
             "_data)[i], " + name + "_data[i]);");
    }

    const call_case& c_;
    std::ostringstream out_;
};

} // namespace

std::string as_c_program(const call_case& c) { return program(c).text(); }

std::string as_bench_command(const call_case& c) {
    static constexpr std::pair<function, const char*> names[] = {{sgemm, "sgemm"},
                                                                 {sgemm_fused, "sgemmFused"},
                                                                 {ssyrk, "syrk"},
                                                                 {ssyr2k, "syr2k"},
                                                                 {ssymm, "symm"},
                                                                 {strmm, "trmm"},
                                                                 {strsm, "trsm"},
                                                                 {transpose, "transpose"},
                                                                 {sgeam, "geam"},
                                                                 {sum, "sum"},
                                                                 {sasum, "asum"}};
    const char* name = nullptr;
    for (const auto& [f, its_name] : names)
        if (f == c.f)
            name = its_name;
    if (!name || c.fault_parameter != no_fault)
        return "";
    std::ostringstream text;
    text << "myblas-bench --verify -f " << name;
    for (const char* size : {"m", "n", "k"})
        if (has(c, size))
            text << " -" << size << ' ' << get(c.args, *find_parameter(c.f, size));
    const auto letter = [](int64_t op) { return op ? 'T' : 'N'; };
    if (has(c, "transa"))
        text << " --transa " << letter(c.args.transa) << " --transb " << letter(c.args.transb);
    if (has(c, "trans"))
        text << " --trans " << letter(c.args.trans);
    if (has(c, "side"))
        text << " --side " << (c.args.side ? 'R' : 'L');
    if (has(c, "uplo"))
        text << " --uplo " << (c.args.uplo ? 'U' : 'L');
    if (has(c, "diag"))
        text << " --diag " << (c.args.diag ? 'U' : 'N');
    if (c.f == sgemm)
        text << " --lda " << c.args.lda << " --ldb " << c.args.ldb << " --ldc " << c.args.ldc;
    if (has(c, "incx"))
        text << " --incx " << c.args.incx;
    static constexpr const char* modes[] = {"strict", "emulated", "fast", "reproducible"};
    if (c.math)
        text << " --math " << modes[c.math];
    if (!c.kernel.empty())
        text << " --kernel " << c.kernel;
    return text.str();
}

} // namespace fuzz
