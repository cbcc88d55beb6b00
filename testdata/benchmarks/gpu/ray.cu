struct Hit { float distance; unsigned sphere; };

__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 normalize(float3 a) { return a * rsqrtf(dot(a, a)); }
__device__ float3 xyz(float4 a) { return make_float3(a.x, a.y, a.z); }

__device__ Hit nearest(const float4 *__restrict__ spheres, float3 origin, float3 direction) {
  Hit hit = {1e30f, 0};
  for (unsigned i = 0; i < 16; i++) {
    float4 s = spheres[i];
    float3 d = origin - xyz(s);
    float b = dot(d, direction);
    float square = b * b - dot(d, d) + s.w * s.w;
    if (square > 0) {
      float distance = -b - sqrtf(square);
      if (distance > 1e-3f && distance < hit.distance) {
        hit = {distance, i};
      }
    }
  }
  return hit;
}

extern "C" __global__ void __launch_bounds__(256)
ray(const float4 *__restrict__ spheres, float *__restrict__ image, unsigned width) {
  unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float scale = 2 / (float)width;
  float3 sun = normalize(make_float3(0.5f, 0.8f, -0.4f));
  float3 origin = make_float3(0, 0, -4);
  float3 direction = normalize(make_float3((float)x * scale - 1, (float)y * scale - 1, 2));
  float light = 0, weight = 1;
  for (unsigned bounce = 0; bounce < 4; bounce++) {
    Hit hit = nearest(spheres, origin, direction);
    if (hit.distance >= 1e30f) {
      light += weight * (0.5f + 0.5f * direction.y);
      break;
    }
    float3 place = origin + direction * hit.distance;
    float3 normal = normalize(place - xyz(spheres[hit.sphere]));
    float facing = dot(normal, sun);
    if (facing > 0 && nearest(spheres, place, sun).distance >= 1e30f) {
      light += weight * 0.6f * facing;
    }
    light += weight * 0.1f;
    weight *= 0.3f;
    origin = place;
    direction = direction - normal * (2 * dot(direction, normal));
  }
  image[y * width + x] = light;
}
