#include "serve/requests.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "config/rules.h"
#include "config/schema.h"
#include "serve/json_tree.h"

namespace softalign {

namespace {

// Options of the search that a request may not set: what only files have, and what depends on other requests.
const std::vector<std::string> closed = {"batch_size", "shortlist", "sampling", "temperature",
                                         "top_k",      "top_p",     "seed"};

[[noreturn]] void refuse(const std::string& message, int status = 400) {
    throw RequestError(status, message);
}

// The bytes of the text of a request. A text counts with its line end, but for the last one.
class TextBytes {
public:
    explicit TextBytes(std::size_t most) : most_(most) {}

    void add(const std::string& text) {
        bytes_ += text.size() + 1;
        if (bytes_ > most_ + 1) {
            refuse("the text has more than " + std::to_string(most_) + " bytes, with all prefixes and phrases", 413);
        }
    }

private:
    const std::size_t most_;
    std::size_t bytes_ = 0;
};

// "%41" and "+" of forms.
std::string form_text(const std::string& text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string digits = text.substr(std::min(i + 1, text.size()), 2);
        if (text[i] == '%' && digits.size() == 2 &&
            digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
            decoded += static_cast<char>(std::stoi(digits, nullptr, 16));
            i += 2;
        } else {
            decoded += text[i] == '+' ? ' ' : text[i];
        }
    }
    return decoded;
}

JsonTree form(const std::string& body) {
    JsonTree tree;
    nlohmann::json& object = tree.root();
    object = nlohmann::json::object();
    for (std::size_t begin = 0; begin < body.size();) {
        const std::size_t end = std::min(body.find('&', begin), body.size());
        const std::string field = body.substr(begin, end - begin);
        begin = end + 1;
        if (field.empty()) {
            continue;
        }
        const std::size_t equals = std::min(field.find('='), field.size());
        const std::string value = form_text(field.substr(std::min(equals + 1, field.size())));
        if (first_invalid_utf8(value) != 0) {
            refuse("the form is not UTF-8");
        }
        const std::string name = form_text(field.substr(0, equals));
        if (first_invalid_utf8(name) != 0) {
            refuse("the form is not UTF-8");
        }
        if (object.contains(name)) {
            refuse("the form has " + name + " twice; send a list of texts as JSON");
        }
        object[name] = value;
    }
    return tree;
}

// REQUIRES: it is JSON.
JsonTree tree_of(const std::string& text) {
    constexpr int deepest = 8;  // deeper than any request, since a value is written by recursion
    try {
        return JsonTree(text, deepest);
    } catch (const std::length_error&) {
        refuse("the body is nested too deeply");
    }
}

JsonTree object_of(const HttpRequest& request) {
    const std::string type = lower_ascii(request.header("content-type"));
    // curl -d says that it sends a form, whatever it is.
    const std::size_t begin = request.body.find_first_not_of(" \t\r\n");
    const bool is_empty = begin == std::string::npos;
    if (starts_with(type, "application/x-www-form-urlencoded") && (is_empty || request.body[begin] != '{')) {
        return form(is_empty ? "" : request.body);
    }
    if (starts_with(type, "multipart/")) {
        refuse("multipart forms are not read; send application/json", 415);
    }
    try {
        JsonTree tree = tree_of(request.body);
        if (!tree.root().is_object()) {
            refuse("the body must be an object of JSON");
        }
        return tree;
    } catch (const nlohmann::json::exception&) {
        refuse("the body is not valid UTF-8 JSON");
    } catch (const std::invalid_argument&) {
        refuse("the body is not valid UTF-8 JSON");
    }
}

// Null where there is none.
const nlohmann::json* value_in(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_in(const nlohmann::json& object, const char* name, const std::string& otherwise = "") {
    const nlohmann::json* const value = value_in(object, name);
    if (value != nullptr && !value->is_string()) {
        refuse(std::string(name) + " must be a string");
    }
    return value == nullptr ? otherwise : value->get<std::string>();
}

std::vector<std::string> texts_in(const nlohmann::json& value, const std::string& name) {
    std::vector<std::string> texts;
    const auto add = [&](const nlohmann::json& text) {
        if (!text.is_string()) {
            refuse(name + " must be a string or a list of strings");
        }
        texts.push_back(text);
    };
    if (value.is_array()) {
        std::for_each(value.begin(), value.end(), add);
    } else {
        add(value);
    }
    return texts;
}

Markup markup_in(const nlohmann::json& object) {
    const std::string format = text_in(object, "format", "text");
    if (format != "text" && format != "html") {
        refuse("format must be text or html");
    }
    return format == "html" ? Markup::html : Markup::none;
}

bool flag_in(const nlohmann::json& object, const char* name) {
    const nlohmann::json* const flag = value_in(object, name);
    if (flag != nullptr && !flag->is_boolean()) {
        refuse(std::string(name) + " must be true or false");
    }
    return flag != nullptr && flag->get<bool>();
}

// A list of pairs of a term and its translation.
std::vector<std::pair<std::string, std::string>> glossary_in(const nlohmann::json& object) {
    std::vector<std::pair<std::string, std::string>> terms;
    const nlohmann::json* const list = value_in(object, "glossary");
    if (list == nullptr) {
        return terms;
    }
    if (!list->is_array()) {
        refuse("glossary must be a list of pairs of strings");
    }
    for (const nlohmann::json& pair : *list) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
            refuse("glossary must be a list of pairs of strings");
        }
        terms.emplace_back(pair[0], pair[1]);
    }
    return terms;
}

// A whole number, which forms spell.
std::size_t count_in(const nlohmann::json& object, const char* name, std::size_t most) {
    const nlohmann::json* const value = value_in(object, name);
    const std::string text = value == nullptr     ? "0"
                             : value->is_string() ? value->get<std::string>()
                                                  : json_text(*value);
    if (!is_digits(text) || text.size() > 9 || std::stoul(text) > most) {
        refuse(std::string(name) + " must be a whole number, 0 to " + std::to_string(most));
    }
    return std::stoul(text);
}

std::string one_line(std::string text, const std::string& name) {
    if (text.find_first_of("\r\n") != std::string::npos) {
        refuse(name + " must be one line");
    }
    return text;
}

Value value_of(const nlohmann::json& given, const Key& key) {
    const std::string name = name_of(key.path);
    switch (key.type) {
        case ValueType::boolean:
            if (given.is_boolean()) {
                return given.get<bool>();
            }
            refuse(name + " must be true or false");
        case ValueType::integer:
            // What does not fit is refused by the range of the key.
            if (given.is_number_integer() &&
                (!given.is_number_unsigned() || given.get<std::uint64_t>() < (1ULL << 62U))) {
                return given.get<std::int64_t>();
            }
            refuse(name + " must be a whole number");
        case ValueType::number:
            if (given.is_number()) {
                return given.get<double>();
            }
            refuse(name + " must be a number");
        default:
            if (given.is_string()) {
                const std::string choice = given;
                const auto& choices = key.allowed.choices;
                if (std::find(choices.begin(), choices.end(), choice) != choices.end()) {
                    return choice;
                }
            }
            refuse(name + " must be one of: " + join(key.allowed.choices));
    }
}

}  // namespace

std::string key_in_body(const HttpRequest& request) {
    try {
        return text_in(object_of(request).root(), "api_key");
    } catch (const RequestError&) {
        return "";
    }
}

LibreRequest libre_request(const HttpRequest& request, std::size_t most_bytes) {
    const JsonTree tree = object_of(request);
    const nlohmann::json& object = tree.root();
    LibreRequest result;
    if (!object.contains("q")) {
        refuse("Invalid request: missing q parameter");
    }
    TextBytes bytes(most_bytes);
    for (std::string& text : texts_in(object["q"], "q")) {
        bytes.add(text);
        result.texts.push_back({std::move(text), "", {}});
    }
    result.is_list = object["q"].is_array();
    result.source = text_in(object, "source");
    result.target = text_in(object, "target");
    if (result.source.empty() || result.target.empty()) {
        refuse(std::string("Invalid request: missing ") + (result.source.empty() ? "source" : "target") + " parameter");
    }
    if (result.source == "auto") {
        result.source.clear();
    }
    result.markup = markup_in(object);
    constexpr std::size_t most_alternatives = 20;
    result.alternatives = count_in(object, "alternatives", most_alternatives);
    return result;
}

OwnRequest own_request(const HttpRequest& request, std::size_t most_bytes) {
    const JsonTree tree = object_of(request);
    const nlohmann::json& object = tree.root();
    for (const auto& [name, value] : object.items()) {
        const std::vector<std::string> names = {"text",      "source", "target", "prefix",     "phrases",  "options",
                                                "attention", "split",  "format", "keep_spans", "glossary", "repair"};
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            refuse("there is no member " + name +
                   "; there are text, source, target, prefix, phrases, options, attention, split, format, keep_spans, "
                   "glossary and repair");
        }
    }
    OwnRequest result;
    result.source = text_in(object, "source");
    result.target = text_in(object, "target");
    if (value_in(object, "text") == nullptr) {
        refuse("text is missing: a sentence, or a list of them");
    }
    result.markup = markup_in(object);
    result.split = flag_in(object, "split") || result.markup == Markup::html;
    if (value_in(object, "keep_spans") != nullptr) {
        result.keep_spans = flag_in(object, "keep_spans");
    }
    result.glossary = glossary_in(object);
    const nlohmann::json* const prefix = value_in(object, "prefix");
    const nlohmann::json* const phrases = value_in(object, "phrases");
    const bool has_prefix = prefix != nullptr && !prefix->empty() && *prefix != "";
    if (result.split && (has_prefix || (phrases != nullptr && !phrases->empty()))) {
        refuse("prefix and phrases are for single sentences, without split or html");
    }
    TextBytes bytes(most_bytes);
    for (std::string& text : texts_in(object["text"], "text")) {
        bytes.add(text);
        result.sentences.push_back({result.split ? std::move(text) : one_line(std::move(text), "a sentence"), "", {}});
    }
    const bool is_list = prefix != nullptr && prefix->is_array();
    const std::vector<std::string> prefixes =
        prefix == nullptr ? std::vector<std::string>(1) : texts_in(*prefix, "prefix");
    const bool nested = phrases != nullptr && phrases->is_array() && !phrases->empty() && phrases->front().is_array();
    if (is_list && prefixes.size() != result.sentences.size()) {
        refuse("there must be as many prefixes as sentences");
    }
    if (nested && phrases->size() != result.sentences.size()) {
        refuse("there must be as many lists of phrases as sentences");
    }
    for (std::size_t i = 0; i < result.sentences.size(); ++i) {
        result.sentences[i].prefix = one_line(prefixes[is_list ? i : 0], "a prefix");
        if (!result.sentences[i].prefix.empty()) {
            bytes.add(result.sentences[i].prefix);
        }
        for (std::string& phrase :
             phrases == nullptr ? std::vector<std::string>() : texts_in(nested ? (*phrases)[i] : *phrases, "phrases")) {
            bytes.add(phrase);
            result.sentences[i].phrases.push_back(one_line(std::move(phrase), "a phrase"));
        }
    }
    const nlohmann::json* const options = value_in(object, "options");
    if (options != nullptr && !options->is_object()) {
        refuse("options must be an object");
    }
    result.options = options == nullptr ? "{}" : json_text(*options);
    result.attention = flag_in(object, "attention");
    result.repair = flag_in(object, "repair");
    return result;
}

SearchConfig search_of(const SearchConfig& defaults, const std::string& options) {
    Config whole;
    whole.search = defaults;
    const JsonTree given = tree_of(options);
    for (const auto& [name, value] : given.root().items()) {
        const std::string path = join_path("search", name);
        const Key* key = find_key(path);
        key = key != nullptr ? key : find_request_key(path);
        if (key == nullptr || std::find(closed.begin(), closed.end(), name) != closed.end()) {
            refuse("options: there is no option " + name);
        }
        if (!value.is_null()) {
            key->set(whole, value_of(value, *key));
        }
    }
    if (const std::string fault = fault_of(whole.search); !fault.empty()) {
        refuse("options: " + fault);
    }
    return whole.search;
}

}  // namespace softalign
