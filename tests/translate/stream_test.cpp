#include "translate/stream.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "text/fixtures.h"
#include "toy_translator.h"

namespace softalign {
namespace {

struct StreamResult {
    std::vector<std::string> texts;
    std::vector<std::size_t> chunks;  // their sizes
};

// Translates what the queue gives; `written` is told how many sentences have been written after each chunk, and `texts`
// gets them even if there is a failure.
StreamResult stream(
    const ToyTranslator& toy, RequestQueue& queue, StreamOptions options,
    const std::function<void(std::size_t)>& written = [](std::size_t) {}, std::vector<std::string>* texts = nullptr) {
    BatchTranslator translator(*toy.model, toy.source, toy.target, toy.options);
    StreamResult result;
    std::size_t before = 0;
    options.after_chunk = [&] {
        result.chunks.push_back(result.texts.size() - before);
        before = result.texts.size();
        written(before);
    };
    translate_stream(
        translator, queue,
        [&](std::int64_t index, const std::vector<Translation>& translations) {
            EXPECT_EQ(index, static_cast<std::int64_t>(result.texts.size()));
            result.texts.push_back(translations.front().text);
            if (texts != nullptr) {
                texts->push_back(translations.front().text);
            }
        },
        options);
    EXPECT_EQ(translator.sentences(), static_cast<std::int64_t>(result.texts.size()));
    return result;
}

void push_all(RequestQueue& queue, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
        queue.push({sentence, "", {}});
    }
}

TEST(TranslateStream, GivesWhatOneCallGives) {
    const ToyTranslator toy;
    const std::vector<std::string> sentences = random_sentences(23, 6);
    const auto expected = toy.translate(sentences);
    for (const std::int64_t chunk : {1, 5, 23, 24, 1000}) {
        for (const bool full_chunks : {true, false}) {
            RequestQueue queue(1000);
            push_all(queue, sentences);
            queue.close();
            const StreamResult result = stream(toy, queue, {chunk, full_chunks});
            ASSERT_EQ(result.texts.size(), sentences.size());
            for (std::size_t i = 0; i < sentences.size(); ++i) {
                EXPECT_EQ(result.texts[i], expected[i].front().text);
            }
        }
    }
}

TEST(TranslateStream, GathersFullChunks) {
    RequestQueue queue(100);
    push_all(queue, random_sentences(7, 6));
    queue.close();
    EXPECT_EQ(stream(ToyTranslator(), queue, {3, true}).chunks, (std::vector<std::size_t>{3, 3, 1}));
}

// All on one thread: if more lines were waited for than are there, this would not end.
TEST(TranslateStream, OrTakesWhatIsThere) {
    RequestQueue queue(100);
    push_all(queue, random_sentences(2, 6));
    const StreamResult result = stream(ToyTranslator(), queue, {4, false}, [&](std::size_t written) {
        if (written == 2) {
            push_all(queue, random_sentences(1, 7));
        } else if (written == 3) {
            push_all(queue, random_sentences(6, 8));
        } else if (written == 9) {
            queue.close();
        }
    });
    EXPECT_EQ(result.chunks, (std::vector<std::size_t>{2, 1, 4, 2}));
}

TEST(TranslateStream, WritesWhatComesBeforeAFailure) {
    for (const bool full_chunks : {true, false}) {
        RequestQueue queue(100);
        push_all(queue, random_sentences(5, 6));
        queue.close(std::make_exception_ptr(std::runtime_error("line 6")));
        std::size_t written = 0;
        EXPECT_THROW(stream(ToyTranslator(), queue, {3, full_chunks}, [&](std::size_t count) { written = count; }),
                     std::runtime_error);
        EXPECT_EQ(written, 5U);
    }
}

TEST(TranslateStream, WritesWhatComesBeforeASentenceWhoseRulesCannotBeMet) {
    const std::vector<std::string> sentences = random_sentences(5, 6);
    for (const TranslationRequest& bad :
         {TranslationRequest{"7 8", "", {"foo"}}, TranslationRequest{"7 8", "", {"7", "8 foo"}}}) {
        for (const std::int64_t chunk : {1, 2, 3, 100}) {
            for (const bool full_chunks : {true, false}) {
                RequestQueue queue(100);
                push_all(queue, {sentences.begin(), sentences.begin() + 3});
                queue.push(bad);
                push_all(queue, {sentences.begin() + 3, sentences.end()});
                queue.close(std::make_exception_ptr(std::runtime_error("line 7")));
                std::vector<std::string> written;
                const std::string message = error_of(ExitCode::data, [&] {
                    stream(
                        ToyTranslator(), queue, {chunk, full_chunks}, [](std::size_t) {}, &written);
                });
                EXPECT_EQ(message.find("sentence 4: the p"), 0U) << message;
                ASSERT_EQ(written.size(), 3U);
                for (std::size_t i = 0; i < 3; ++i) {
                    EXPECT_EQ(written[i], ToyTranslator().translate({sentences[i]}).front().front().text);
                }
            }
        }
    }
}

TEST(TranslateStream, NothingInNothingOut) {
    RequestQueue queue(4);
    queue.close();
    const StreamResult result = stream(ToyTranslator(), queue, {4, true});
    EXPECT_TRUE(result.texts.empty());
    EXPECT_TRUE(result.chunks.empty());
}

}  // namespace
}  // namespace softalign
