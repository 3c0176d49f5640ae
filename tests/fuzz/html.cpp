// An HTML document, of which every text is written as it was read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "document/html_text.h"
#include "fuzz.h"

namespace softalign {

namespace {

std::string again(const std::string& html) {
    std::string result;
    std::size_t done = 0;
    for (const HtmlText& part : html_texts(html)) {
        require(part.range.begin >= done && part.range.end <= html.size(), "texts are in order and in the document");
        result += html.substr(done, part.range.begin - done);
        result += part.text.written({0, part.text.text.size()});
        done = part.range.end;
    }
    return result + html.substr(done);
}

void run(std::string_view input) {
    if (first_invalid_utf8(input) != 0) {
        return;
    }
    const std::string once = again(std::string(input));
    require(first_invalid_utf8(once) == 0, "what is written is UTF-8");
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}
