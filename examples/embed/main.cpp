// embed MODEL_DIRECTORY [N_BEST] < text
//
// Translates the lines of standard input and shows the score of each translation and the source word aligned to each
// of its words.

#include <softalign/translator.h>

#include <cstdlib>
#include <iomanip>
#include <ios>
#include <iostream>
#include <string>
#include <vector>

namespace {

void print(const softalign::Translator::Result& result, const softalign::Translator::Hypothesis& hypothesis) {
    std::cout << std::fixed << std::setprecision(4) << hypothesis.score << "  " << hypothesis.text << "\n";
    for (const auto& [source, target] : hypothesis.word_alignment) {
        std::cout << "    " << hypothesis.words[target] << " <- " << result.source_words[source] << "\n";
    }
}

int translate(const std::string& model_directory, int n_best) {
    const softalign::Translator translator(model_directory);
    softalign::Translator::Options options;
    options.n_best = n_best;
    options.attention = true;
    std::vector<std::string> sentences;
    for (std::string line; std::getline(std::cin, line);) {
        sentences.push_back(line);
    }
    const auto results = translator.translate(sentences, options);
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::cout << sentences[i] << "\n";
        for (const auto& hypothesis : results[i].hypotheses) {
            print(results[i], hypothesis);
        }
    }
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: embed MODEL_DIRECTORY [N_BEST] < text\n";
        return EXIT_FAILURE;
    }
    try {
        return translate(argv[1], argc > 2 ? std::atoi(argv[2]) : 1);
    } catch (const softalign::TranslatorError& error) {
        std::cerr << "embed: " << error.what() << "\n";
        return EXIT_FAILURE;
    }
}
