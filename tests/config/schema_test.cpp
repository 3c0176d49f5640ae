#include "config/schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/helpers.h"

namespace softalign {

namespace {

// What else must be set where the value of one key alone breaks a rule.
Overrides companions(const std::string& path, const std::string& value) {
    static const std::map<std::string, Overrides> by_key = {
        {"data.train_source", {"data.train_target=[t1, t2]", "training.max_epochs=1"}},
        {"data.train_target", {"data.train_source=[s1, s2]", "training.max_epochs=1"}},
        {"data.alignments", {"data.train_source=[s1, s2]", "data.train_target=[t1, t2]", "training.max_epochs=1"}},
        {"data.valid_source", {"data.valid_target=t"}},
        {"data.valid_target", {"data.valid_source=s"}},
        {"vocabulary.target_size", {"vocabulary.joint=false"}},
        {"vocabulary.target_model", {"vocabulary.source_model=m", "vocabulary.joint=false"}},
        {"model.source.size", {"data.source_type=features"}},
        {"model.source.join_rows", {"data.source_type=features"}},
        {"model.source.convolutions.channels", {"data.source_type=features"}},
        {"model.decoder.readout_state", {"model.decoder.attend=before"}},
        {"model.encoder.residual", {"model.encoder.layers=2"}},
        {"model.decoder.residual", {"model.decoder.layers=2"}},
        {"model.encoder.alternating", {"model.encoder.layers=2"}},
        {"model.decoder.layer_norm", {"model.layer_norm=true"}},
        {"model.decoder.deep_context", {"model.decoder.layers=2"}},
        {"training.shards", {"training.batch_size=100000"}},
        {"training.batch_size", {"training.shards=1"}},
        {"training.r_drop", {"model.dropout.output=0.1"}},
        {"vocabulary.from_start_model", {"training.start_from=m"}},
        {"training.optimizer.weight_decay", {"training.optimizer.type=adamw"}},
        {"training.optimizer.momentum", {"training.optimizer.type=sgd"}},
        {"training.schedule.min_learning_rate", {"training.optimizer.learning_rate=1e6"}},
        {"search.min_length_ratio", {"search.max_length_ratio=100"}},
        {"checkpoints.average", {"checkpoints.keep_best=1000"}},
        {"validation.translate", {"validation.metric=perplexity"}},
    };
    if (value == "\"\"") {
        return {};
    }
    if (path == "data.weights" || path == "data.tags") {
        const auto files = std::count(value.begin(), value.end(), ',') + 1;
        const std::string list = files == 1 ? "[a]" : files == 2 ? "[a, b]" : "[a, b, c]";
        return {"data.train_source=" + list, "data.train_target=" + list, "training.max_epochs=1"};
    }
    if (path == "model.attention.type" && value == "dot") {
        return {"model.decoder.hidden_size=1024"};
    }
    if (path == "model.attention.coverage" || path == "model.attention.heads" || path == "model.attention.groups") {
        return {"model.attention.type=additive"};
    }
    if (path == "model.attention.type" && value == "none") {
        return {"model.decoder.attend=before"};
    }
    if (path == "model.decoder.attend" && value == "never") {
        return {"model.attention.type=none"};
    }
    if (path == "model.decoder.readout" && value == "none") {
        return {"model.decoder.attend=never", "model.attention.type=none"};
    }
    if (path == "model.decoder.initial_state" && value == "copy") {
        return {"model.encoder.bidirectional=false"};
    }
    if (path == "training.scheduled_sampling.decay" && value == "linear") {
        return {"training.scheduled_sampling.slope=0.001"};
    }
    if (path == "training.scheduled_sampling.decay" && value == "exponential") {
        return {"training.scheduled_sampling.k=0.5"};
    }
    if (path == "training.scheduled_sampling.decay" && value == "inverse_sigmoid") {
        return {"training.scheduled_sampling.k=100"};
    }
    if (path == "training.schedule.type" && value == "inverse_sqrt") {
        return {"training.schedule.warmup=10"};
    }
    if (path == "training.schedule.type" && value == "cosine") {
        return {"training.schedule.updates=10"};
    }
    const auto found = by_key.find(path);
    return found == by_key.end() ? Overrides() : found->second;
}

// Every value of a key that is worth a try and allowed, as YAML: the ends of its range, each of its choices.
std::vector<std::string> good_values(const Key& key) {
    const Allowed& allowed = key.allowed;
    std::vector<double> numbers;
    if (allowed.special) {
        numbers.push_back(*allowed.special);
    }
    switch (key.type) {
        case ValueType::boolean:
            return {"true", "false"};
        case ValueType::choice:
            return allowed.choices;
        case ValueType::text:
            return {"\"tcp://host:29500\"", "\"eth0\"", "\"\""};
        case ValueType::texts:
            return {"[\"encoder\", \"*.bias\"]", "[\"\"]"};
        case ValueType::path:
            return {"somewhere/file", "\"\""};
        case ValueType::paths:
            return {"[one, /two]"};
        case ValueType::unsigned_integer:
            return {"0", "7", "18446744073709551615"};
        case ValueType::integers:
            return {"[3]", "[" + format_value(static_cast<std::int64_t>(allowed.minimum), ValueType::integer) + ", " +
                               format_value(static_cast<std::int64_t>(allowed.maximum), ValueType::integer) + "]"};
        case ValueType::numbers:
            return {"[0.5]", "[" + format_number(allowed.maximum) + ", 1.0, 0.25]"};
        case ValueType::integer:
            numbers.insert(numbers.end(), {allowed.minimum, allowed.minimum + 1});
            numbers.push_back(std::isfinite(allowed.maximum) ? allowed.maximum : 123456789.0);
            break;
        case ValueType::number:
            numbers.push_back(allowed.above_minimum ? std::nextafter(allowed.minimum, 1e9) : allowed.minimum);
            numbers.push_back(allowed.maximum <= 1 ? 0.99 : 1.0 / 3 + allowed.minimum);
            if (std::isfinite(allowed.maximum)) {
                numbers.push_back(allowed.below_maximum ? std::nextafter(allowed.maximum, -1.0) : allowed.maximum);
            }
    }
    std::vector<std::string> values;
    values.reserve(numbers.size());
    for (const double number : numbers) {
        values.push_back(key.type == ValueType::integer ? std::to_string(static_cast<std::int64_t>(number))
                                                        : format_number(number));
    }
    return values;
}

// What multiplies weights or gradients does so in float32: none of it may be infinite there, nor a divisor 0.
TEST(Schema, NumbersOfTheArithmeticFitFloat32) {
    for (const Key& key : schema()) {
        const bool arithmetic = key.path.rfind("model.", 0) == 0 || key.path.rfind("training.", 0) == 0;
        const bool in_double = key.path == "training.max_minutes" || key.path == "training.clip_norm";
        if (key.type == ValueType::number && arithmetic && !in_double) {
            EXPECT_LE(key.allowed.maximum, 1e6) << key.path;
        }
    }
    EXPECT_GE(static_cast<float>(find_key("training.optimizer.epsilon")->allowed.minimum),
              std::numeric_limits<float>::min());
}

std::vector<std::string> values_out_of_range(const Key& key) {
    const Allowed& allowed = key.allowed;
    if (key.type == ValueType::unsigned_integer) {
        return {"-1", "18446744073709551616"};
    }
    if (key.type == ValueType::integer || key.type == ValueType::integers) {
        std::vector<std::string> values = {"-9223372036854775808", "9223372036854775808"};
        const double low = allowed.minimum - (allowed.special && *allowed.special == allowed.minimum - 1 ? 2 : 1);
        values.push_back(std::to_string(static_cast<std::int64_t>(low)));
        if (std::isfinite(allowed.maximum)) {
            values.push_back(std::to_string(static_cast<std::int64_t>(allowed.maximum) + 1));
        }
        return values;
    }
    if (key.type == ValueType::number || key.type == ValueType::numbers) {
        std::vector<std::string> values = {"-100.5", "1e999", "nan", "inf"};
        values.push_back(
            format_number(allowed.above_minimum ? allowed.minimum : std::nextafter(allowed.minimum, -1e9)));
        if (std::isfinite(allowed.maximum)) {
            values.push_back(
                format_number(allowed.below_maximum ? allowed.maximum : std::nextafter(allowed.maximum, 1e9)));
        }
        return values;
    }
    return {};
}

std::vector<std::string> values_of_wrong_type(const Key& key) {
    switch (key.type) {
        case ValueType::boolean:
            return {"yes", "1", "\"true\"", "[true]", "{a: true}"};
        case ValueType::integer:
        case ValueType::unsigned_integer:
            return {"many", "2.5", "1e3", "\"8\"", "true", "[8]", "{a: 8}", "8 9", "0x10"};
        case ValueType::integers:
            return {"many", "2.5", "\"8\"", "true", "{a: 8}"};
        case ValueType::number:
            return {"many", "\"0.5\"", "true", "[0.5]", "{a: 0.5}", "0,5"};
        case ValueType::numbers:
            return {"many", "\"0.5\"", "true", "{a: 0.5}", "0,5"};
        case ValueType::choice:
        case ValueType::text:
        case ValueType::path:
            return {"[x]", "{a: x}"};
        case ValueType::texts:
        case ValueType::paths:
            return {"{a: x}"};
    }
    return {};
}

TEST(EveryKey, IsReadAndWrittenBackUnchanged) {
    for (const Key& key : schema()) {
        SCOPED_TRACE(key.path);
        std::set<std::string> seen;
        for (const std::string& value : good_values(key)) {
            SCOPED_TRACE(key.path + ": " + value);
            const Config config = parse(yaml_for(key.path, value), companions(key.path, value));
            const std::string read = format_value(key.get(config), key.type);
            seen.insert(read);
            if (key.type == ValueType::path && value != "\"\"") {
                EXPECT_EQ(read, "\"/base/somewhere/file\"");
            } else if (key.type == ValueType::paths) {
                EXPECT_EQ(read, "[\"/base/one\", \"/two\"]");
            } else {
                EXPECT_EQ(read, value);
            }
            expect_same_config(parse_config(to_yaml(config), "written", "/elsewhere", {}), config);
        }
        seen.erase(format_value(key.get(Config{}), key.type));
        EXPECT_FALSE(seen.empty()) << key.path << " was never other than its default";
    }
}

TEST(EveryKey, IsSetByAnOverride) {
    for (const Key& key : schema()) {
        SCOPED_TRACE(key.path);
        for (const std::string& value : good_values(key)) {
            SCOPED_TRACE(key.path + "=" + value);
            Overrides overrides = companions(key.path, value);
            const Config from_file = parse(yaml_for(key.path, value), overrides);
            overrides.push_back(key.path + "=" + value);
            const Config from_override = parse_config("model:\n", "config.yaml", "/base", overrides);
            if (key.type != ValueType::path && key.type != ValueType::paths) {
                expect_same_value(key, from_override, from_file);
            } else {
                EXPECT_EQ(format_value(key.get(from_override), key.type).find("/base"), std::string::npos);
            }
        }
    }
}

TEST(EveryKey, RefusesTheWrongTypeWithItsPlace) {
    for (const Key& key : schema()) {
        SCOPED_TRACE(key.path);
        for (const std::string& value : values_of_wrong_type(key)) {
            SCOPED_TRACE(value);
            const std::string message = refusal(yaml_for(key.path, value));
            EXPECT_EQ(message.find(place_in_yaml_for(key.path) + ": " + key.path + ": expected "), 0U) << message;
            expect_contains(message, expected_text(key));
            expect_contains(message, ", found ");
        }
    }
}

TEST(EveryKey, RefusesWhatIsOutOfRangeWithItsPlace) {
    for (const Key& key : schema()) {
        SCOPED_TRACE(key.path);
        for (const std::string& value : values_out_of_range(key)) {
            SCOPED_TRACE(value);
            const std::string message = refusal(yaml_for(key.path, value));
            EXPECT_EQ(message, place_in_yaml_for(key.path) + ": " + key.path + ": " + value +
                                   " is not allowed; expected " + expected_text(key));
        }
    }
}

// Sizes are multiplied with each other: what no machine can hold must not get as far as that.
TEST(EveryKey, OfIntegersHasALimitThatHolds) {
    for (const Key& key : schema()) {
        if (key.type != ValueType::integer) {
            continue;
        }
        SCOPED_TRACE(key.path);
        ASSERT_LE(key.allowed.maximum, 1e12);
        const auto maximum = static_cast<std::int64_t>(key.allowed.maximum);
        const std::string text = std::to_string(maximum);
        const Config config = parse(yaml_for(key.path, text), companions(key.path, text));
        EXPECT_EQ(std::get<std::int64_t>(key.get(config)), maximum);
        for (const std::string& above :
             {std::to_string(maximum + 1), std::string("288230376151711744"), std::string("9223372036854775808")}) {
            const std::string message = refusal(yaml_for(key.path, above));
            EXPECT_EQ(message.find(place_in_yaml_for(key.path) + ": " + key.path), 0U) << message;
            expect_contains(message, above + " is not allowed; expected an integer, ");
            expect_contains(message, " to " + text);
        }
    }
}

TEST(EveryKey, RefusesAnUnknownChoiceAndNamesTheOthers) {
    for (const Key& key : schema()) {
        SCOPED_TRACE(key.path);
        if (key.type == ValueType::choice) {
            const std::string message = refusal(yaml_for(key.path, "quux"));
            EXPECT_EQ(message.find(place_in_yaml_for(key.path) + ": " + key.path + ": unknown choice quux; "), 0U);
            for (const std::string& choice : key.allowed.choices) {
                expect_contains(message, choice);
            }
        }
    }
}

TEST(EveryKey, RefusesNoValueUnlessThatMeansNoFile) {
    for (const Key& key : schema()) {
        SCOPED_TRACE(key.path);
        if (holds_text(key.type)) {
            expect_same_value(key, parse(yaml_for(key.path, "")), Config{});
        } else {
            expect_contains(refusal(yaml_for(key.path, "")), key.path + ": no value; expected " + expected_text(key));
        }
    }
}

TEST(EveryKey, HasADefaultThatIsAllowed) {
    for (const Key& key : schema()) {
        SCOPED_TRACE(key.path);
        expect_same_config(parse(yaml_for(key.path, format_value(key.get(Config{}), key.type))), Config{});
    }
}

TEST(EveryKey, IsSuggestedWhenMisspelt) {
    for (const Key& key : schema()) {
        SCOPED_TRACE(key.path);
        std::string misspelt = key.path;
        const std::size_t start = misspelt.size() - name_of(misspelt).size();
        std::swap(misspelt[start], misspelt[start + 1]);
        if (name_of(key.path).size() < 3) {
            continue;
        }
        expect_contains(refusal(yaml_for(misspelt, "1")),
                        "unknown key " + misspelt + "; did you mean " + key.path + "?");
    }
}

TEST(Schema, PathsAreDistinctAndInSections) {
    std::set<std::string> paths;
    for (const Key& key : schema()) {
        EXPECT_TRUE(paths.insert(key.path).second) << key.path;
        EXPECT_TRUE(is_section(section_of(key.path))) << key.path;
        EXPECT_FALSE(section_of(key.path).empty()) << key.path;
        EXPECT_FALSE(key.meaning.empty()) << key.path;
        EXPECT_EQ(find_key(key.path), &key);
    }
    for (const Section& section : sections()) {
        EXPECT_TRUE(paths.insert(section.path).second) << section.path;
    }
}

TEST(Schema, SettingAKeyLeavesTheOthersAlone) {
    for (const Key& key : schema()) {
        Config config;
        if (key.type == ValueType::boolean) {
            key.set(config, !std::get<bool>(key.get(config)));
        } else if (key.type == ValueType::number) {
            key.set(config, 0.123);
        } else {
            continue;
        }
        for (const Key& other : schema()) {
            if (other.path != key.path) {
                expect_same_value(other, config, Config{});
            }
        }
    }
}

}  // namespace

}  // namespace softalign
