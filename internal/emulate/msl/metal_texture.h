// The textures and samplers of metal_stdlib.h (sections 2.9, 2.10 and 6.12 of the Metal Shading Language Specification).
// Sampling follows Vulkan's chapter "Image Operations", with which the rules of WebGPU and Metal agree. It is computed in
// double precision, where devices round weights to a few bits. Texel formats have their names in WebGPU (section 26.1).
//
// Errors: a read, write or query outside of a texture, a read after a write of the same invocation without a fence, and a
// texture of another type than the parameter's.
#pragma once

namespace bench {

// Format is the layout of a texel in memory.
struct Format {
  enum Kind { unorm, snorm, uinteger, sinteger, floating, srgb, tens, small_floats, shared_exponent } kind;
  unsigned int channels, bits, bytes;
  bool blue_first, depth;
};

inline bool has(const char* text, const char* part) { return __builtin_strstr(text, part) != nullptr; }

// format_named parses the name of a format: the letters of channels, their bits, and the encoding.
inline bool format_named(const char* name, Format* f) {
  *f = Format{Format::unorm, 0, 0, 4, name[0] == 'b', __builtin_strncmp(name, "depth", 5) == 0};
  if (has(name, "rgb10a2")) { f->kind = Format::tens; f->channels = 4; f->depth = false; f->bits = has(name, "uint") ? 1 : 0; return true; }
  if (has(name, "rg11b10")) { f->kind = Format::small_floats; f->channels = 3; return true; }
  if (has(name, "rgb9e5")) { f->kind = Format::shared_exponent; f->channels = 3; return true; }
  const char* at = name;
  if (f->depth) { f->channels = 1; at += 5; }
  while (*at == 'r' || *at == 'g' || *at == 'b' || *at == 'a') { f->channels++; at++; }
  while (*at >= '0' && *at <= '9') { f->bits = 10 * f->bits + (unsigned int)(*at++ - '0'); }
  f->kind = has(at, "srgb") ? Format::srgb : has(at, "unorm") ? Format::unorm : has(at, "snorm") ? Format::snorm :
    has(at, "uint") ? Format::uinteger : has(at, "sint") ? Format::sinteger : Format::floating;
  f->bytes = f->channels * f->bits / 8;
  return f->channels > 0 && (f->bits == 8 || f->bits == 16 || f->bits == 32);
}

const unsigned int most_levels = 16, most_invocations = 1024;

// Image is a texture of a launch with its levels. The order in a level is by layer, slice, row, texel, sample.
struct Image {
  Format format;
  unsigned int dimension, width, height, depth, layers, levels, samples;
  unsigned char* level[most_levels];
  unsigned char unfenced[most_invocations]; // by invocation: whether it has written since its last fence
};

// Sampler is a sampler with WebGPU's parameters.
struct Sampler {
  enum Address { clamp, repeat, mirror } address[3];
  bool magnify, minify, mipmap; // linear
  float lowest, highest;
  char compare; // '<', '(' for less-equal, '=', '!', '>', ')' for greater-equal, 'a' always, 'n' never, 0 none
};

// Texel is four channels, floats or integers.
struct Texel {
  double real[4];
  long whole[4];
};

// small_float decodes an unsigned float with five bits of exponent.
inline double small_float(unsigned int x, int mantissa) {
  int exponent = (int)(x >> mantissa), fraction = (int)(x & ((1u << mantissa) - 1));
  if (exponent == 31) { return fraction ? __builtin_nan("") : __builtin_inf(); }
  double part = __builtin_ldexp(fraction, -mantissa);
  return exponent == 0 ? __builtin_ldexp(part, -14) : __builtin_ldexp(1 + part, exponent - 15);
}

inline Texel decode(const Format& f, const unsigned char* from) {
  Texel t = {{0, 0, 0, 1}, {0, 0, 0, 1}};
  unsigned int word = 0;
  __builtin_memcpy(&word, from, f.bytes < 4 ? f.bytes : 4);
  switch (f.kind) {
  case Format::tens:
    for (int c = 0; c < 4; c++) {
      t.whole[c] = word >> 10 * c & (c < 3 ? 1023 : 3);
      t.real[c] = (double)t.whole[c] / (c < 3 ? 1023 : 3);
    }
    return t;
  case Format::small_floats:
    t.real[0] = small_float(word & 2047, 6); t.real[1] = small_float(word >> 11 & 2047, 6); t.real[2] = small_float(word >> 22, 5);
    return t;
  case Format::shared_exponent:
    for (int c = 0; c < 3; c++) { t.real[c] = __builtin_ldexp(word >> 9 * c & 511, (int)(word >> 27) - 24); }
    return t;
  default: break;
  }
  for (unsigned int c = 0; c < f.channels; c++) {
    unsigned int bits = 0, to = f.blue_first && c < 3 ? 2 - c : c;
    __builtin_memcpy(&bits, from + c * f.bits / 8, f.bits / 8);
    long is_signed = (long)((unsigned long)bits << (64 - f.bits)) >> (64 - f.bits);
    double largest = (double)((1ul << f.bits) - 1), x = bits / largest;
    _Float16 half_of;
    float float_of;
    switch (f.kind) {
    case Format::unorm: t.real[to] = x; break;
    case Format::srgb: t.real[to] = to == 3 ? x : x <= 0.04045 ? x / 12.92 : __builtin_pow((x + 0.055) / 1.055, 2.4); break;
    case Format::snorm: t.real[to] = __builtin_fmax((double)is_signed / (double)((1ul << (f.bits - 1)) - 1), -1); break;
    case Format::uinteger: t.whole[to] = bits; break;
    case Format::sinteger: t.whole[to] = is_signed; break;
    default:
      if (f.bits == 16) { __builtin_memcpy(&half_of, &bits, 2); t.real[to] = half_of; } else { __builtin_memcpy(&float_of, &bits, 4); t.real[to] = float_of; }
    }
  }
  return t;
}

// encode writes a texel. It returns false for formats with channels of different widths.
inline bool encode(const Format& f, unsigned char* to, const Texel& t) {
  if (f.kind > Format::floating) { return false; }
  for (unsigned int c = 0; c < f.channels; c++) {
    unsigned int from = f.blue_first && c < 3 ? 2 - c : c, bits = 0;
    double x = t.real[from] == t.real[from] ? t.real[from] : 0, largest = (double)((1ul << f.bits) - 1);
    float float_of = (float)t.real[from];
    _Float16 half_of = (_Float16)float_of;
    long n = t.whole[from], half_range = 1l << (f.bits - 1);
    switch (f.kind) {
    case Format::unorm: bits = (unsigned int)(long)__builtin_rint(__builtin_fmin(__builtin_fmax(x, 0), 1) * largest); break;
    case Format::snorm: bits = (unsigned int)(long)__builtin_rint(__builtin_fmin(__builtin_fmax(x, -1), 1) * (double)(half_range - 1)); break;
    case Format::uinteger: bits = (unsigned int)(n > (long)largest ? (long)largest : n); break;
    case Format::sinteger: bits = (unsigned int)(n < -half_range ? -half_range : n >= half_range ? half_range - 1 : n); break;
    default: if (f.bits == 16) { __builtin_memcpy(&bits, &half_of, 2); } else { __builtin_memcpy(&bits, &float_of, 4); }
    }
    __builtin_memcpy(to + c * f.bits / 8, &bits, f.bits / 8);
  }
  return true;
}

inline unsigned int at_level(unsigned int size, unsigned int n) { return size >> n ? size >> n : 1; }

// Lookup is a sampling operation.
struct Lookup {
  const Image* image;
  const Sampler* with;
  bool cube, compares;
  double at[3]; // normalised coordinates; of a cube those on the face
  int offset[3], face;
  unsigned int layer; // of a cube its first face
  double reference;

  // set_direction finds the face of a cube and the coordinates on it (Vulkan, "Cube Map Face Selection").
  void set_direction(const double* d) {
    double x = __builtin_fabs(d[0]), y = __builtin_fabs(d[1]), z = __builtin_fabs(d[2]), across, down, length;
    if (z >= x && z >= y) {
      face = d[2] < 0 ? 5 : 4; length = z; across = face == 4 ? d[0] : -d[0]; down = -d[1];
    } else if (y >= x) {
      face = d[1] < 0 ? 3 : 2; length = y; across = d[0]; down = face == 2 ? d[2] : -d[2];
    } else {
      face = d[0] < 0 ? 1 : 0; length = x; across = face == 0 ? -d[2] : d[2]; down = -d[1];
    }
    at[0] = (across / length + 1) / 2; at[1] = (down / length + 1) / 2; at[2] = 0;
  }

  // direction returns the direction of a point on a face. A point beyond an edge is on the adjacent face, by folding the
  // plane along the edge.
  static void direction(int face, double across, double down, double* d) {
    double out = 1;
    if (__builtin_fabs(across) > 1) { out = 2 - __builtin_fabs(across); across = __builtin_copysign(1, across); }
    if (__builtin_fabs(down) > 1) { out = 2 - __builtin_fabs(down); down = __builtin_copysign(1, down); }
    const double all[6][3] = {{out, -down, -across}, {-out, -down, across}, {across, out, down}, {across, -out, -down},
      {across, -down, out}, {-across, -down, -out}};
    for (int i = 0; i < 3; i++) { d[i] = all[face][i]; }
  }

  Texel fetch(long x, long y, long z, unsigned int n) const {
    unsigned long width = at_level(image->width, n), height = at_level(image->height, n);
    Texel t = decode(image->format, image->level[n] + (((unsigned long)z * height + (unsigned long)y) * width + (unsigned long)x) * image->format.bytes);
    if (compares) { t.real[0] = holds(t.real[0]); }
    return t;
  }

  double holds(double depth) const {
    switch (with->compare) {
    case '<': return reference < depth;
    case '(': return reference <= depth;
    case '>': return reference > depth;
    case ')': return reference >= depth;
    case '=': return reference == depth;
    case '!': return reference != depth;
    case 'a': return 1;
    }
    return 0;
  }

  // wrapped returns a texel's index on an axis with n texels (Vulkan, "Wrapping Operation").
  long wrapped(int axis, long i, long n) const {
    auto modulo = [](long a, long b) { long r = a % b; return r < 0 ? r + b : r; };
    long m;
    switch (with->address[axis]) {
    case Sampler::repeat: return modulo(i, n);
    case Sampler::mirror: m = modulo(i, 2 * n) - n; return (n - 1) - (m >= 0 ? m : -(1 + m));
    default: return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
  }

  // texel returns a texel of a level, whose indices may be outside.
  Texel texel(long x, long y, long z, unsigned int n) const {
    long width = at_level(image->width, n), height = at_level(image->height, n);
    if (!cube) {
      x = wrapped(0, x, width);
      y = image->dimension > 1 ? wrapped(1, y, height) : 0;
      z = image->dimension > 2 ? wrapped(2, z, at_level(image->depth, n)) : layer;
      return fetch(x, y, z, n);
    }
    bool beside = x < 0 || x >= width, above = y < 0 || y >= height;
    if (beside && above) { // a corner has three texels (Vulkan, "Cube Map Edge Handling")
      long inside_x = x < 0 ? 0 : width - 1, inside_y = y < 0 ? 0 : height - 1;
      Texel a = texel(inside_x, inside_y, 0, n), b = texel(x, inside_y, 0, n), c = texel(inside_x, y, 0, n);
      for (int i = 0; i < 4; i++) { a.real[i] = (a.real[i] + b.real[i] + c.real[i]) / 3; }
      return a;
    }
    if (!beside && !above) { return fetch(x, y, layer + face, n); }
    Lookup other = *this;
    double d[3];
    direction(face, (2.0 * (double)x + 1) / (double)width - 1, (2.0 * (double)y + 1) / (double)height - 1, d);
    other.set_direction(d);
    return fetch((long)__builtin_floor(other.at[0] * (double)width), (long)__builtin_floor(other.at[1] * (double)height), layer + other.face, n);
  }

  // whole returns the floor of a coordinate in texels, 0 for NaN.
  static double whole(double x) { return x - x == 0 ? __builtin_floor(__builtin_fmin(__builtin_fmax(x, -1e9), 1e9)) : 0; }

  double scaled(int axis, unsigned int n) const {
    unsigned int size[] = {image->width, image->height, image->depth};
    double x = at[axis] * at_level(size[axis], n);
    return x - x == 0 ? x : 0;
  }

  // filtered samples a level: the nearest texel, or the weighted sum of its neighbours.
  Texel filtered(bool linear, unsigned int n) const {
    int axes = cube ? 2 : (int)image->dimension;
    long low[3] = {0, 0, 0};
    double weight[3] = {0, 0, 0};
    for (int a = 0; a < axes; a++) {
      double x = scaled(a, n) - (linear ? 0.5 : 0);
      low[a] = (long)whole(x) + (cube ? 0 : offset[a]);
      weight[a] = linear ? x - whole(x) : 0;
      if (cube && !linear) {
        long last = (long)at_level(image->width, n) - 1;
        low[a] = low[a] < 0 ? 0 : low[a] > last ? last : low[a];
      }
    }
    if (!linear) { return texel(low[0], low[1], low[2], n); }
    Texel sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (int corner = 0; corner < 1 << axes; corner++) {
      double w = 1;
      for (int a = 0; a < axes; a++) { w *= corner >> a & 1 ? weight[a] : 1 - weight[a]; }
      if (w == 0) { continue; }
      Texel t = texel(low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2 & 1), n);
      for (int c = 0; c < 4; c++) { sum.real[c] += w * t.real[c]; }
    }
    return sum;
  }

  // sampled samples at a level of detail (Vulkan, "Level-of-Detail Operation" and "Image Level(s) Selection").
  Texel sampled(double detail) const {
    bool integers = image->format.kind == Format::uinteger || image->format.kind == Format::sinteger;
    if (!(detail >= with->lowest)) { detail = with->lowest; }
    if (detail > with->highest) { detail = with->highest; }
    bool linear = (detail > 0 ? with->minify : with->magnify) && !integers;
    double last = image->levels - 1;
    detail = detail < 0 ? 0 : detail > last ? last : detail;
    if (!with->mipmap || integers) { return filtered(linear, (unsigned int)__builtin_fmin(__builtin_floor(detail + 0.5), last)); }
    unsigned int n = (unsigned int)detail;
    double rest = detail - n;
    Texel t = filtered(linear, n);
    if (rest > 0) {
      Texel next = filtered(linear, n + 1);
      for (int c = 0; c < 4; c++) { t.real[c] = (1 - rest) * t.real[c] + rest * next.real[c]; }
    }
    return t;
  }

  // gathered gathers four texels in the order of the result (MSL 6.12.3): counterclockwise from the lower left.
  Texel gathered(int n) const {
    long x = (long)whole(scaled(0, 0) - 0.5) + offset[0], y = (long)whole(scaled(1, 0) - 0.5) + offset[1];
    return texel(x + (n == 1 || n == 2), y + (n < 2), 0, 0);
  }
};

} // namespace bench

namespace metal {

void failed(const char* what);
uint invocation(); // the index of the running thread in its threadgroup

enum class access { sample, read, write, read_write };
enum class component { x, y, z, w };
struct sampler { const bench::Sampler* is; };
struct level { double detail; explicit level(float x) : detail(x) {} };
#define GRADIENT(NAME, N) struct NAME { vec<float, N> x, y; NAME(vec<float, N> dx, vec<float, N> dy) : x(dx), y(dy) {} };
GRADIENT(gradient2d, 2) GRADIENT(gradient3d, 3) GRADIENT(gradientcube, 3)

template <class T> struct channel_of;
template <> struct channel_of<float> { enum { kind = 0 }; static float of(const bench::Texel& t, int c) { return (float)t.real[c]; } };
template <> struct channel_of<uint> { enum { kind = 1 }; static uint of(const bench::Texel& t, int c) { return (uint)t.whole[c]; } };
template <> struct channel_of<int> { enum { kind = 2 }; static int of(const bench::Texel& t, int c) { return (int)t.whole[c]; } };

// Texture is the base of the texture types: D dimensions, arrays or not, cubes or not.
template <class T, access A, int D, bool Arrayed, bool Cube, bool Samples, bool Depth> struct Texture {
  bench::Image* image;
  typedef vec<T, 4> Four;

  explicit Texture(bench::Image* m) : image(m) {
    bench::Format::Kind k = m->format.kind;
    int kind = k == bench::Format::uinteger || (k == bench::Format::tens && m->format.bits) ? 1 : k == bench::Format::sinteger ? 2 : 0;
    if (m->dimension != D || (m->samples > 1) != Samples || kind != channel_of<T>::kind || (Depth && !m->format.depth) ||
        (Cube && (m->layers % 6 != 0 || m->width != m->height)) || (!Arrayed && m->layers != (Cube ? 6 : 1))) {
      failed("a texture of another type than the parameter's");
    }
  }

  uint size(uint x, uint n) const {
    if (n >= image->levels) { failed("a query of a level that a texture does not have"); }
    return bench::at_level(x, n);
  }
  uint get_width(uint n = 0) const { return size(image->width, n); }
  uint get_height(uint n = 0) const { static_assert(D > 1, "a height"); return size(image->height, n); }
  uint get_depth(uint n = 0) const { static_assert(D > 2, "a depth"); return size(image->depth, n); }
  uint get_num_mip_levels() const { return image->levels; }
  uint get_num_samples() const { static_assert(Samples, "samples"); return image->samples; }
  uint get_array_size() const { static_assert(Arrayed, "an array"); return image->layers / (Cube ? 6 : 1); }
  void fence() const {
    static_assert(A == access::read_write, "a fence is for textures that are read and written");
    image->unfenced[invocation()] = 0;
  }

  static Four four(const bench::Texel& t) { return Four{channel_of<T>::of(t, 0), channel_of<T>::of(t, 1), channel_of<T>::of(t, 2), channel_of<T>::of(t, 3)}; }

  unsigned char* texel(uint x, uint y, uint z, uint layer, uint n, uint sample) const {
    if (n >= image->levels || layer >= image->layers || sample >= image->samples || x >= bench::at_level(image->width, n) ||
        y >= bench::at_level(image->height, n) || z >= bench::at_level(image->depth, n)) {
      failed("a texel outside of a texture");
    }
    unsigned long index = ((unsigned long)(z + layer) * bench::at_level(image->height, n) + y) * bench::at_level(image->width, n) + x;
    return image->level[n] + (index * image->samples + sample) * image->format.bytes;
  }
  bench::Texel load(uint x, uint y, uint z, uint layer, uint n, uint sample) const {
    static_assert(A != access::write, "the texture is only written");
    if (A == access::read_write && image->unfenced[invocation()]) { failed("a read behind a write without a fence"); }
    return bench::decode(image->format, texel(x, y, z, layer, n, sample));
  }
  void store(Four from, uint x, uint y, uint z, uint layer, uint n) const {
    static_assert(A == access::write || A == access::read_write, "the texture is not written");
    bench::Texel t;
    for (int c = 0; c < 4; c++) { t.real[c] = (double)from[c]; t.whole[c] = channel_of<T>::kind ? (long)from[c] : 0; }
    if (!bench::encode(image->format, texel(x, y, z, layer, n, 0), t)) { failed("writing texels of this format is not executed"); }
    image->unfenced[invocation()] = 1;
  }

  template <class C, class O> bench::Lookup lookup(sampler s, C at, uint layer, O offset, bool compares, float reference) const {
    static_assert(A == access::sample, "the texture is not sampled");
    if ((s.is->compare != 0) != compares) { failed("a sampler that compares where none is, or the other way round"); }
    if (layer >= image->layers / (Cube ? 6 : 1)) { failed("a layer outside of a texture"); } // the specification is silent
    bench::Lookup l = {image, s.is, Cube, compares};
    l.reference = image->format.kind == bench::Format::unorm ? __builtin_fmin(__builtin_fmax(reference, 0), 1) : reference;
    l.layer = Cube ? 6 * layer : layer;
    double d[3] = {0, 0, 0};
    for (int a = 0; a < (Cube ? 3 : D); a++) { d[a] = part(at, a); }
    for (int a = 0; a < D; a++) { l.at[a] = d[a]; l.offset[a] = Cube ? 0 : (int)part(offset, a); }
    if (Cube) { l.set_direction(d); }
    return l;
  }
  template <class N, int M> static double part(vec<N, M> x, int a) { return (double)x[a]; }
  static double part(float x, int) { return x; }
  static double part(int x, int) { return x; }

  // detail returns the level of detail for two derivatives, from the longer one (Vulkan, "Scale Factor Operation").
  template <int M> double detail(const bench::Lookup& l, vec<float, M> at, vec<float, M> x, vec<float, M> y) const {
    double longest = 0, size[3] = {(double)image->width, (double)image->height, (double)image->depth};
    for (int k = 0; k < 2; k++) {
      vec<float, M> change = k ? y : x;
      double sum = 0;
      if (Cube) { // the derivative of the point on the plane of the face
        int out = l.face / 2;
        double length = __builtin_fabs((double)at[out]), rate = (at[out] < 0 ? -1.0 : 1.0) * change[out];
        for (int a = 0; a < 3; a++) {
          if (a != out) {
            double moved = (change[a] * length - at[a] * rate) / (2 * length * length) * size[0];
            sum += moved * moved;
          }
        }
      } else {
        for (int a = 0; a < D; a++) { sum += change[a] * size[a] * (change[a] * size[a]); }
      }
      longest = __builtin_fmax(longest, sum);
    }
    return __builtin_log2(longest) / 2;
  }
  Four gathered(const bench::Lookup& l, int c) const {
    Four r;
    for (int n = 0; n < 4; n++) { r[n] = channel_of<T>::of(l.gathered(n), c); }
    return r;
  }
};

// The member functions of each type as the specification lists them. AT is a texel's coordinate, IN that of a sample,
// NONE a missing offset.
#define LAYER_NONE
#define LAYER_IS , uint layer
#define TYPE(NAME, D, ARRAYED, CUBE) \
  template <class T, access A = access::sample> struct NAME : Texture<T, A, D, ARRAYED, CUBE, false, false> { \
    typedef Texture<T, A, D, ARRAYED, CUBE, false, false> Base; \
    typedef typename Base::Four Four; \
    using Base::Base;
#define DEPTH_TYPE(NAME, ARRAYED, CUBE) \
  template <class T, access A = access::sample> struct NAME : Texture<T, A, 2, ARRAYED, CUBE, false, true> { \
    typedef Texture<T, A, 2, ARRAYED, CUBE, false, true> Base; \
    typedef typename Base::Four Four; \
    using Base::Base;
#define SAMPLE(IN, LAYER, L, OFFSET, O, GRADIENTS) \
    Four sample(sampler s, IN at LAYER, level n OFFSET) const { return Base::four(Base::lookup(s, at, L, O, false, 0).sampled(n.detail)); } \
    Four sample(sampler s, IN at LAYER, GRADIENTS g OFFSET) const { bench::Lookup l = Base::lookup(s, at, L, O, false, 0); return Base::four(l.sampled(Base::detail(l, at, g.x, g.y))); }
#define GATHER(IN, LAYER, L, OFFSET, O) \
    Four gather(sampler s, IN at LAYER OFFSET, component c = component::x) const { return Base::gathered(Base::lookup(s, at, L, O, false, 0), (int)c); }
#define DEPTH_SAMPLE(IN, LAYER, L, OFFSET, O, GRADIENTS) \
    T sample(sampler s, IN at LAYER, level n OFFSET) const { return (T)Base::lookup(s, at, L, O, false, 0).sampled(n.detail).real[0]; } \
    T sample(sampler s, IN at LAYER, GRADIENTS g OFFSET) const { bench::Lookup l = Base::lookup(s, at, L, O, false, 0); return (T)l.sampled(Base::detail(l, at, g.x, g.y)).real[0]; } \
    T sample_compare(sampler s, IN at LAYER, float reference, level n OFFSET) const { return (T)Base::lookup(s, at, L, O, true, reference).sampled(n.detail).real[0]; } \
    Four gather(sampler s, IN at LAYER OFFSET) const { return Base::gathered(Base::lookup(s, at, L, O, false, 0), 0); } \
    Four gather_compare(sampler s, IN at LAYER, float reference OFFSET) const { return Base::gathered(Base::lookup(s, at, L, O, true, reference), 0); }
#define OFFSET2 , int2 offset = int2{0, 0}
#define OFFSET3 , int3 offset = int3{0, 0, 0}
#define NO_OFFSET
#define NONE int2{0, 0}

TYPE(texture1d, 1, false, false)
    Four sample(sampler s, float at) const { return Base::four(Base::lookup(s, at, 0, 0, false, 0).sampled(0)); }
    Four read(uint at) const { return Base::four(Base::load(at, 0, 0, 0, 0, 0)); }
    void write(Four x, uint at) const { Base::store(x, at, 0, 0, 0, 0); }
};
TYPE(texture2d, 2, false, false)
    SAMPLE(float2, LAYER_NONE, 0, OFFSET2, offset, gradient2d) GATHER(float2, LAYER_NONE, 0, OFFSET2, offset)
    Four read(uint2 at, uint n = 0) const { return Base::four(Base::load(at.x, at.y, 0, 0, n, 0)); }
    void write(Four x, uint2 at, uint n = 0) const { Base::store(x, at.x, at.y, 0, 0, n); }
};
TYPE(texture2d_array, 2, true, false)
    SAMPLE(float2, LAYER_IS, layer, OFFSET2, offset, gradient2d) GATHER(float2, LAYER_IS, layer, OFFSET2, offset)
    Four read(uint2 at, uint layer, uint n = 0) const { return Base::four(Base::load(at.x, at.y, 0, layer, n, 0)); }
    void write(Four x, uint2 at, uint layer, uint n = 0) const { Base::store(x, at.x, at.y, 0, layer, n); }
};
TYPE(texture3d, 3, false, false)
    SAMPLE(float3, LAYER_NONE, 0, OFFSET3, offset, gradient3d)
    Four read(uint3 at, uint n = 0) const { return Base::four(Base::load(at.x, at.y, at.z, 0, n, 0)); }
    void write(Four x, uint3 at, uint n = 0) const { Base::store(x, at.x, at.y, at.z, 0, n); }
};
TYPE(texturecube, 2, false, true)
    SAMPLE(float3, LAYER_NONE, 0, NO_OFFSET, NONE, gradientcube) GATHER(float3, LAYER_NONE, 0, NO_OFFSET, NONE)
};
TYPE(texturecube_array, 2, true, true)
    SAMPLE(float3, LAYER_IS, layer, NO_OFFSET, NONE, gradientcube) GATHER(float3, LAYER_IS, layer, NO_OFFSET, NONE)
};
DEPTH_TYPE(depth2d, false, false)
    DEPTH_SAMPLE(float2, LAYER_NONE, 0, OFFSET2, offset, gradient2d)
    T read(uint2 at, uint n = 0) const { return (T)Base::load(at.x, at.y, 0, 0, n, 0).real[0]; }
};
DEPTH_TYPE(depth2d_array, true, false)
    DEPTH_SAMPLE(float2, LAYER_IS, layer, OFFSET2, offset, gradient2d)
    T read(uint2 at, uint layer, uint n = 0) const { return (T)Base::load(at.x, at.y, 0, layer, n, 0).real[0]; }
};
DEPTH_TYPE(depthcube, false, true) DEPTH_SAMPLE(float3, LAYER_NONE, 0, NO_OFFSET, NONE, gradientcube) };
DEPTH_TYPE(depthcube_array, true, true) DEPTH_SAMPLE(float3, LAYER_IS, layer, NO_OFFSET, NONE, gradientcube) };
template <class T, access A> struct texture2d_ms : Texture<T, A, 2, false, false, true, false> {
  typedef Texture<T, A, 2, false, false, true, false> Base;
  using Base::Base;
  vec<T, 4> read(uint2 at, uint sample) const { return Base::four(Base::load(at.x, at.y, 0, 0, 0, sample)); }
};
template <class T, access A> struct depth2d_ms : Texture<T, A, 2, false, false, true, true> {
  typedef Texture<T, A, 2, false, false, true, true> Base;
  using Base::Base;
  T read(uint2 at, uint sample) const { return (T)Base::load(at.x, at.y, 0, 0, 0, sample).real[0]; }
};

} // namespace metal
