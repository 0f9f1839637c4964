# shellcheck shell=bash
# unfolded REPORT: with each line as it was before it was broken into pieces that fit.
unfolded() { sed -e ':next' -e '$!{N' -e 'b next' -e '}' -e 's/\n    / /g' "$1"; }
