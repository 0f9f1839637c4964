#include "attribution.h"

#include <algorithm>
#include <cstring>

namespace bench {
namespace {

constexpr int64_t chunk_k = strict_end_chunk, group_k = strict_end_group;

std::vector<float> add_chunks(const product_in_parts& product, int64_t first, int64_t last) {
    for (int64_t at = first; at < last; at += chunk_k)
        product.add(at, std::min(chunk_k, last - at), at == first);
    return product.sum();
}

std::string_view family_of(std::string_view kernel) { return kernel.substr(0, kernel.find('/')); }

} // namespace

std::vector<std::vector<float>> add_as_strict_ends(const product_in_parts& product, int64_t k) {
    std::vector<std::vector<float>> results{add_chunks(product, 0, k)};
    if (k <= group_k)
        return results;
    std::vector<float> total = add_chunks(product, 0, group_k);
    for (int64_t first = group_k; first < k; first += group_k) {
        const std::vector<float> group = add_chunks(product, first, std::min(first + group_k, k));
        for (size_t i = 0; i < total.size(); ++i)
            total[i] += group[i];
    }
    results.push_back(std::move(total));
    return results;
}

bool same_bits(std::span<const float> x, std::span<const float> y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
}

myblasMath_t attribute(const served& result, std::span<const served> others) {
    const std::string_view family = family_of(result.kernel);
    myblasMath_t mode = result.mode;
    for (const served& other : others) {
        const bool is_same_family = !family.empty() && family_of(other.kernel) == family;
        if (other.mode < mode && !is_same_family && same_bits(result.c, other.c))
            mode = other.mode;
    }
    return mode;
}

} // namespace bench
