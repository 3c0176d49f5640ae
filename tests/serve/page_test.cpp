#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "base/has.h"
#include "serve/assets.h"

namespace softalign {
namespace {

TEST(Page, TakesNothingFromElsewhere) {
    for (const std::string& text :
         {std::string(serve_page_html()), std::string(serve_page_css()), std::string(serve_page_js())}) {
        EXPECT_FALSE(has(text, "://") || has(text, "@import") || has(text, "innerHTML"));
    }
    EXPECT_FALSE(std::regex_search(std::string(serve_page_html()), std::regex("style=|<style|onclick|<script>")));
}

TEST(Page, HasWhatItsScriptLooksFor) {
    const std::string html(serve_page_html());
    const std::string script(serve_page_js());
    const std::regex wanted("by\\(\"([^\"]+)\"\\)");
    int found = 0;
    for (std::sregex_iterator it(script.begin(), script.end(), wanted); it != std::sregex_iterator(); ++it, ++found) {
        EXPECT_TRUE(has(html, "id=\"" + (*it)[1].str() + "\"")) << (*it)[1];
    }
    EXPECT_GT(found, 20);
}

TEST(OpenApi, IsJsonAndNamesThePaths) {
    const auto json = nlohmann::json::parse(serve_openapi());
    for (const char* path : {"/translate", "/languages", "/v1/translate", "/v1/models", "/health", "/metrics"}) {
        EXPECT_TRUE(json["paths"].contains(path)) << path;
    }
}

}  // namespace
}  // namespace softalign
