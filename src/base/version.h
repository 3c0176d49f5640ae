#pragma once

namespace softalign {

const char* version();     // "0.1.0"
const char* build_type();  // "Release"
const char* compiler();    // "GNU 12.2.0"

}  // namespace softalign
