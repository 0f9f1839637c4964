// The host memory of this process: counted, and refused on request.
#pragma once

namespace allocations {

// Starts to count. Allocation number `at`, from 0 on, is refused; with `stays` each later one, too,
// until disarm(). A negative `at`: none.
void arm(long at, bool stays);
void disarm();
long calls();      // since arm()
bool has_failed(); // one was refused since arm()
long live();       // blocks that are not freed

} // namespace allocations
