// This header replaces <metal_stdlib> for the code of the target msl on the host, with runtime.h. It has only what that
// target uses. Section numbers are those of the Metal Shading Language Specification. With SPACES the address spaces are
// attributes, so that pointers and references do not convert from one to another. Without, they are empty, and the
// compiler's checks of undefined behaviour are on.
#pragma once

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
typedef unsigned long ulong;
typedef _Float16 half;
typedef __bf16 bfloat; // from 3.1 on
// What clang calls to round to bfloat, which is not in every library of its own: to nearest, ties
// to even.
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  bits = x != x ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
  unsigned short upper = bits >> 16;
  __bf16 y;
  __builtin_memcpy(&y, &upper, 2);
  return y;
}

// 4.1 to 4.4: device, constant, threadgroup, thread.
#ifdef SPACES
#define device __attribute__((address_space(101)))
#define constant const __attribute__((address_space(102)))
#define threadgroup __attribute__((address_space(103)))
#define IN_EACH_SPACE(X) X(device) X(constant) X(threadgroup) X()
#define IN_EACH_MEMORY(X) X(device) X(threadgroup)
#else
#define device
#define constant const
#define threadgroup
#define IN_EACH_SPACE(X) X()
#define IN_EACH_MEMORY(X) X()
#endif
#define thread
#define kernel static
#define __METAL_VERSION__ 240

namespace metal {

// 2.2: vectors. Vectors of bool are classes with named components.
template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));
#define VECTORS(T) typedef vec<T, 2> T##2; typedef vec<T, 3> T##3; typedef vec<T, 4> T##4;
VECTORS(int) VECTORS(uint) VECTORS(float) VECTORS(half) VECTORS(long) VECTORS(ulong) VECTORS(ushort)

template <int N> struct bools;
template <> struct bools<2> { bool x, y; constexpr bool& operator[](uint i) { return i == 0 ? x : y; } constexpr bool operator[](uint i) const { return i == 0 ? x : y; } };
template <> struct bools<3> { bool x, y, z; constexpr bool& operator[](uint i) { return i == 0 ? x : i == 1 ? y : z; } constexpr bool operator[](uint i) const { return i == 0 ? x : i == 1 ? y : z; } };
template <> struct bools<4> { bool x, y, z, w; constexpr bool& operator[](uint i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; } constexpr bool operator[](uint i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; } };
typedef bools<2> bool2;
typedef bools<3> bool3;
typedef bools<4> bool4;

// 2.2.3: a packed vector has the layout of an array of its components.
#define PACKED(T) typedef T packed_##T##2[2]; typedef T packed_##T##3[3]; typedef T packed_##T##4[4];
PACKED(int) PACKED(uint) PACKED(float) PACKED(half) PACKED(long) PACKED(ulong)

// 2.2.1: constructors, for which there are macros with the types' names below.
template <class T> struct made {
  template <class A> static constexpr vec<T, 2> two(A a) { return vec<T, 2>{(T)a, (T)a}; }
  template <class A> static constexpr vec<T, 3> three(A a) { return vec<T, 3>{(T)a, (T)a, (T)a}; }
  template <class A> static constexpr vec<T, 4> four(A a) { return vec<T, 4>{(T)a, (T)a, (T)a, (T)a}; }
  template <class A> static constexpr vec<T, 2> two(vec<A, 2> a) { return vec<T, 2>{(T)a[0], (T)a[1]}; }
  template <class A> static constexpr vec<T, 3> three(vec<A, 3> a) { return vec<T, 3>{(T)a[0], (T)a[1], (T)a[2]}; }
  template <class A> static constexpr vec<T, 4> four(vec<A, 4> a) { return vec<T, 4>{(T)a[0], (T)a[1], (T)a[2], (T)a[3]}; }
  static constexpr vec<T, 2> two(bool2 a) { return vec<T, 2>{(T)a.x, (T)a.y}; }
  static constexpr vec<T, 3> three(bool3 a) { return vec<T, 3>{(T)a.x, (T)a.y, (T)a.z}; }
  static constexpr vec<T, 4> four(bool4 a) { return vec<T, 4>{(T)a.x, (T)a.y, (T)a.z, (T)a.w}; }
#define FROM_PACKED(S) \
  static constexpr vec<T, 2> two(S const T (&a)[2]) { return vec<T, 2>{a[0], a[1]}; } \
  static constexpr vec<T, 3> three(S const T (&a)[3]) { return vec<T, 3>{a[0], a[1], a[2]}; } \
  static constexpr vec<T, 4> four(S const T (&a)[4]) { return vec<T, 4>{a[0], a[1], a[2], a[3]}; }
  IN_EACH_SPACE(FROM_PACKED)
  static constexpr vec<T, 2> two(T a, T b) { return vec<T, 2>{a, b}; }
  static constexpr vec<T, 3> three(T a, T b, T c) { return vec<T, 3>{a, b, c}; }
  static constexpr vec<T, 4> four(T a, T b, T c, T d) { return vec<T, 4>{a, b, c, d}; }
  static constexpr vec<T, 4> four(vec<T, 2> a, T b, T c) { return vec<T, 4>{a[0], a[1], b, c}; }
};
template <> struct made<bool> {
  static constexpr bool2 two(bool a) { return bool2{a, a}; }
  static constexpr bool3 three(bool a) { return bool3{a, a, a}; }
  static constexpr bool4 four(bool a) { return bool4{a, a, a, a}; }
  static constexpr bool2 two(bool2 a) { return a; }
  static constexpr bool3 three(bool3 a) { return a; }
  static constexpr bool4 four(bool4 a) { return a; }
  template <class A> static constexpr bool2 two(vec<A, 2> a) { return bool2{a[0] != 0, a[1] != 0}; }
  template <class A> static constexpr bool3 three(vec<A, 3> a) { return bool3{a[0] != 0, a[1] != 0, a[2] != 0}; }
  template <class A> static constexpr bool4 four(vec<A, 4> a) { return bool4{a[0] != 0, a[1] != 0, a[2] != 0, a[3] != 0}; }
  static constexpr bool2 two(bool a, bool b) { return bool2{a, b}; }
  static constexpr bool3 three(bool a, bool b, bool c) { return bool3{a, b, c}; }
  static constexpr bool4 four(bool a, bool b, bool c, bool d) { return bool4{a, b, c, d}; }
};

// 2.16: reinterpreting data.
template <class T, class U> T as_type(U x) {
  static_assert(sizeof(T) == sizeof(U), "as_type is for types of the same size");
  return __builtin_bit_cast(T, x);
}

// 6.4 and 6.5: functions with one, two and three parameters, for scalars and component-wise.
#define EACH(N, X) for (int i = 0; i < N; i++) { r[i] = X; }
#define ONE(F) \
  template <class T, int N> vec<T, N> F(vec<T, N> x) { vec<T, N> r; EACH(N, F((T)x[i])) return r; }
#define TWO(F) \
  template <class T, int N> vec<T, N> F(vec<T, N> x, vec<T, N> y) { vec<T, N> r; EACH(N, F((T)x[i], (T)y[i])) return r; }
#define MATH1(F, B) inline float F(float x) { return (float)B(x); } inline half F(half x) { return (half)(float)B((float)x); } ONE(F)
#define MATH2(F, B) inline float F(float x, float y) { return (float)B(x, y); } inline half F(half x, half y) { return (half)(float)B((float)x, (float)y); } TWO(F)
MATH1(floor, __builtin_floorf) MATH1(ceil, __builtin_ceilf) MATH1(trunc, __builtin_truncf) MATH1(rint, __builtin_rintf)
MATH1(sqrt, __builtin_sqrtf) MATH1(sin, __builtin_sin) MATH1(cos, __builtin_cos) MATH1(tan, __builtin_tan) MATH1(asin, __builtin_asin)
MATH1(acos, __builtin_acos) MATH1(atan, __builtin_atan) MATH1(sinh, __builtin_sinh) MATH1(cosh, __builtin_cosh) MATH1(tanh, __builtin_tanh)
MATH1(asinh, __builtin_asinh) MATH1(acosh, __builtin_acosh) MATH1(atanh, __builtin_atanh) MATH1(exp, __builtin_exp) MATH1(exp2, __builtin_exp2)
MATH1(log, __builtin_log) MATH1(log2, __builtin_log2) MATH2(atan2, __builtin_atan2) MATH2(pow, __builtin_pow)
inline double rsqrt_of(float x) { return 1.0 / __builtin_sqrt((double)x); }
MATH1(rsqrt, rsqrt_of)
inline float fmod_of(float x, float y) { return __builtin_fmodf(x, y); }
MATH2(fmod, fmod_of)
inline float sign_of_float(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? x : 0.0f; } // 0 for NaN
MATH1(sign, sign_of_float)
inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline half fma(half x, half y, half z) { return (half)__builtin_fma((double)x, (double)y, (double)z); }
template <class T, int N> vec<T, N> fma(vec<T, N> x, vec<T, N> y, vec<T, N> z) { vec<T, N> r; EACH(N, fma((T)x[i], (T)y[i], (T)z[i])) return r; }
inline float min(float x, float y) { return __builtin_fminf(x, y); }
inline float max(float x, float y) { return __builtin_fmaxf(x, y); }
inline half min(half x, half y) { return (half)__builtin_fminf((float)x, (float)y); }
inline half max(half x, half y) { return (half)__builtin_fmaxf((float)x, (float)y); }
#define INTEGER(T) \
  inline T min(T x, T y) { return y < x ? y : x; } inline T max(T x, T y) { return x < y ? y : x; }
INTEGER(int) INTEGER(uint) INTEGER(long) INTEGER(ulong)
TWO(min) TWO(max)
inline float abs(float x) { return __builtin_fabsf(x); }
inline half abs(half x) { return (half)__builtin_fabsf((float)x); }
inline uint abs(uint x) { return x; }
inline ulong abs(ulong x) { return x; }
ONE(abs)
template <class T, int N> T dot(vec<T, N> x, vec<T, N> y) { T r = x[0] * y[0]; for (int i = 1; i < N; i++) { r += x[i] * y[i]; } return r; }

// 6.3 and 6.6: integers and relations.
#define BITS(T, U, W, L) \
  inline T popcount(T x) { return (T)__builtin_popcount##L((U)x); } \
  inline T clz(T x) { return x == 0 ? (T)W : (T)__builtin_clz##L((U)x); } \
  inline T ctz(T x) { return x == 0 ? (T)W : (T)__builtin_ctz##L((U)x); } \
  inline T reverse_bits(T x) { return (T)(W == 32 ? (U)__builtin_bitreverse32((uint)x) : (U)__builtin_bitreverse64((ulong)x)); } \
  inline T extract_bits(T x, uint offset, uint bits) { \
    metal::in_width(offset, bits, W); \
    if (bits == 0) { return 0; } \
    U up = (U)x << (W - bits - offset); \
    return (T)((T)up >> (W - bits)); \
  } \
  inline T insert_bits(T x, T from, uint offset, uint bits) { \
    metal::in_width(offset, bits, W); \
    if (bits == 0) { return x; } \
    U mask = ((U)~(U)0 >> (W - bits)) << offset; \
    return (T)(((U)x & ~mask) | (((U)from << offset) & mask)); \
  }
void failed(const char* what);
inline void in_width(uint offset, uint bits, uint width) {
  if (offset > width || bits > width - offset) { failed("extract_bits or insert_bits beyond the integer's width"); }
}
BITS(int, uint, 32, ) BITS(uint, uint, 32, ) BITS(long, ulong, 64, l) BITS(ulong, ulong, 64, l)
ONE(popcount) ONE(clz) ONE(ctz) ONE(reverse_bits)
inline uint mulhi(uint x, uint y) { return (uint)((ulong)x * y >> 32); }
inline ulong mulhi(ulong x, ulong y) { return (ulong)((unsigned __int128)x * y >> 64); }
TWO(mulhi)
template <class T, int N> vec<T, N> extract_bits(vec<T, N> x, uint offset, uint bits) { vec<T, N> r; EACH(N, extract_bits((T)x[i], offset, bits)) return r; }
template <class T, int N> vec<T, N> insert_bits(vec<T, N> x, vec<T, N> from, uint offset, uint bits) { vec<T, N> r; EACH(N, insert_bits((T)x[i], (T)from[i], offset, bits)) return r; }
template <class T, int N> vec<T, N> select(vec<T, N> a, vec<T, N> b, bools<N> c) { vec<T, N> r; EACH(N, (c[i] ? b[i] : a[i])) return r; }
template <int N> bools<N> select(bools<N> a, bools<N> b, bools<N> c) { bools<N> r; EACH(N, (c[i] ? b[i] : a[i])) return r; }
template <int N> bool all(bools<N> x) { bool r = true; for (int i = 0; i < N; i++) { r = r && x[i]; } return r; }
template <int N> bool any(bools<N> x) { bool r = false; for (int i = 0; i < N; i++) { r = r || x[i]; } return r; }

// 2.6 and 6.15: atomics. Fibers do not run in parallel, and switch at barriers only.
struct atomic_int { int value; };
struct atomic_uint { uint value; };
enum memory_order { memory_order_relaxed };
inline int wrapped(int x, int y, int s) { return (int)((uint)x + (uint)y * (uint)s); }
inline uint wrapped(uint x, uint y, uint s) { return x + y * s; }
extern uint spurious;
#define ATOMIC(S, A, T) \
  inline T atomic_load_explicit(volatile S A* p, memory_order) { return p->value; } \
  inline void atomic_store_explicit(volatile S A* p, T x, memory_order) { p->value = x; } \
  inline T atomic_exchange_explicit(volatile S A* p, T x, memory_order) { T old = p->value; p->value = x; return old; } \
  inline bool atomic_compare_exchange_weak_explicit(volatile S A* p, thread T* expected, T x, memory_order, memory_order) { \
    T old = p->value; \
    bool same = old == *expected && ++spurious % 3 != 0; \
    if (same) { p->value = x; } else { *expected = old; } \
    return same; \
  } \
  inline T atomic_fetch_add_explicit(volatile S A* p, T x, memory_order) { T old = p->value; p->value = wrapped(old, x, (T)1); return old; } \
  inline T atomic_fetch_sub_explicit(volatile S A* p, T x, memory_order) { T old = p->value; p->value = wrapped(old, x, (T)-1); return old; } \
  inline T atomic_fetch_max_explicit(volatile S A* p, T x, memory_order) { T old = p->value; p->value = old < x ? x : old; return old; } \
  inline T atomic_fetch_min_explicit(volatile S A* p, T x, memory_order) { T old = p->value; p->value = x < old ? x : old; return old; } \
  inline T atomic_fetch_and_explicit(volatile S A* p, T x, memory_order) { T old = p->value; p->value = old & x; return old; } \
  inline T atomic_fetch_or_explicit(volatile S A* p, T x, memory_order) { T old = p->value; p->value = old | x; return old; } \
  inline T atomic_fetch_xor_explicit(volatile S A* p, T x, memory_order) { T old = p->value; p->value = old ^ x; return old; }
#define ATOMICS(S) ATOMIC(S, atomic_int, int) ATOMIC(S, atomic_uint, uint)
IN_EACH_MEMORY(ATOMICS)

// 6.9: barriers and SIMD-group functions. They wait at a line for the other threads of the group or threadgroup, and then
// read their values.
enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
constexpr mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((int)a | (int)b); }
struct Converged { uint mask, lane; };
void workgroup_barrier(int line);
Converged converge(int line, const void* value, uint bytes);
const void* lane_value(uint lane);
inline void barrier_at(int line, mem_flags) { workgroup_barrier(line); }
inline void simd_barrier_at(int line, mem_flags) { converge(line, "", 0); }
template <class T> T of(uint lane) { T x; __builtin_memcpy(&x, lane_value(lane), sizeof x); return x; }

template <class T> T added(T x, T y) { return x + y; }
template <> inline int added(int x, int y) { return (int)((uint)x + (uint)y); }
template <> inline long added(long x, long y) { return (long)((ulong)x + (ulong)y); }
template <class T> T multiplied(T x, T y) { return x * y; }
template <> inline int multiplied(int x, int y) { return (int)((uint)x * (uint)y); }
template <> inline long multiplied(long x, long y) { return (long)((ulong)x * (ulong)y); }
template <class T, int N> vec<T, N> added(vec<T, N> x, vec<T, N> y) { vec<T, N> r; EACH(N, added<T>(x[i], y[i])) return r; }
template <class T, int N> vec<T, N> multiplied(vec<T, N> x, vec<T, N> y) { vec<T, N> r; EACH(N, multiplied<T>(x[i], y[i])) return r; }
#define REDUCTION(F, X) \
  template <class T> T F(int line, T x) { \
    Converged m = converge(line, &x, sizeof x); \
    bool first = true; \
    T r = x; \
    for (uint l = 0; l < 32; l++) { \
      if (m.mask >> l & 1) { T y = of<T>(l); r = first ? y : X; first = false; } \
    } \
    return r; \
  }
REDUCTION(simd_sum_at, added(r, y)) REDUCTION(simd_product_at, multiplied(r, y)) REDUCTION(simd_min_at, min(r, y)) REDUCTION(simd_max_at, max(r, y))
REDUCTION(simd_and_at, (r & y)) REDUCTION(simd_or_at, (r | y)) REDUCTION(simd_xor_at, (r ^ y))
#define PREFIX(F, X, FIRST, END) \
  template <class T> T F(int line, T x) { \
    Converged m = converge(line, &x, sizeof x); \
    T r = x - x + (T)FIRST; \
    for (uint l = 0; l < m.lane + END; l++) { \
      if (m.mask >> l & 1) { T y = of<T>(l); r = X; } \
    } \
    return r; \
  }
PREFIX(simd_prefix_inclusive_sum_at, added(r, y), 0, 1) PREFIX(simd_prefix_exclusive_sum_at, added(r, y), 0, 0)
PREFIX(simd_prefix_inclusive_product_at, multiplied(r, y), 1, 1) PREFIX(simd_prefix_exclusive_product_at, multiplied(r, y), 1, 0)
inline uint lowest(uint mask) { return (uint)__builtin_ctz(mask); }
#define EXCHANGE(F, X) \
  template <class T> T F(int line, T x, ushort n) { \
    Converged m = converge(line, &x, sizeof x); \
    uint l = X; \
    return l < 32 && (m.mask >> l & 1) ? of<T>(l) : x; \
  }
EXCHANGE(simd_broadcast_at, n) EXCHANGE(simd_shuffle_at, n) EXCHANGE(simd_shuffle_xor_at, m.lane ^ n) EXCHANGE(simd_shuffle_up_at, m.lane - n)
EXCHANGE(simd_shuffle_down_at, m.lane + n) EXCHANGE(quad_broadcast_at, (m.lane & ~3u) + n) EXCHANGE(quad_shuffle_xor_at, m.lane ^ n)
template <class T> T simd_broadcast_first_at(int line, T x) { Converged m = converge(line, &x, sizeof x); return of<T>(lowest(m.mask)); }
inline bool simd_is_first_at(int line) { Converged m = converge(line, "", 0); return m.lane == lowest(m.mask); }
inline uint votes(int line, bool x) {
  Converged m = converge(line, &x, sizeof x);
  uint r = 0;
  for (uint l = 0; l < 32; l++) { if ((m.mask >> l & 1) && of<bool>(l)) { r |= 1u << l; } }
  return r;
}
inline bool simd_any_at(int line, bool x) { return votes(line, x) != 0; }
inline bool simd_all_at(int line, bool x) { return votes(line, !x) == 0; }
struct simd_vote {
  typedef ulong vote_t;
  vote_t bits;
  explicit operator vote_t() const { return bits; }
};
inline simd_vote simd_ballot_at(int line, bool x) { return simd_vote{votes(line, x)}; }

// 2.4 and 6.7: matrices of a SIMD-group. Each thread holds two elements. Which they are differs between types of elements
// and between workgroups, as if at random. All threads of a SIMD-group reach a function together, with the same operands
// but for the elements. A matrix that was not set holds NaNs.
uint scrambling(); // differs between workgroups
template <class T, int Cols, int Rows> struct simdgroup_matrix {
  static_assert(Cols == 8 && Rows == 8, "matrices of a SIMD-group have 8 rows and columns");
  struct Elements {
    T of[2];
    T& operator[](uint i) { if (i > 1) { failed("a thread holds two elements of a matrix"); } return of[i]; }
  } elements;
  simdgroup_matrix() { elements.of[0] = elements.of[1] = (T)__builtin_nanf(""); }
  explicit simdgroup_matrix(T x); // of a diagonal matrix, which the target does not use
  Elements& thread_elements() { return elements; }
};
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8; // from 3.1 on

// A Layout says which thread and which of its elements has an element, and the other way round.
struct Layout {
  uint key;
  uchar place[64], element[64];
};
template <class T> Layout* layout() {
  static Layout l;
  uint key = scrambling() * 2654435761u + sizeof(T);
  if (l.key == key) { return &l; }
  l.key = key;
  for (uint i = 0; i < 64; i++) { l.element[i] = i; }
  for (uint i = 63; i > 0; i--) {
    key = key * 1664525u + 1013904223u;
    uint j = (key >> 16) % (i + 1);
    uchar x = l.element[i];
    l.element[i] = l.element[j];
    l.element[j] = x;
  }
  for (uint i = 0; i < 64; i++) { l.place[l.element[i]] = i; }
  return &l;
}

// together waits for all threads of a SIMD-group with operands, the first bytes of which are the same in all.
inline uint together(int line, const void* operands, uint same, uint bytes) {
  Converged m = converge(line, operands, bytes);
  if (m.mask != 0xffffffffu) { failed("a function on matrices that not all threads of a SIMD-group reach"); }
  if (__builtin_memcmp(lane_value(0), operands, same) != 0) { failed("a function on matrices whose operands differ between threads"); }
  return m.lane;
}

struct MatrixAccess {
  ulong first, elements_per_row, origin_x, origin_y, transposed;
  // at returns where an element is in memory.
  ulong at(uint element) const {
    ulong row = element / 8, column = element % 8;
    return (origin_y + (transposed ? column : row)) * elements_per_row + origin_x + (transposed ? row : column);
  }
};
#define MATRIX_MEMORY(S) \
  template <class T> void simdgroup_load_at(int line, simdgroup_matrix<T, 8, 8>& m, S const T* from, ulong elements_per_row = 8, ulong2 origin = made<ulong>::two(0), bool transposed = false) { \
    MatrixAccess a{(ulong)from, elements_per_row, origin.x, origin.y, transposed}; \
    uint lane = together(line, &a, sizeof a, sizeof a); \
    for (uint i = 0; i < 2; i++) { m.elements.of[i] = from[a.at(layout<T>()->element[2 * lane + i])]; } \
  } \
  template <class T> void simdgroup_store_at(int line, simdgroup_matrix<T, 8, 8> m, S T* to, ulong elements_per_row = 8, ulong2 origin = made<ulong>::two(0), bool transposed = false) { \
    MatrixAccess a{(ulong)to, elements_per_row, origin.x, origin.y, transposed}; \
    uint lane = together(line, &a, sizeof a, sizeof a); \
    for (uint i = 0; i < 2; i++) { to[a.at(layout<T>()->element[2 * lane + i])] = m.elements.of[i]; } \
  }
IN_EACH_MEMORY(MATRIX_MEMORY)

template <class D, class A, class B, class C>
void simdgroup_multiply_accumulate_at(int line, simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8>& a, simdgroup_matrix<B, 8, 8>& b, simdgroup_matrix<C, 8, 8>& c) {
  struct Operands { A a[2]; B b[2]; } mine = {{a.elements.of[0], a.elements.of[1]}, {b.elements.of[0], b.elements.of[1]}};
  uint lane = together(line, &mine, 0, sizeof mine);
  static_assert(sizeof(C) == sizeof(D), "a matrix is added to one of another type");
  for (uint i = 0; i < 2; i++) {
    uint e = layout<D>()->element[2 * lane + i];
    float sum = (float)c.elements.of[i];
    for (uint k = 0; k < 8; k++) {
      uint x = layout<A>()->place[e / 8 * 8 + k], y = layout<B>()->place[k * 8 + e % 8];
      sum += (float)of<Operands>(x / 2).a[x % 2] * (float)of<Operands>(y / 2).b[y % 2];
    }
    d.elements.of[i] = (D)sum;
  }
}

struct FilledAt {
  int line;
  template <class T, int Cols, int Rows = Cols> simdgroup_matrix<T, Cols, Rows> of(T x) const {
    together(line, &x, sizeof x, sizeof x);
    simdgroup_matrix<T, Cols, Rows> m;
    m.elements.of[0] = m.elements.of[1] = x;
    return m;
  }
};

} // namespace metal

#include "metal_texture.h"

#define threadgroup_barrier(...) metal::barrier_at(__LINE__, __VA_ARGS__)
#define simdgroup_barrier(...) metal::simd_barrier_at(__LINE__, __VA_ARGS__)
#define simd_sum(...) metal::simd_sum_at(__LINE__, __VA_ARGS__)
#define simd_product(...) metal::simd_product_at(__LINE__, __VA_ARGS__)
#define simd_min(...) metal::simd_min_at(__LINE__, __VA_ARGS__)
#define simd_max(...) metal::simd_max_at(__LINE__, __VA_ARGS__)
#define simd_and(...) metal::simd_and_at(__LINE__, __VA_ARGS__)
#define simd_or(...) metal::simd_or_at(__LINE__, __VA_ARGS__)
#define simd_xor(...) metal::simd_xor_at(__LINE__, __VA_ARGS__)
#define simd_prefix_inclusive_sum(...) metal::simd_prefix_inclusive_sum_at(__LINE__, __VA_ARGS__)
#define simd_prefix_exclusive_sum(...) metal::simd_prefix_exclusive_sum_at(__LINE__, __VA_ARGS__)
#define simd_prefix_inclusive_product(...) metal::simd_prefix_inclusive_product_at(__LINE__, __VA_ARGS__)
#define simd_prefix_exclusive_product(...) metal::simd_prefix_exclusive_product_at(__LINE__, __VA_ARGS__)
#define simd_broadcast(...) metal::simd_broadcast_at(__LINE__, __VA_ARGS__)
#define simd_broadcast_first(...) metal::simd_broadcast_first_at(__LINE__, __VA_ARGS__)
#define simd_shuffle(...) metal::simd_shuffle_at(__LINE__, __VA_ARGS__)
#define simd_shuffle_xor(...) metal::simd_shuffle_xor_at(__LINE__, __VA_ARGS__)
#define simd_shuffle_up(...) metal::simd_shuffle_up_at(__LINE__, __VA_ARGS__)
#define simd_shuffle_down(...) metal::simd_shuffle_down_at(__LINE__, __VA_ARGS__)
#define quad_broadcast(...) metal::quad_broadcast_at(__LINE__, __VA_ARGS__)
#define quad_shuffle_xor(...) metal::quad_shuffle_xor_at(__LINE__, __VA_ARGS__)
#define simd_is_first() metal::simd_is_first_at(__LINE__)
#define simd_any(...) metal::simd_any_at(__LINE__, __VA_ARGS__)
#define simd_all(...) metal::simd_all_at(__LINE__, __VA_ARGS__)
#define simd_ballot(...) metal::simd_ballot_at(__LINE__, __VA_ARGS__)
#define simdgroup_load(...) metal::simdgroup_load_at(__LINE__, __VA_ARGS__)
#define simdgroup_store(...) metal::simdgroup_store_at(__LINE__, __VA_ARGS__)
#define simdgroup_multiply_accumulate(...) metal::simdgroup_multiply_accumulate_at(__LINE__, __VA_ARGS__)
#define make_filled_simdgroup_matrix metal::FilledAt{__LINE__}.of


#define int2(...) ::metal::made<int>::two(__VA_ARGS__)
#define int3(...) ::metal::made<int>::three(__VA_ARGS__)
#define int4(...) ::metal::made<int>::four(__VA_ARGS__)
#define uint2(...) ::metal::made<uint>::two(__VA_ARGS__)
#define uint3(...) ::metal::made<uint>::three(__VA_ARGS__)
#define uint4(...) ::metal::made<uint>::four(__VA_ARGS__)
#define long2(...) ::metal::made<long>::two(__VA_ARGS__)
#define long3(...) ::metal::made<long>::three(__VA_ARGS__)
#define long4(...) ::metal::made<long>::four(__VA_ARGS__)
#define ulong2(...) ::metal::made<ulong>::two(__VA_ARGS__)
#define ulong3(...) ::metal::made<ulong>::three(__VA_ARGS__)
#define ulong4(...) ::metal::made<ulong>::four(__VA_ARGS__)
#define float2(...) ::metal::made<float>::two(__VA_ARGS__)
#define float3(...) ::metal::made<float>::three(__VA_ARGS__)
#define float4(...) ::metal::made<float>::four(__VA_ARGS__)
#define half2(...) ::metal::made<half>::two(__VA_ARGS__)
#define half3(...) ::metal::made<half>::three(__VA_ARGS__)
#define half4(...) ::metal::made<half>::four(__VA_ARGS__)
#define bool2(...) ::metal::made<bool>::two(__VA_ARGS__)
#define bool3(...) ::metal::made<bool>::three(__VA_ARGS__)
#define bool4(...) ::metal::made<bool>::four(__VA_ARGS__)
