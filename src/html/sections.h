#pragma once

#include <string>

#include "html/report.h"

namespace softalign {

// The parts of a report, each a <section> with its id or an empty string if there is nothing to show.

std::string head_section(const Report& report);        // #summary: the figures of the run, or a table of the runs
std::string training_section(const Report& report);    // #training
std::string length_section(const Report& report);      // #lengths: BLEU and the entropy of alignments by length
std::string sentences_section(const Report& report);   // #sentences
std::string vocabulary_section(const Report& report);  // #vocabulary
std::string config_section(const Report& report);      // #configuration

// "<section ...><h2>title</h2>content</section>".
std::string section(const std::string& id, const std::string& title, const std::string& content);

}  // namespace softalign
