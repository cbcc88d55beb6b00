#!/usr/bin/env bash
# Times gpuc's code and nvcc's side by side on an NVIDIA GPU, in one run: kernels by all
# ways, then what a launch costs, then PyTorch's own operations where it is installed.
# Takes nvcc on the path and the bench as a program:
#
#   CGO_ENABLED=0 go build -o gpubench ./internal/gpubench/run
#   testdata/benchmarks/gpu/run.sh ./gpubench [times.json]
set -euo pipefail
bench=$(realpath "$1")
out=$(realpath -m "${2:-times.json}")
here=$(dirname "$(realpath "$0")")
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
status=0
"$bench" -kernels "$here" -json "$out" || status=$?
"$bench" -kernels "$here" -launches || status=$?
if python3 -c 'import torch' 2>/dev/null; then python3 "$here/torch_times.py" || status=$?; fi
exit $status
