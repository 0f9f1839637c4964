// `myblas-bench explain`: how the library chooses for one product, on the card at hand or on one that is not there.
#pragma once

#include "options.h"

namespace bench {

void explain(const options&);

} // namespace bench
