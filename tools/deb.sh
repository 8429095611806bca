#!/bin/sh
# Build the Debian packages from a copy of the tree, into a folder: deb.sh ROOT FOLDER
set -eu
root=$1 out=$2
rm -rf "$out"
mkdir -p "$out/boxscore"
# What is not committed is no part of the tree, nor are other builds.
(cd "$root" && git ls-files -z | xargs -0 tar cf -) | tar xf - -C "$out/boxscore"
cd "$out/boxscore"
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -S Timestamp)
export SOURCE_DATE_EPOCH
dpkg-buildpackage -us -uc -b
rm -rf "$out/boxscore"
