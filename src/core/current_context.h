// The calling thread's current CUDA context.
#pragma once

namespace myblas {

bool has_current_context();

// In a new thread the runtime makes its context current with the first call that needs one. This
// does so for functions of the driver, which fail without one. Returns false if there is none.
bool make_context_current();

} // namespace myblas
