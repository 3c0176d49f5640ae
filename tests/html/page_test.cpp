#include "html/page.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace softalign {
namespace {

std::string file(const std::string& name) {
    std::ifstream stream(std::string(SOFTALIGN_SOURCE_DIR) + "/src/html/assets/" + name, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

TEST(Assets, AreTheFilesOfTheSourceTree) {
    EXPECT_EQ(report_css(), file("report.css"));
    EXPECT_EQ(report_js(), file("report.js"));
    EXPECT_FALSE(report_js().empty());
}

TEST(Assets, CannotEndTheirElements) {
    EXPECT_EQ(report_css().find("</"), std::string::npos);
    EXPECT_EQ(report_js().find("</script"), std::string::npos);
    EXPECT_EQ(report_js().find("<!--"), std::string::npos);
    EXPECT_EQ(report_js().find("innerHTML"), std::string::npos);
}

TEST(PolicyHash, IsBase64OfTheDigest) {
    // SHA-256 of nothing, and of "abc" (FIPS 180-2).
    EXPECT_EQ(policy_hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
              "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    EXPECT_EQ(policy_hash("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
              "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(Page, NeedsNothingFromOutside) {
    const std::string page = html_page("a <title>", "<p>body</p>\n");
    EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
    EXPECT_NE(page.find("<title>a &lt;title&gt;</title>"), std::string::npos);
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    EXPECT_NE(page.find("script-src '" + policy_hash(report_js_sha256()) + "'"), std::string::npos);
    for (const char* outside : {"src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    }
}

}  // namespace
}  // namespace softalign
