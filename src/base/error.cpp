#include "base/error.h"

#include <string>
#include <system_error>

namespace softalign {

std::string errno_text(int error_number) {
    return std::generic_category().message(error_number);
}

}  // namespace softalign
