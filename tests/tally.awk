# Counts test cases in a JUnit file of ctest, and prints "N passed, N failed, N skipped"; exits 1 if
# any failed or none ran. A CMocka program counts by the cases in its summary; another test is one
# case. A program that fails without a failed case, by a crash for example, counts one more.

/<testcase / {
    passed = failed = skipped = 0
    match($0, /status="[a-z]+"/)
    status = substr($0, RSTART + 8, RLENGTH - 9)
}

# A test that did not run has failed, unless it chose so.
/<skipped message=/ && !/message="SKIP_/ { status = "fail" }

/^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
/^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
/^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }

/<\/testcase>/ {
    if (status == "fail" && failed == 0)
        failed = 1
    else if (passed + failed + skipped == 0) {
        if (status == "run")
            passed = 1
        else
            skipped = 1
    }
    all_passed += passed
    all_failed += failed
    all_skipped += skipped
}

END {
    printf "%d passed, %d failed, %d skipped\n", all_passed, all_failed, all_skipped
    exit all_failed > 0 || all_passed + all_skipped == 0
}
