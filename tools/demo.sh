#!/bin/sh
# The main job on a program of ours: what does a stream over 3 x 32 MB do to the uncore?
set -eu
build=$1
echo "\$ boxscore stat -- $build/examples/stream"
exec "$build/boxscore" stat -- "$build/examples/stream"
