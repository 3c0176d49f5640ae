#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace softalign {

// A file of events as TensorBoard reads it (events.out.tfevents.*): TFRecords of tensorflow.Event messages, each
// flushed when it is written. A run that is resumed writes another file beside the first, and TensorBoard shows both as
// one.
class EventFile {
public:
    // Makes the file in `directory`. What earlier files say of updates from `first_update` on is void: TensorBoard
    // drops it. Throws Error(output).
    EventFile(const std::string& directory, std::int64_t first_update);

    const std::string& path() const { return path_; }

    // A point of the curve `tag` ("loss/train"). Throws Error(output), as does text.
    void scalar(const std::string& tag, std::int64_t update, double value);

    // Markdown under TensorBoard's "text".
    void text(const std::string& tag, std::int64_t update, std::string_view markdown);

private:
    void write_record(std::string_view data);

    std::string path_;
    std::ofstream file_;
};

}  // namespace softalign
