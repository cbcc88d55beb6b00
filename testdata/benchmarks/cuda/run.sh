#!/usr/bin/env bash
# Times gpuc's kernels and CUDA C's side by side on one GPU, in one run, and prints
# a table. Needs nvcc and a gpuc binary.
#
#   CGO_ENABLED=0 go build -o gpuc ./cmd/gpuc
#   CGO_ENABLED=0 go test -c -o cuda.test ./runtime/driver/cuda
#   testdata/benchmarks/cuda/run.sh ./gpuc [./cuda.test]
#
# The test binary measures the cost of a launch from Go: rounds of it and of C take
# turns, and the medians count.
set -euo pipefail
gpuc=$(realpath "$1")
launcher=$([ $# -gt 1 ] && realpath "$2" || true)
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=268435456
m=4096
nvcc -O3 -arch=native -o "$work/bench" "$here/bench.cu"
seconds() { python3 -c 'import json,sys; print(min(json.load(sys.stdin)["seconds"]))'; }
add() { "$gpuc" run "$here/vector_add.wgsl" -json -repeat 12 -device "$1" -bounds "$2" -bind "a=rand($n,1)" -bind "b=rand($n,2)" -bind "c=zeros($n)" -extent "$n" | seconds; }
gemm() { "$gpuc" run "$here/sgemm.wgsl" -json -repeat 12 -device "$1" -bounds "$2" -bind "a=rand($((m * m)),1)" -bind "b=rand($((m * m)),2)" -bind "c=zeros($((m * m)))" -bind "n=$m" -extent "$m,$m" | seconds; }
{
  "$work/bench" $n $m | sed 's/^/cuda-c off /'
  for device in cuda vulkan; do
    for bounds in robust off; do
      echo "$device $bounds vector_add $(add $device $bounds)"
      echo "$device $bounds sgemm $(gemm $device $bounds)"
    done
  done
  "$work/bench" $n $m | sed 's/^/cuda-c off /'
  for round in 1 2 3 4 5 6 7; do
    [ -n "$launcher" ] || break
    "$work/bench" | sed 's/^/cuda-c off /'
    "$launcher" -test.run xxx -test.bench 'Driver/launch$' -test.benchtime 100000x | awk '/launch-/{print "cuda off launch", $3 * 1e-9}'
  done
} | tee "$work/times"
python3 - "$work/times" $n $m <<'PY'
import sys
n, m = int(sys.argv[2]), int(sys.argv[3])
times = {}
for line in open(sys.argv[1]):
    way, bounds, kernel, s = line.split()
    times.setdefault((way, bounds, kernel), []).append(float(s))
# the fastest run of a kernel, the median of launches
best = {k: sorted(v)[len(v) // 2] if k[2] == "launch" else min(v) for k, v in times.items()}
for (way, bounds, kernel), s in best.items():
    base = best[("cuda-c", "off", kernel)]
    figure = {"vector_add": f"{12*n/s/1e9:8.0f} GB/s", "sgemm": f"{2*m**3/s/1e12:8.2f} TFLOP/s", "launch": f"{s*1e9:8.0f} ns"}[kernel]
    print(f"{kernel:12s} {way:8s} bounds={bounds:7s} {s*1e3:9.4f} ms {figure}  {100*base/s:6.1f} % of CUDA C")
PY
