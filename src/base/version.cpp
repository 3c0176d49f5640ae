#include "base/version.h"

namespace softalign {

const char* version() {
    return SOFTALIGN_VERSION;
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
