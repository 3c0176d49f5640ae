#pragma once

#include <string>
#include <string_view>

#include "html/report.h"

namespace softalign {

// The files of assets/, embedded in the program at build time.
std::string_view report_css();
std::string_view report_js();

// Their SHA-256 in hexadecimal.
std::string_view report_css_sha256();
std::string_view report_js_sha256();

// An HTML document with `body` (HTML) and the embedded style sheet and script of assets/. Its content security policy
// allows only these two, by their hashes: no other script and no request, whatever else the page contains.
std::string html_page(std::string_view title, const std::string& body);

// The "sha256-..." source of a policy, from the digest in hexadecimal.
std::string policy_hash(std::string_view hexadecimal);

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
