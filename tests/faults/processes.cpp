#include "faults/scenario.h"
namespace faults { std::vector<situation> situations() { return {}; } }
