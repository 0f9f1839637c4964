// The calling thread's current CUDA context.
#pragma once

namespace myblas {

bool has_current_context();

// In a new thread the runtime makes its context current with the first call that needs one. This
// does so for functions of the driver, which would fail. Returns false if there is no context.
bool make_context_current();

} // namespace myblas
