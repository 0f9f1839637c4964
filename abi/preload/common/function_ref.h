// A reference to a callable, valid for the duration of a call.
#pragma once

namespace myblas::preload {

template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
public:
    template <class Callable>
    // NOLINTNEXTLINE(google-explicit-constructor): lets callers pass a callable directly
    function_ref(const Callable& callable) noexcept
        : object_(&callable), invoke_([](const void* object, Arguments... arguments) -> Result {
              return (*static_cast<const Callable*>(object))(arguments...);
          }) {}

    Result operator()(Arguments... arguments) const { return invoke_(object_, arguments...); }

private:
    const void* object_;
    Result (*invoke_)(const void*, Arguments...);
};

} // namespace myblas::preload
