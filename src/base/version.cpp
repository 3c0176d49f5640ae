#include "base/version.h"

#include <string>

namespace softalign {

const char* version() {
    return SOFTALIGN_VERSION;
}
std::string producer() {
    return std::string("softalign ") + version();
}
const char* build_type() {
    return SOFTALIGN_BUILD_TYPE;
}
const char* compiler() {
    return SOFTALIGN_COMPILER;
}
const char* libtorch_version() {
    return SOFTALIGN_LIBTORCH_VERSION;
}

}  // namespace softalign
