#!/bin/sh
# Make an archive of one object out of a whole one, in which only names of a pattern are global.
#
# usage: public_archive.sh WHOLE.a OUT.a PATTERN COMPILER [FLAG...]
set -eu
whole=$1 out=$2 pattern=$3
shift 3
object=$out.p/$(basename "$out" .a).o
mkdir -p "$out.p"
"$@" -r -nostdlib -o "$object" -Wl,--whole-archive "$whole" -Wl,--no-whole-archive
objcopy --wildcard --keep-global-symbol="$pattern" "$object"
rm -f "$out"
ar rcsD "$out" "$object"
