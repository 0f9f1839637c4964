#!/usr/bin/env bash
# recipe.sh SOURCE_DIR: recipe.py with a Python that has rattler-build's parser.
set -u
. "$1/tests/packages/python_with.sh"
python_with "$1" rattler_build
exec "$python" "$(dirname "$0")/recipe.py" "$1"
