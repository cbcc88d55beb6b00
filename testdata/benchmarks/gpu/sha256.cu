__constant__ const unsigned k[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__constant__ const unsigned initial[8] = {
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

__device__ unsigned turned(unsigned x, unsigned n) { return (x >> n) | (x << (32 - n)); }

extern "C" __global__ void __launch_bounds__(256)
sha256(const unsigned *__restrict__ blocks, unsigned *__restrict__ hashes) {
  unsigned id = blockIdx.x * 256 + threadIdx.x;
  unsigned w[16];
  for (unsigned i = 0; i < 16; i++) {
    w[i] = blocks[id * 16 + i];
  }
  unsigned h[8];
  for (unsigned i = 0; i < 8; i++) {
    h[i] = initial[i];
  }
  for (unsigned i = 0; i < 64; i++) {
    if (i >= 16) {
      unsigned x = w[(i + 1) % 16];
      unsigned y = w[(i + 14) % 16];
      unsigned s0 = turned(x, 7) ^ turned(x, 18) ^ (x >> 3);
      unsigned s1 = turned(y, 17) ^ turned(y, 19) ^ (y >> 10);
      w[i % 16] += s0 + w[(i + 9) % 16] + s1;
    }
    unsigned s1 = turned(h[4], 6) ^ turned(h[4], 11) ^ turned(h[4], 25);
    unsigned choice = (h[4] & h[5]) ^ (~h[4] & h[6]);
    unsigned t1 = h[7] + s1 + choice + k[i] + w[i % 16];
    unsigned s0 = turned(h[0], 2) ^ turned(h[0], 13) ^ turned(h[0], 22);
    unsigned majority = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]);
    for (unsigned j = 7; j > 0; j--) {
      h[j] = h[j - 1];
    }
    h[4] += t1;
    h[0] = t1 + s0 + majority;
  }
  for (unsigned i = 0; i < 8; i++) {
    hashes[id * 8 + i] = initial[i] + h[i];
  }
}
