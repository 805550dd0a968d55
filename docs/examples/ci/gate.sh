#!/bin/sh
# Measures a model and judges it against the accepted run. Exit code 0: within the criteria, or nothing is accepted yet;
# 3: beyond one; 4: cannot be judged. Names of the runs and the reports are left beside it in ./results.
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
