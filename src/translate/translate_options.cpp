#include "translate/translate_options.h"

#include <string>

#include "base/error.h"
#include "config/rules.h"

namespace softalign {

namespace {

void require(bool condition, const std::string& what) {
    if (!condition) {
        throw Error(ExitCode::configuration, "translation options: " + what);
    }
}

}  // namespace

void check_options(const TranslateOptions& options, bool has_attention) {
    const std::string fault = fault_of(options.search);
    require(fault.empty(), fault);
    require(options.workers >= 1, "there must be at least 1 worker");
    require(!options.repair || !options.search.sampling, "what is drawn is not repaired");
    require(!options.replace_unk || has_attention, "only a model with attention can replace unknown pieces");
    require(options.search.coverage_penalty == 0.0 || has_attention,
            "the coverage penalty needs a model with attention");
}

}  // namespace softalign
