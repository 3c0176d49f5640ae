#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace softalign {

// The memory of a parser in C, with a limit: libgumbo copies every formatting element that is not closed into each
// paragraph behind it, so that a document of some KB could take all memory. All of it is freed at the end.
class ParserMemory {
public:
    explicit ParserMemory(std::size_t most) : left_(most) {}
    ~ParserMemory() {
        while (first_ != nullptr) {
            free_block(this, first_ + 1);
        }
    }
    ParserMemory(const ParserMemory&) = delete;
    ParserMemory& operator=(const ParserMemory&) = delete;

    // Runs a function of C that takes its memory from here; false if the limit ended it. Throws std::bad_alloc if the
    // system has no more.
    // REQUIRES: nothing on the stack below has a destructor.
    template <typename Parse>
    bool run(const Parse& parse) {
        switch (setjmp(end_)) {
            case 0:
                parse();
                return true;
            case limit_reached:
                return false;
            default:
                throw std::bad_alloc();
        }
    }

    // As malloc and free. `memory` is a ParserMemory.
    static void* allocate(void* memory, std::size_t bytes) {
        auto& self = *static_cast<ParserMemory*>(memory);
        if (bytes > self.left_) {
            std::longjmp(self.end_, limit_reached);
        }
        auto* block = static_cast<Block*>(std::malloc(sizeof(Block) + bytes));
        if (block == nullptr) {
            std::longjmp(self.end_, no_memory);
        }
        self.left_ -= bytes;
        *block = {nullptr, self.first_, bytes};
        if (self.first_ != nullptr) {
            self.first_->before = block;
        }
        self.first_ = block;
        return block + 1;
    }
    static void free_block(void* memory, void* place) {
        if (place == nullptr) {
            return;
        }
        auto& self = *static_cast<ParserMemory*>(memory);
        auto* block = static_cast<Block*>(place) - 1;
        (block->before != nullptr ? block->before->behind : self.first_) = block->behind;
        if (block->behind != nullptr) {
            block->behind->before = block->before;
        }
        self.left_ += block->bytes;
        std::free(block);
    }

private:
    static constexpr int limit_reached = 1;
    static constexpr int no_memory = 2;

    struct alignas(std::max_align_t) Block {
        Block* before;
        Block* behind;
        std::size_t bytes;
    };

    std::size_t left_;
    Block* first_ = nullptr;
    std::jmp_buf end_;
};

}  // namespace softalign
