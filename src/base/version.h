#pragma once

#include <string>

namespace softalign {

const char* version();           // "0.1.0", in a git checkout with its revision: "0.1.0+1a2b3c4d5e6f"
std::string producer();          // "softalign 0.1.0", which files name as what wrote them
const char* build_type();        // "Release"
const char* compiler();          // "GNU 12.2.0"
const char* libtorch_version();  // "1.13.1", of the one it was built with

}  // namespace softalign
