// Text that a report shows, and with a line "====" a second one that it is compared with.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "fuzz.h"
#include "html/sentence_views.h"
#include "html/text.h"

namespace softalign {

namespace {

std::string joined(const std::vector<DiffSpan>& spans) {
    std::string text;
    for (const DiffSpan& span : spans) {
        text += span.text;
    }
    return text;
}

void check_markup(std::string_view text) {
    const std::string markup = html_text(text);
    require(first_invalid_utf8(markup) == 0, "markup is UTF-8");
    require(markup.find_first_of("<>\"'") == std::string::npos, "text has no markup in it");
    require(script_json(text).find('<') == std::string::npos, "nothing in a script ends it");
    display_width(text);
    for (const std::size_t width : {1, 7, 40}) {
        require(text.empty() || !shortened(text, width).empty(), "a text that is shortened has a beginning");
    }
}

void run(std::string_view input) {
    const std::vector<std::string_view> sides = cut(input, 2);
    for (const std::string_view side : sides) {
        check_markup(side);
    }
    const WordDiff diff = compare_words(sides[0], sides[1]);
    require(joined(diff.left) == sides[0] && joined(diff.right) == sides[1], "the spans of a comparison are the texts");
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}
