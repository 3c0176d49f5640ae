#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"

namespace softalign {

// A folder that is gone at the end of the test.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string path(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const;
    std::size_t files() const;

private:
    std::filesystem::path path_;
};

std::string read_bytes(const std::string& path);

// The bytes as one gzip member.
std::string gzip(const std::string& bytes);

std::string joined(const std::vector<std::string>& lines);

// The message of the Error that `action` throws; anything else fails the test.
std::string error_of(ExitCode code, const std::function<void()>& action);

// Sentences of a small made-up language: a few hundred words with shared stems and endings, 600 sentences.
std::vector<std::string> sample_sentences();

// Trains a vocabulary on sample_sentences; the path of the model.
std::string train_sample(const TemporaryFolder& folder, const VocabularyConfig& config, std::int64_t size);

}  // namespace softalign
