#pragma once

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace softalign {

// Checks what HTML demands of a page's elements: that they nest, lists and tables contain what they may, headings skip
// no level, and ids differ.
class StructureCheck {
public:
    void open(const std::string& name, const std::string& attributes, bool closes_itself) {
        static const std::map<std::string, std::set<std::string>> children = {
            {"dl", {"dt", "dd", "div"}},
            {"ul", {"li"}},
            {"table", {"thead", "tbody"}},
            {"thead", {"tr"}},
            {"tbody", {"tr"}},
            {"tr", {"th", "td"}},
            {"in dl: div", {"dt", "dd"}},
            {"p", {"a", "b", "bdi", "code", "del", "i", "ins", "small", "span", "svg"}},
        };
        const std::string parent = open_.empty() ? "" : open_.back();
        const std::string place = parent == "div" && grandparent() == "dl" ? "in dl: div" : parent;
        const auto allowed = children.find(place);
        const bool in_list = place == "dl" || place == "in dl: div";
        if ((allowed != children.end() && allowed->second.count(name) == 0) ||
            ((name == "dt" || name == "dd") && !in_list)) {
            faults_.push_back(name + " in " + place);
        }
        check_heading(name);
        check_id(attributes);
        static const std::set<std::string> empty = {"meta", "wbr", "br"};
        if (!closes_itself && empty.count(name) == 0) {
            open_.push_back(name);
        }
    }

    void close(const std::string& name) {
        const std::string last = open_.empty() ? "" : open_.back();
        if (last != name) {
            faults_.push_back("</" + name + "> in " + last);
        }
        if (!open_.empty()) {
            open_.pop_back();
        }
    }

    std::vector<std::string> faults() const {
        std::vector<std::string> result = faults_;
        for (const std::string& name : open_) {
            result.push_back(name + " is not closed");
        }
        return result;
    }

private:
    std::string grandparent() const { return open_.size() < 2 ? "" : open_[open_.size() - 2]; }

    void check_heading(const std::string& name) {
        if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6') {
            if (name[1] > heading_ + 1) {
                faults_.push_back(name + " after h" + std::string(1, heading_));
            }
            heading_ = name[1];
        }
    }

    void check_id(const std::string& attributes) {
        std::smatch id;
        if (std::regex_search(attributes, id, std::regex("\\bid=\"([^\"]*)\"")) && !ids_.insert(id[1]).second) {
            faults_.push_back("two have the id " + id[1].str());
        }
    }

    std::vector<std::string> open_;
    std::vector<std::string> faults_;
    std::set<std::string> ids_;
    char heading_ = '0';
};

// What is wrong with the elements of a page; the style sheet and scripts are not looked into.
inline std::vector<std::string> structure_faults(const std::string& page) {
    static const std::regex tag("<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\\s+[a-zA-Z:-]+(?:=\"[^\"]*\")?)*)\\s*(/?)>");
    StructureCheck check;
    std::string raw;  // the element that holds no elements
    for (std::sregex_iterator at(page.begin(), page.end(), tag), end; at != end; ++at) {
        const std::string name = (*at)[2];
        const bool closes = (*at)[1].length() > 0;
        if (!raw.empty() && !(closes && name == raw)) {
            continue;
        }
        raw = !closes && (name == "script" || name == "style") ? name : "";
        if (closes) {
            check.close(name);
        } else {
            check.open(name, (*at)[3], (*at)[4].length() > 0);
        }
    }
    return check.faults();
}

}  // namespace softalign
