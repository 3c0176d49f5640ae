// In place of html_text.cpp where libgumbo is missing.
#include <string>
#include <vector>

#include "base/error.h"
#include "document/html_text.h"

namespace softalign {

bool reads_html() {
    return false;
}

std::vector<HtmlText> html_texts(const std::string& /*html*/) {
    throw Error(ExitCode::usage,
                "this softalign was built without libgumbo, so it cannot read HTML; install libgumbo-dev and build it "
                "again");
}

}  // namespace softalign
