#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/has.h"
#include "html/sentence_views.h"

namespace softalign {
namespace {

std::size_t occurrences_of(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

AttentionPicture two_by_three() {
    AttentionPicture picture;
    picture.target = {"one", "</s>"};
    picture.grid = {2, 3};
    picture.weights = {{0.5F, 0, 0, 0, 0, 0.25F}, {0, 0, 0, 0, 1, 0}};
    return picture;
}

TEST(GridMaps, HaveAMapForEachPieceWithItsGreatestWeightOpaque) {
    const std::string html = grid_maps_html(two_by_three(), "A");
    EXPECT_EQ(occurrences_of(html, "<figure>"), 2U);
    EXPECT_EQ(occurrences_of(html, "viewBox=\"0 0 3 2\""), 2U);
    EXPECT_TRUE(has(html, "<rect x=\"0\" y=\"0\" width=\"1\" height=\"1\" opacity=\"1.00\"/>"));
    EXPECT_TRUE(has(html, "<rect x=\"2\" y=\"1\" width=\"1\" height=\"1\" opacity=\"0.50\"/>"));
    EXPECT_TRUE(has(html, "<rect x=\"1\" y=\"1\" width=\"1\" height=\"1\" opacity=\"1.00\"/>"));
    EXPECT_EQ(occurrences_of(html, "opacity=\""), 3U);  // what has no weight is left out
    EXPECT_TRUE(has(html, "<figcaption>&lt;/s&gt;</figcaption>"));
}

// The grid of the annotations may be coarser than the picture.
TEST(GridMaps, StretchOverThePicture) {
    AttentionPicture picture = two_by_three();
    picture.image = {{4, 6}, 1, std::vector<float>(24, 1.0F)};
    picture.image.values[0] = 0.0F;
    const std::string html = grid_maps_html(picture, "A");
    EXPECT_EQ(occurrences_of(html, "viewBox=\"0 0 6 4\""), 2U);
    EXPECT_TRUE(has(html, "<rect x=\"4\" y=\"2\" width=\"2\" height=\"2\" opacity=\"0.50\"/>"));
    EXPECT_EQ(occurrences_of(html, "<path fill=\"#000000\" d=\"M0 0h1v1h-1z\"/>"), 1U);
    EXPECT_EQ(occurrences_of(html, "<use href=\"#picture-"), 2U);
    EXPECT_TRUE(has(html, "<path fill=\"#ffffff\" d=\"M1 0h5v1h-5zM0 1h6v1h-6z"));
    picture.image = {{1, 1}, 3, {1.0F, 0.0F, 0.0F}};
    EXPECT_TRUE(has(grid_maps_html(picture, "A"), "<path fill=\"#ff0000\""));
}

TEST(GridMaps, NamesAreEscapedAndWeightsThatAreNoneCountAsZero) {
    const std::string evil = "\"><script>alert(1)</script>";
    AttentionPicture picture = two_by_three();
    picture.target[0] = evil;
    picture.weights[0] = std::vector<float>(6, std::numeric_limits<float>::quiet_NaN());
    const std::string html = grid_maps_html(picture, evil);
    EXPECT_FALSE(has(html, "<script"));
    EXPECT_EQ(occurrences_of(html, " opacity=\""), 1U);
}

}  // namespace
}  // namespace softalign
