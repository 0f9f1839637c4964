// The calling thread's current CUDA context.
#pragma once

namespace myblas {

bool has_current_context();

// In a new thread the runtime makes its context current with the first call that needs one. This
// does so for functions of the driver, which fail without one. Returns false if there is none.
bool make_context_current();

// Makes the runtime's context of a device current until pop_context(). cudaSetDevice cannot undo
// this: in a thread that has not used CUDA, a second call creates a context on GPU 0, and a context
// that the program made with the driver is no longer current.
bool push_context(int device);
void pop_context(int device);

} // namespace myblas
