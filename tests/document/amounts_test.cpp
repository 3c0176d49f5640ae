#include "document/amounts.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace softalign {
namespace {

using Texts = std::vector<std::string>;

Texts amounts(const std::string& text) {
    Texts found;
    for (const TextRange& range : amounts_of(text)) {
        found.emplace_back(range.of(text));
    }
    return found;
}

TEST(Amounts, AreNumbersWithTheirSigns) {
    EXPECT_EQ(amounts("-€3, €-3.50 ($5M) 20°C 3,5€ -5% #7 5 € €10\u00A0000 $5-7 5$ (+€5k) 5M€ §5 €1 €\u22123"),
              (Texts{"-€3", "€-3.50", "$5M", "20°C", "3,5€", "-5%", "#7", "€10\u00A0000", "$5-7", "5$", "+€5k", "5M€",
                     "§5", "€1", "€\u22123"}));
    EXPECT_EQ(amounts("--€3 3€€ a -€6 b\u00A0-7€ \"(€8).\""), (Texts{"€3", "3€€", "-€6", "-7€", "€8"}));
    EXPECT_EQ(amounts("“-€3.50” `-€4` *-€5* {-€6}"), (Texts{"-€3.50", "-€4", "-€5", "-€6"}));
    EXPECT_EQ(amounts("a \"-€5 =-€6 |-€7"), (Texts{"-€5", "-€6", "-€7"}));
}

TEST(Amounts, AreWholeWords) {
    EXPECT_EQ(amounts("，5€的价 €500です，20°C左右 €5ที่"), (Texts{"5€", "€500", "20°C", "€5"}));
    EXPECT_EQ(amounts("US$5 ₹500का USB3.0™ v2.0% x1.5€ 5€uromark 1$1 4€5 x-€3"), Texts());
    EXPECT_EQ(amounts("10€-20€ €5–€10 5€/h 5€&6€ €5\\nand 30€-voucher 20°C/68°F"), Texts());
}

TEST(Amounts, PartsHaveTheSignInFrontOfThem) {
    const auto with = [](const std::string& text, const std::string& part) {
        const std::size_t begin = text.find(part);
        return std::string(with_sign(text, {begin, begin + part.size()}).of(text));
    };
    EXPECT_EQ(with("-5°C–5°C", "5°C–5°C"), "-5°C–5°C");
    EXPECT_EQ(with("at (\u22125x)", "5x"), "\u22125x");
    EXPECT_EQ(with("a-5x", "5x"), "5x");
    EXPECT_EQ(with("5x", "5x"), "5x");
}

}  // namespace
}  // namespace softalign
