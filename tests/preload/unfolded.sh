# shellcheck shell=bash
# unfolded REPORT: prints the report with its lines joined again that were broken to fit.
unfolded() { sed -e ':next' -e '$!{N' -e 'b next' -e '}' -e 's/\n    / /g' "$1"; }
