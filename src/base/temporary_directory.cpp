#include "base/temporary_directory.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/temporary_names.h"

namespace softalign {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory(const std::string& purpose) {
    std::string pattern = (fs::temp_directory_path() / ("softalign-" + purpose + "-XXXXXX")).string();
    TemporaryNames temporaries;
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw Error(ExitCode::output, pattern + ": a temporary directory cannot be made; set TMPDIR");
    }
    path_ = pattern;
    temporaries.add(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    TemporaryNames().remove(path_);
}

}  // namespace softalign
