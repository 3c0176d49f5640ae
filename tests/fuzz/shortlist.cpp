// A shortlist: what comes after its first lines, which name the vocabularies; or the whole file, where it begins as
// one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz.h"
#include "text/piece_list.h"
#include "translate/shortlist.h"

namespace softalign {

namespace {

void run(std::string_view input) {
    static const PieceList source({"<pad>", "<unk>", "<s>", "</s>", "a", "two words", "2", "back\\slash"});
    static const PieceList target({"<pad>", "<unk>", "<s>", "</s>", "x", "a", "2", "tab\tnewline\n", "cr\r"});
    static const std::string whole = shortlist_text({{{}, {}, {}, {}, {}, {}, {}, {}}, {3}}, source, target);
    static const std::string beginning = whole.substr(0, whole.find("always"));
    const bool complete = input.substr(0, 9) == "softalign";
    MemoryFile memory;
    const std::string& path = memory.hold(complete ? std::string(input) : beginning + std::string(input));
    std::string written;
    if (!accepts([&] { written = shortlist_text(read_shortlist(path, source, target), source, target); })) {
        return;
    }
    MemoryFile copy;
    require(shortlist_text(read_shortlist(copy.hold(written), source, target), source, target) == written,
            "what is written is read back");
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}
