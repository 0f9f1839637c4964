// Replaces relaxed.cuh, which is PTX, on a CPU. One block runs at a time, so what a block waits for
// is there.
#pragma once

#include <type_traits>

namespace myblas::cuda {

template <class Word>
Word load_relaxed(const Word* word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

template <class Word>
void store_relaxed(Word* word, std::type_identity_t<Word> value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

} // namespace myblas::cuda
