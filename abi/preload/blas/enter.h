// The path of every entry point. Calls that the offload filter rejects (offload.h) are forwarded at
// once, by a jump. The other calls are offered to the devices first.
//
// Tiny calls of a BLAS take nanoseconds, so every nanosecond of overhead matters. A compiled call
// would store the stack arguments again, which costs more than all decisions. The exported
// functions are therefore written in assembly on x86-64. The functions of level 3 send calls with a
// large extent to `enter`, which knows the arguments. Every other call is one jump through a
// pointer. The pointer first leads to `enter`. Once `enter` has found that the filter rejects such
// calls, the pointer changes. The pointer then leads to the BLAS function that all callers share,
// or to `pass_by` if callers may get different functions. The declaration of `pass_by` has only the
// register arguments. The other arguments stay where the caller put them, for the function that the
// next jump leads to. The test `jumps` looks at the machine code.
#pragma once

#include "blas/offload.h"

namespace myblas::preload {

// The jump target of the exported function with this spelling and routine. entries.cpp has one for
// each.
template <spelling s, routine r>
struct route;

// The registers in which arguments come.
using argument_registers = void(
    long, long, long, long, long, long, float, float, float, float, float, float, float, float);

// The number of the first invalid letter, counted from 1; 0: all are valid.
template <class... Tags>
int first_wrong_letter(list<Tags...>, value_of<Tags>... values) {
    int number = 0, wrong = 0;
    const auto look = [&]<class Tag>(const value_of<Tag>& value) {
        ++number;
        if constexpr (is_letter<Tag>)
            if (wrong == 0 && value == 0)
                wrong = number;
    };
    (look.template operator()<Tags>(values), ...);
    return wrong;
}

// The return value of a function whose call libmyblas computed.
template <interface i, class Integer, routine r>
auto result_of(const typename call_of<r>::type& call) {
    using result = passing<i, Integer, typename parts_of<typename signature_of<r>::type>::result>;
    if constexpr (!std::is_void_v<typename result::passed>)
        return result::pass(call.value);
}

// A call may end by an exception: from an xerbla_, or because the thread is cancelled. The
// exception must find no destructor and no noexcept here: this library has a separate unwinder,
// which does not know the frames of the program's unwinder.
template <interface i, class Integer, routine r, class... Arguments>
[[gnu::noinline]] auto
attend(const typename call_of<r>::type& call, const origin& from, Arguments... arguments) {
    using convention = convention_of<i, Integer, typename signature_of<r>::type>;
    const bool is_wrong = call.wrong_argument() != 0;
    offload_candidate candidate(r, call.shape(), is_wrong);
    if (!candidate.is_nested() && candidate.offer(call, from)) {
        candidate.finish();
        return result_of<i, Integer, r>(call);
    }
    if (is_wrong)
        candidate.count_wrong_call();
    if (void* function = from.own.get(r)) {
        const auto own = reinterpret_cast<typename convention::function*>(function);
        if constexpr (std::is_void_v<typename convention::result>) {
            own(arguments...);
            return candidate.finish();
        } else {
            const auto result = own(arguments...);
            candidate.finish();
            return result;
        }
    }
    if (is_wrong || !call.is_trivial() || !call.finish_trivial())
        compute_on_host(call, from);
    candidate.finish();
    return result_of<i, Integer, r>(call);
}

template <spelling s,
          routine r,
          class Tags = tags_in<facts_of(s).used, typename signature_of<r>::type>,
          class Function = function_for<s, r>>
struct entry;
template <spelling s, routine r, class... Tags, class Result, class... Arguments>
struct entry<s, r, list<Tags...>, Result(Arguments...)> {
    static constexpr interface used = facts_of(s).used;
    using integer = std::conditional_t<facts_of(s).is_64, int64_t, int>;
    using signature = typename signature_of<r>::type;
    using call_type = typename call_of<r>::type;

    static Result enter(Arguments... arguments) {
        const program_blas& own = blas_of(__builtin_return_address(0), s);
        // The arguments of a routine that never gains are not read: the program may have a
        // different function of the same name.
        if (!can_gain(r) && is_passed_by(own, {}))
            return forward(own, arguments...);
        const call_type call = read(arguments...);
        if (is_passed_by(own, call.shape()))
            return forward(own, arguments...);
        return attend<used, integer, r>(call, {own, s}, arguments...);
    }

private:
    static bool is_passed_by(const program_blas& own, const report::extents& shape) noexcept {
        return own.get(r) && !passes_offload_filter(r, shape.m, shape.n, shape.k);
    }

    // The function is looked up only once: a BLAS that is loaded later does not serve earlier
    // callers.
    static Result forward(const program_blas& own, Arguments... arguments) {
        void* function = own.get(r);
        void* target = own.is_same_for_all(r) ? function : route<s, r>::pass_by();
        function_for<s, r>* at_first = enter;
        route<s, r>::target().compare_exchange_strong(
            at_first, reinterpret_cast<function_for<s, r>*>(target));
        return reinterpret_cast<function_for<s, r>*>(function)(arguments...);
    }

    // The lengths of letters may follow the arguments.
    template <class... Lengths>
    static call_type read(typename passing<used, integer, Tags>::passed... arguments,
                          Lengths...) noexcept {
        return made_of(passing<used, integer, Tags>::read(arguments)...);
    }
    static call_type made_of(value_of<Tags>... values) noexcept {
        call_type call = [&] {
            if constexpr (used == interface::fortran && parts_of<signature>::has_layout)
                return call_type::read('C', values...);
            else
                return call_type::read(values...);
        }();
        call.wrong_letter = first_wrong_letter(list<Tags...>(), values...);
        return call;
    }
};

// Where to forward a call that the offload filter rejects, if its function is already known.
template <spelling s, routine r>
[[gnu::always_inline]] inline void* known_target(const void* caller) noexcept {
    if (const program_blas* own = known_blas_of(caller, s)) [[likely]]
        if (void* function = own->get(r)) [[likely]]
            return function;
    return reinterpret_cast<void*>(entry<s, r>::enter);
}

} // namespace myblas::preload
