// The calling thread's current CUDA context.
#pragma once

namespace myblas {

bool has_current_context();

// In a new thread the runtime makes its context current with the first call that needs one. This
// does so for functions of the driver, which fail without one. Returns false if there is none.
bool make_context_current();

// Makes the runtime's context of a device current until pop_context(). cudaSetDevice cannot undo
// this. In a thread that has not used CUDA, a second call would create a context on GPU 0. A context
// that the program made with the driver would no longer be current.
bool push_context(int device);
void pop_context(int device);

} // namespace myblas
