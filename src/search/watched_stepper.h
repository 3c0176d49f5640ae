#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <utility>

#include "search/step_model.h"

namespace softalign {

// A model that calls a function before each of its steps. What the function throws ends the search.
class WatchedStepper : public StepModel {
public:
    WatchedStepper(std::unique_ptr<StepModel> model, std::function<void()> before_step)
        : model_(std::move(model)), before_step_(std::move(before_step)) {}

    StepOutput step(const at::Tensor& previous) override {
        before_step_();
        return model_->step(previous);
    }
    void select(const at::Tensor& rows) override { model_->select(rows); }

private:
    std::unique_ptr<StepModel> model_;
    std::function<void()> before_step_;
};

}  // namespace softalign
