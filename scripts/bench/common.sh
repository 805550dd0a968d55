# Shared by the scripts beside it; sourced. What an engineer types around his own steps: server, load, CSV, stop.
# Wanted in the environment: PYTHON, TRITON (tritonserver), BACKENDS, LIBRARIES, PERF_ANALYZER, ANALYZER_LIBRARIES,
# RESOURCES, WORK (an empty folder), HTTP_PORT, GRPC_PORT, METRICS_PORT, BATCH_SIZES, CONCURRENCY, INTERVAL_MS.
# Each step's seconds are told as "TIME name seconds" on stdout.
set -euo pipefail

export PYTHONPATH=$RESOURCES PYTHONDONTWRITEBYTECODE=1 LANG=C.UTF-8
server=

# seconds FROM: since that EPOCHREALTIME, with a point whatever the locale is.
seconds() {
  local from=${1/[.,]/} now=${EPOCHREALTIME/[.,]/}
  local us=$((now - from))
  printf '%d.%06d' $((us / 1000000)) $((us % 1000000))
}

# step NAME COMMAND...
step() {
  local name=$1 from=$EPOCHREALTIME
  shift
  "$@"
  echo "TIME $name $(seconds "$from")"
}

write_repository() {
  mkdir -p "$WORK/models/resnet50/1"
  ln "$1" "$WORK/models/resnet50/1/model.onnx"
  # This Triton has no ONNX backend of its own: the Python backend runs the file.
  cp "$RESOURCES/serving/onnx/model.py" "$RESOURCES/serving/shared/serving_shim.py" "$WORK/models/resnet50/1/"
  cat > "$WORK/models/resnet50/config.pbtxt" <<'CONFIG'
name: "resnet50"
backend: "python"
version_policy { specific { versions: [ 1 ] } }
max_batch_size: 8
input [ { name: "INPUT__0" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] } ]
output [ { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ 1000 ] } ]
instance_group [ { count: 1 kind: KIND_CPU } ]
dynamic_batching { preferred_batch_size: [ 4, 8 ] max_queue_delay_microseconds: 1 }
CONFIG
}

is_ready() {
  local status
  { exec 3<> "/dev/tcp/127.0.0.1/$HTTP_PORT"; } 2> /dev/null || return 1
  printf 'GET /v2/health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
  IFS= read -r status <&3 || status=
  exec 3>&-
  [[ $status == *' 200 '* ]]
}

start_server() {
  LD_LIBRARY_PATH=$LIBRARIES PATH="$(dirname "$PYTHON"):$PATH" "$TRITON" \
    --model-repository="$WORK/models" --backend-directory="$BACKENDS" \
    --http-address=127.0.0.1 --http-port="$HTTP_PORT" \
    --grpc-address=127.0.0.1 --grpc-port="$GRPC_PORT" \
    --metrics-address=127.0.0.1 --metrics-port="$METRICS_PORT" > "$WORK/triton.log" 2>&1 &
  server=$!
  trap 'kill -KILL "$server" 2> /dev/null || true' EXIT
  until is_ready; do
    kill -0 "$server"
    sleep 0.05
  done
}

# load NAME BATCH_SIZE CONCURRENCY: three windows, whatever their spread; the run is told the same.
load() {
  LD_LIBRARY_PATH=$ANALYZER_LIBRARIES "$PERF_ANALYZER" -m resnet50 -x 1 -u "127.0.0.1:$GRPC_PORT" -i grpc \
    -b "$2" --concurrency-range "$3:$3" --measurement-mode time_windows --measurement-interval "$INTERVAL_MS" \
    --stability-percentage 1000000 --max-trials 3 --verbose-csv -f "$WORK/$1-$2-$3.csv" > "$WORK/$1-$2-$3.log"
}

load_all() {
  local size count
  for size in ${BATCH_SIZES//,/ }; do load offline "$size" 1; done
  for count in ${CONCURRENCY//,/ }; do load online 1 "$count"; done
}

# One CSV a scenario: the header once, a row a level.
write_csv() {
  local scenario
  for scenario in offline online; do
    awk 'FNR == 1 && NR == 1 || FNR == 2' "$WORK/$scenario"-*.csv > "$WORK/$scenario.csv"
  done
}

stop_server() {
  kill -TERM "$server"
  wait "$server" || true
  trap - EXIT
}
