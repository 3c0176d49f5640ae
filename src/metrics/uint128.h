#pragma once

namespace softalign {

__extension__ typedef unsigned __int128 Uint128;

}  // namespace softalign
