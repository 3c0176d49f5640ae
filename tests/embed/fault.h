#pragma once

#include <gtest/gtest.h>
#include <softalign/translator.h>

#include <functional>
#include <string>

namespace softalign {

// What the library says of an action that must fail in this way.
inline std::string fault(TranslatorError::Kind kind, const std::function<void()>& action) {
    try {
        action();
    } catch (const TranslatorError& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

}  // namespace softalign
