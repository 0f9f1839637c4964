// The routines of the BLAS preload library, the spellings of their names, and the types of their
// functions.
//
// A routine's signature lists the kinds of its arguments, in the order that the Fortran BLAS and
// CBLAS share, except for CBLAS's layout in front. The interface determines how arguments are
// passed. Fortran passes everything by reference and appends the lengths of CHARACTER arguments.
// The lengths are passed on unchanged. A C caller leaves them out; then the unknown contents of
// their places are passed on and ignored, as without the preload. CBLAS passes sizes by value.
// Sizes are declared here as wide as their register or stack slot, so that sizes of either width
// are passed on unharmed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace myblas::preload {

enum class routine : int {
#define BLAS_ENTRY(name, ...) name,
#include "common/entries.inc"
#undef BLAS_ENTRY
    count
};
inline constexpr int routine_count = static_cast<int>(routine::count);

// ---- Spellings ----------------------------------------------------------------------------------

enum class interface : int { fortran, cblas };

enum class spelling : int {
#define SPELL(name, id, ...) id,
    BLAS_SPELLINGS(SPELL, )
#undef SPELL
        count
};
inline constexpr int spelling_count = static_cast<int>(spelling::count);

struct spelling_facts {
    interface used;
    bool is_64; // its integers have 64 bits
};
inline constexpr spelling_facts spellings[] = {
#define SPELL(name, id, used, integer, ...) {interface::used, sizeof(integer) == 8},
    BLAS_SPELLINGS(SPELL, )
#undef SPELL
};
constexpr const spelling_facts& facts_of(spelling s) { return spellings[static_cast<int>(s)]; }

// ---- Arguments ----------------------------------------------------------------------------------

// An argument of CBLAS in its slot: enumerations and 32-bit sizes use the low half.
using slot = int64_t;

// One of a few capitals, in CBLAS a number. Its value is the capital; 0 stands for any other.
struct named {
    char capital;
    int number;
};
template <named... all>
struct letter {
    static constexpr named known[] = {all...};

    static char of_character(char c) {
        const char capital = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        for (const named& k : known)
            if (k.capital == capital)
                return capital;
        return 0;
    }
    static char of_number(int number) {
        for (const named& k : known)
            if (k.number == number)
                return k.capital;
        return 0;
    }
    static int number_of(char capital) {
        for (const named& k : known)
            if (k.capital == capital)
                return k.number;
        return 0;
    }
};

// The kinds of arguments that a signature may list.
namespace argument {
struct layout : letter<named{'R', 101}, named{'C', 102}> {}; // only in CBLAS, always in front
struct order : letter<named{'R', 101}, named{'C', 102}> {};
struct trans : letter<named{'N', 111}, named{'T', 112}, named{'C', 113}> {};
struct copy_trans // R is "conjugated, not transposed"
    : letter<named{'N', 111}, named{'T', 112}, named{'C', 113}, named{'R', 114}> {};
struct uplo : letter<named{'U', 121}, named{'L', 122}> {};
struct diag : letter<named{'N', 131}, named{'U', 132}> {};
struct side : letter<named{'L', 141}, named{'R', 142}> {};
struct size {};
struct leading {};       // dimension of the matrix before it
struct step {};          // increment of the vector before it
struct scalar {};        // a float, which Fortran passes by reference
struct matrix {};        // read
struct result {};        // a matrix that is written
struct vector {};        // read
struct vector_result {}; // written
struct parameters {};    // of srotm, read
struct few_floats {};    // written
struct number {};        // result: an element's number, from 1 in Fortran, from 0 in CBLAS
} // namespace argument

template <class Tag>
inline constexpr bool is_letter = requires {
    Tag::known;
};
template <class Tag, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<Tag, Others> || ...);
template <class Tag>
inline constexpr bool is_integer =
    is_one_of<Tag, argument::size, argument::leading, argument::step>;
template <class Tag>
inline constexpr bool is_written =
    is_one_of<Tag, argument::result, argument::vector_result, argument::few_floats>;

// The type of an argument's value, independent of how it is passed.
template <class Tag>
auto value_type() {
    if constexpr (is_letter<Tag>)
        return char{};
    else if constexpr (is_integer<Tag>)
        return int64_t{};
    else if constexpr (std::is_same_v<Tag, argument::scalar>)
        return float{};
    else if constexpr (is_written<Tag>)
        return static_cast<float*>(nullptr);
    else
        return static_cast<const float*>(nullptr);
}
template <class Tag>
using value_of = decltype(value_type<Tag>());

// ---- How they are passed ------------------------------------------------------------------------

// `passed` is the type in the function's declaration; `kept` has to live during the call.
template <interface, class Integer, class Tag>
struct passing {
    using passed = value_of<Tag>;
    using kept = value_of<Tag>;
    static kept keep(value_of<Tag> v) { return v; }
    static passed pass(const kept& k) { return k; }
    static value_of<Tag> read(passed p) { return p; }
};

template <class Integer, class Tag>
requires is_letter<Tag>
struct passing<interface::fortran, Integer, Tag> {
    using passed = const char*;
    using kept = char;
    static kept keep(char v) { return v; }
    static passed pass(const kept& k) { return &k; }
    static char read(passed p) { return Tag::of_character(*p); }
};

template <class Integer, class Tag>
requires is_letter<Tag>
struct passing<interface::cblas, Integer, Tag> {
    using passed = slot;
    using kept = char;
    static kept keep(char v) { return v; }
    static passed pass(const kept& k) { return Tag::number_of(k); }
    static char read(passed p) { return Tag::of_number(static_cast<int>(p)); }
};

template <class Integer, class Tag>
requires is_integer<Tag>
struct passing<interface::fortran, Integer, Tag> {
    using passed = const Integer*;
    // Always 64 bits. A BLAS may want 64 bits although its name does not say so; such a BLAS then
    // reads no more than there is. A BLAS with 32-bit integers reads the low half, since all hosts
    // of GPUs are little-endian.
    using kept = int64_t;
    static kept keep(int64_t v) { return v; }
    static passed pass(const kept& k) { return reinterpret_cast<passed>(&k); }
    static int64_t read(passed p) { return *p; }
};

template <class Integer, class Tag>
requires is_integer<Tag>
struct passing<interface::cblas, Integer, Tag> {
    using passed = slot;
    using kept = slot;
    static kept keep(int64_t v) { return v; }
    static passed pass(const kept& k) { return k; }
    static int64_t read(passed p) { return static_cast<Integer>(p); }
};

template <class Integer>
struct passing<interface::fortran, Integer, argument::scalar> {
    using passed = const float*;
    using kept = float;
    static kept keep(float v) { return v; }
    static passed pass(const kept& k) { return &k; }
    static float read(passed p) { return *p; }
};

// The number of an element, as the interface counts.
template <interface i, class Integer>
struct passing<i, Integer, argument::number> {
    using passed = std::conditional_t<i == interface::fortran, Integer, slot>;
    static passed pass(int64_t from_1) {
        return static_cast<passed>(i == interface::fortran || from_1 == 0 ? from_1 : from_1 - 1);
    }
};
template <interface i, class Integer>
struct passing<i, Integer, float> {
    using passed = float;
    static float pass(float v) { return v; }
};
template <interface i, class Integer>
struct passing<i, Integer, void> {
    using passed = void;
};

// ---- Functions ----------------------------------------------------------------------------------

template <class... Tags>
struct list {
    static constexpr size_t letters = (size_t{0} + ... + size_t{is_letter<Tags>});
};

// The signature without the layout, and whether the signature has one.
template <class Signature>
struct parts_of;
template <class Result, class... Tags>
struct parts_of<Result(Tags...)> {
    using result = Result;
    using tags = list<Tags...>;
    using signature = Result(Tags...);
    static constexpr bool has_layout = false;
};
template <class Result, class... Tags>
struct parts_of<Result(argument::layout, Tags...)> {
    using result = Result;
    using tags = list<Tags...>;
    using signature = Result(Tags...);
    static constexpr bool has_layout = true;
};

template <size_t>
using length_type = size_t; // of a CHARACTER argument

// How an interface calls a routine.
template <interface i, class Integer, class Result, class Tags, class Lengths>
struct convention;
template <interface i, class Integer, class Result, class... Tags, size_t... lengths>
struct convention<i, Integer, Result, list<Tags...>, std::index_sequence<lengths...>> {
    using result = typename passing<i, Integer, Result>::passed;
    using function = result(typename passing<i, Integer, Tags>::passed..., length_type<lengths>...);

    // Calls a function with these values.
    static void call(function* f, value_of<Tags>... values) {
        call_kept(f, passing<i, Integer, Tags>::keep(values)...);
    }

private:
    static void call_kept(function* f, typename passing<i, Integer, Tags>::kept... values) {
        f(passing<i, Integer, Tags>::pass(values)..., (static_cast<void>(lengths), 1)...);
    }
};

template <class Tags>
struct behind_layout;
template <class... Tags>
struct behind_layout<list<Tags...>> {
    using type = list<argument::layout, Tags...>;
};

// The tags of a routine's arguments in an interface.
template <interface i, class Signature>
using tags_in =
    typename std::conditional_t<i == interface::cblas && parts_of<Signature>::has_layout,
                                behind_layout<typename parts_of<Signature>::tags>,
                                std::type_identity<typename parts_of<Signature>::tags>>::type;

template <interface i, class Integer, class Signature>
using convention_of = convention<
    i,
    Integer,
    typename parts_of<Signature>::result,
    tags_in<i, Signature>,
    std::make_index_sequence<i == interface::fortran ? tags_in<i, Signature>::letters : 0>>;

namespace argument::signature {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a type
#define BLAS_ENTRY(name, kernels, call, arguments) using name = arguments;
#include "common/entries.inc"
#undef BLAS_ENTRY
} // namespace argument::signature

template <routine>
struct signature_of;
#define BLAS_ENTRY(name, ...)                                                                      \
    template <>                                                                                    \
    struct signature_of<routine::name> : std::type_identity<argument::signature::name> {};
#include "common/entries.inc"
#undef BLAS_ENTRY

// The calling convention of the program's function with this spelling and routine.
template <spelling s, routine r>
using convention_for = convention_of<facts_of(s).used,
                                     std::conditional_t<facts_of(s).is_64, int64_t, int>,
                                     typename signature_of<r>::type>;
template <spelling s, routine r>
using function_for = typename convention_for<s, r>::function;

} // namespace myblas::preload
