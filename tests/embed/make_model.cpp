// make_model DIRECTORY: writes the small random model of the tests.
#include "cli/fixtures.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    softalign::write_model(argv[1]);
}
