extern "C" __global__ void __launch_bounds__(256)
levenshtein(const unsigned *__restrict__ a, const unsigned *__restrict__ b, unsigned *__restrict__ distances) {
  __shared__ unsigned diagonals[3][257], letters[256];
  unsigned t = threadIdx.x;
  unsigned letter = a[blockIdx.x * 256 + t];
  letters[t] = b[blockIdx.x * 256 + t];
  if (t == 0) {
    diagonals[0][0] = 0;
    diagonals[1][0] = 1;
    diagonals[1][1] = 1;
  }
  __syncthreads();
  unsigned row = t + 1;
  for (unsigned d = 2; d <= 512; d++) {
    unsigned to = d % 3, last = (d + 2) % 3, before = (d + 1) % 3;
    if (t == 0) {
      diagonals[to][0] = d;
    }
    if (d == row) {
      diagonals[to][row] = row;
    } else if (d > row && d - row <= 256) {
      unsigned column = d - row;
      unsigned change = letter == letters[column - 1] ? 0 : 1;
      unsigned step = min(diagonals[last][row - 1], diagonals[last][row]) + 1;
      diagonals[to][row] = min(step, diagonals[before][row - 1] + change);
    }
    __syncthreads();
  }
  if (t == 255) {
    distances[blockIdx.x] = diagonals[512 % 3][256];
  }
}
