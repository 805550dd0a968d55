#!/bin/sh
# Measures a model and compares it with the accepted run. Exit code 0: within the criteria, or nothing was accepted before;
# 3: beyond a criterion; 4: undecided. Writes run.json and the reports (./results) to the current folder.
# usage: gate.sh MODEL BUILD [OPTION OF run]...
set -eu
model=$1
build=$2
shift 2

triton-workbench run "$model" --name "$build" --json "$@" > run.json
mkdir -p results
cp -r "$(python3 -c 'import json; print(json.load(open("run.json"))["dir"])')/results/." results

if ! triton-workbench show accepted > /dev/null 2>&1; then
  triton-workbench rename "$build" accepted
  echo "Accepted $build: later builds are compared with it."
  exit 0
fi
triton-workbench compare accepted "$build" --fail-if 'p99>1.1x' --fail-if 'throughput<0.95x' --markdown > results/compare.md
