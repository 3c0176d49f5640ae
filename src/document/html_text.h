#pragma once

#include <string>
#include <vector>

#include "document/marked_text.h"
#include "document/text_range.h"

namespace softalign {

// Text of a document whose sentences belong together, such as a paragraph, a cell of a table or a heading.
struct HtmlText {
    TextRange range;  // of the document
    MarkedText text;  // with the inline tags that are opened and closed in it; comments and images are atoms
};

// Whether this program can read HTML.
bool reads_html();

// What is to be translated of an HTML document, or a part of one, in order. Left out are <script>, <style>, <pre>,
// <textarea> and others that hold no prose, and elements with translate="no" or of the class notranslate; <code>, <kbd>
// and <samp>, and such elements inside a sentence, are atoms of it. Throws Error(usage) unless reads_html(),
// Error(data) for a document with more than 5000 nested elements, or with so many that are not closed that it would
// take 400 times its size to read it. REQUIRES: UTF-8.
std::vector<HtmlText> html_texts(const std::string& html);

}  // namespace softalign
