#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/appended_file.h"

namespace softalign {

// An event file for TensorBoard (events.out.tfevents.*): TFRecords of tensorflow.Event messages, each written
// immediately. A resumed run writes another file beside the first, and TensorBoard shows both as one.
//
class EventFile {
public:
    // Makes the file in `directory`, and starts. Throws Error(output).
    EventFile(const std::string& directory, std::int64_t first_update);

    // What was said of updates from `first_update` on, in earlier files too, is void: TensorBoard drops it.
    void start(std::int64_t first_update);

    const std::string& path() const { return file_.path(); }

    // Adds a point to the curve `tag` ("loss/train"). If the disk is full, it is written later; so is text.
    void scalar(const std::string& tag, std::int64_t update, double value);

    // Adds Markdown to TensorBoard's "text" tab.
    void text(const std::string& tag, std::int64_t update, std::string_view markdown);

private:
    void write_record(std::string_view data);

    AppendedFile file_;
};

}  // namespace softalign
