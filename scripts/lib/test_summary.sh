#!/usr/bin/env bash
# Names the tests that failed and counts them all, after a run of CTest. Its exit status is 1 if any failed.
#
#   scripts/lib/test_summary.sh RESULTS
#
# RESULTS holds ctest.xml, which CTest wrote (--output-junit), and for each of CTest's tests that runs the tests of a
# source file the record that tests/runner/result_file.h describes. A test that was planned and did not end has failed.
set -euo pipefail
results=${1:?usage: test_summary.sh RESULTS}

awk -v results="$results" '
    # The value of an attribute of an XML element on this line.
    function value(attribute) {
        if (!match($0, " " attribute "=\"[^\"]*\"")) {
            return ""
        }
        return substr($0, RSTART + length(attribute) + 3, RLENGTH - length(attribute) - 4)
    }
    function fail(test) {
        print "failed: " test
        failed++
    }
    # Adds what a program recorded; false if it recorded nothing.
    function add_record(name,    file, line, word, planned, count, ends, i) {
        file = results "/" name
        while ((getline line < file) > 0) {
            split(line, word, " ")
            if (word[1] == "planned") {
                planned[++count] = word[2]
            } else {
                ends[word[2]] = word[1]
            }
        }
        close(file)
        for (i = 1; i <= count; i++) {
            if (!(planned[i] in ends)) {
                fail(planned[i] " (" name "; the program ended before it)")
            } else if (ends[planned[i]] == "failed") {
                fail(planned[i] " (" name ")")
            } else if (ends[planned[i]] == "skipped") {
                skipped++
            } else {
                passed++
            }
        }
        return count > 0
    }
    /<testcase / {
        name = value("name")
        status = value("status")
        is_skipped = status == "disabled"
    }
    /<skipped / { is_skipped = is_skipped || value("message") ~ /^SKIP_/ }
    /<\/testcase>/ {
        before = failed
        if (add_record(name)) {
            if (status == "fail" && failed == before) {
                fail(name " (its tests passed, the program failed)")
            }
        } else if (status == "run") {
            passed++
        } else if (is_skipped) {
            skipped++
        } else {
            fail(name)
        }
    }
    END {
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit (failed > 0)
    }' "$results/ctest.xml"
