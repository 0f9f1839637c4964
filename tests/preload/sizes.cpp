// Numbers in environment variables.
#include "core/environment.h"
#include "expect.h"

using namespace myblas;

namespace {

constexpr char variable[] = "MYBLAS_TEST_SIZE";
constexpr int otherwise = 7, most = 1000;
constexpr size_t largest = static_cast<size_t>(-1);

void check(const char* value, size_t size, int count) {
    setenv(variable, value, 1);
    expect(read_size(variable, otherwise) == size, std::string("the size ") + value);
    expect(read_count(variable, most, otherwise) == count, std::string("the count ") + value);
}

} // namespace

int main() {
    check("", otherwise, otherwise);
    check("1", 1, 1);
    check("0064", 64, 64);
    check("3K", 3 << 10, otherwise);
    check("5M", 5 << 20, otherwise);
    check("2G", size_t{2} << 30, otherwise);
    check("1000", 1000, 1000);
    check("1001", 1001, most);
    check("18446744073709551615", largest, most);
    check("18014398509481983K", largest - 1023, otherwise);
    // A number that is too large is no size, but as a count it means the most.
    check("18446744073709551616", otherwise, most);
    check("99999999999999999999999", otherwise, most);
    check("18014398509481984K", otherwise, otherwise);
    for (const char* wrong :
         {"0", "0G", "-1", "+1", " 1", "1 ", "1k", "1KB", "K", "1.5", "1e3", "all"})
        check(wrong, otherwise, otherwise);
    unsetenv(variable);
    expect(read_size(variable, otherwise) == otherwise, "without the variable");
    expect(read_count(variable, most, otherwise) == otherwise, "without the variable");
    return failures != 0;
}
