#include "cli/files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "storage/model_directory.h"

namespace softalign {

namespace {

namespace fs = std::filesystem;

// What a name leads to.
struct Place {
    bool exists = false;
    struct stat status {};
    std::string path;  // of what does not exist: without links and dots
};

Place place_of(const std::string& path, int standard_descriptor) {
    Place place;
    place.exists =
        (path == "-" ? ::fstat(standard_descriptor, &place.status) : ::stat(path.c_str(), &place.status)) == 0;
    if (!place.exists && path != "-") {
        const fs::path name(path);
        const fs::path folder = name.has_parent_path() ? name.parent_path() : fs::path(".");
        std::error_code fault;
        const fs::path canonical = fs::weakly_canonical(folder, fault);
        place.path = fault ? path : (canonical / name.filename()).string();
    }
    return place;
}

bool is_null_device(const Place& place) {
    const auto& status = place.status;
    return place.exists && S_ISCHR(status.st_mode) && status.st_rdev == ::makedev(1, 3);
}

bool same(const Place& a, const Place& b) {
    if (a.exists && b.exists) {
        return a.status.st_dev == b.status.st_dev && a.status.st_ino == b.status.st_ino && !is_null_device(a);
    }
    return !a.exists && !b.exists && !a.path.empty() && a.path == b.path;
}

bool is_file(const Place& place) {
    return !place.exists || S_ISREG(place.status.st_mode);
}

std::string shown(const std::string& path, const char* standard) {
    return path == "-" ? standard : path;
}

[[noreturn]] void fail(const std::string& message) {
    throw Error(ExitCode::usage, message);
}

}  // namespace

void FileNames::reads_parts(const std::string& directory, const std::string& weights, const std::string& option) {
    for (const std::string& path :
         {config_path(directory), joint_vocabulary_path(directory), source_vocabulary_path(directory),
          target_vocabulary_path(directory), weights.empty() ? weights_path(directory) : weights}) {
        reads(option, path);
    }
}

void FileNames::reads_model(const std::string& directory, const std::string& weights, const std::string& option) {
    reads_parts(directory, weights, option);
    reads(option, shortlist_path(directory));
}

void FileNames::reads_file(const std::string& option, const std::string& path, const std::string& reason) {
    if (path == "-") {
        fail(option + " -: " + reason + "; give it a file");
    }
    reads(option, path);
}

void FileNames::writes_file(const std::string& option, const std::string& path, const std::string& reason) {
    if (path == "-") {
        fail(option + " -: " + reason + "; give it a file");
    }
    writes(option, path);
}

void FileNames::check() const {
    const auto places_of = [](const std::vector<Name>& names, int standard_descriptor) {
        std::vector<Place> places;
        places.reserve(names.size());
        for (const Name& name : names) {
            places.push_back(name.path.empty() ? Place() : place_of(name.path, standard_descriptor));
        }
        return places;
    };
    const std::vector<Place> inputs = places_of(inputs_, STDIN_FILENO);
    const std::vector<Place> outputs = places_of(outputs_, STDOUT_FILENO);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool standard = inputs_[i].path == "-" && inputs_[j].path == "-";
            if (standard || (same(inputs[i], inputs[j]) && !is_file(inputs[i]) && !S_ISDIR(inputs[i].status.st_mode))) {
                const std::string& option = inputs_[i].option;
                fail(inputs_[j].option == option
                         ? option + " names " + shown(inputs_[i].path, "standard input") + " twice"
                         : inputs_[j].option + " and " + option + " cannot both " +
                               (standard ? "be standard input" : "read " + inputs_[i].path));
            }
        }
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool standard = outputs_[i].path == "-" && outputs_[j].path == "-";
            // Lines for one terminal are what a user asks for who names it.
            if (standard || (same(outputs[i], outputs[j]) && !S_ISCHR(outputs[i].status.st_mode))) {
                fail(outputs_[j].option + " and " + outputs_[i].option + " would both write to " +
                     shown(outputs_[i].path, "standard output") + "; give them different files");
            }
        }
        for (std::size_t j = 0; j < inputs_.size(); ++j) {
            if (is_file(outputs[i]) && same(outputs[i], inputs[j])) {
                const bool named = starts_with(outputs_[i].option, "--");
                fail(outputs_[i].option + (named ? " " + shown(outputs_[i].path, "(standard output)") : "") +
                     " is a file that " + inputs_[j].option + " reads; give it another name");
            }
        }
    }
}

}  // namespace softalign
