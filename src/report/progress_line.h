#pragma once

#include <string>

#include "report/progress.h"

namespace softalign {

// The status line for a terminal, at most `width` columns of ASCII: the progress, a bar for the epoch, then the
// figures, the less important ones omitted if there is no room.
//   epoch 3/20 [=======>            ] 34%  update 1234  loss 3.214  12.3k tok/s  lr 5.0e-04  ETA 12:31
std::string progress_bar_line(const ProgressState& state, int width);

// The same for a log, without the bar.
std::string progress_plain_line(const ProgressState& state);

// "1:02:03", "4:05"; "?" if negative or not finite.
std::string format_duration(double seconds);

// "950", "12.3k", "1.2M".
std::string format_rate(double per_second);

}  // namespace softalign
