// A loop that nothing leaves, and that never runs. Program 34029954 of the generator of whole programs, not reduced.
// @dispatch 1 1 1
// @buffer out7 u32 0 5 0x51 0xb0516278 0x74b036f0 0x7f 0x32d12f3a 7 9 0x7fff 0xb 9 1 3 0x5e 7 3 9 0x40 0x2f 0x12 1 0x4a 0xa143ceeb 7 8 5 0xae5a2291 0x111d4bdc 9 7 9 0x9ed6003a 7 0x4da8a9d7 3 0xf22b7b70 0xffffffff 4 0x8000 6 0 0x42 0x2c 8 0x883a2042 0x26 5 1 2 0xdec51f18 0x53 0x72b1ae1b 0x10000 9 4 0xaf889d31 0x7fffffff 0x39d217aa 5 7 0x15 0x4e5b7d11 9 0x80000001 2 2 8 3 3 7 0x5b 1 0xd08feb6f 0x80 0x57 9 0x1b 0x40 0x8ea882a8 0x44 1 5 0x491b476f 4 5 1 0x4d09037d 0xaaaaaaaa 0xcecfb2a1 0xaaaaaaaa 0xdd65e3a 0x16210e78 1 0xffff 7 8 0x4d 0x2c 0xdd32a1f9 9 0x1b 0x2d 0x100 0x3f 0xaaaaaaaa 6 0xc0000001 0x10000 0 0x21 6 0xc8e31729 0x1f 1 7 5 0x8fa4823 0xd9356495 6 0x44680794 0xfffffffe 0x26 0x635eb54b 0x11 0xe 7 0x1e 3 0x99ddce7b 8 1 0x4d 2 4 0xffff 0xd 9 4 7 5 9 4 0xffffffff 0xaaaaaaaa 0x40000000 0x59 0xd5bb9ad1 0x40 6 7 0x7fff 4 0xaaaaaaab 0x7fffffff 1 0x820a74b9 4 2 0xfffffffe 6 0x40 8 0xb41db0fd 0xc63fcf09 7 0x30 4 0xb772e743 7 0x5a 7 3 0xc603d390 2 0x49 0x7fff 7 0xa3ca1b26 0x7fff 7 3 0x10 0x4c 5 1 1 9 0xa4fa2275 8 0x77018f48 5 0x1f 2 0xb25b6df9 3 0x40000000 0x3f 0x31 0xb 0x7fff 0x7f 0x4f6d8b58 0x57 0x6f18b874 7 0x28 0x59 6 6 6 0x9ac47c40 0x62d7934 4 0x1d 9 0x64ba23a7 0x22 4 7 4 0xff 0x4e36d306 5 0x80000001 0xff 0x8000 0x40000000 9 0x8ea01917 0xdc699080 0x3d103e6b 0x625d8db1 0x1f976b25 0xb0b7f382 7 0x5c0ca399 7 6 0x691b63bf 0x10 0xaaaaaaaa 0x62 0 0xf774e646 0xc43d3b69 0x4d4252c6 0x40000000 8 1 5 4 8 6 0xae401669 7 9 2 0xfe667ea1 0x47d6a0f1 0x5c 0x7fffffff 0x934abe7e 8 0x54 9 2 5 7 0x7fffffff 7 5 0x92daf95c 0x4a 0x92800275 0xb2460f9a 0x80 0x29 0x19 0x25 3 0 4 4 7 0xc 0x7350925e 0x80000000 0x7fffffff 0x6377cd82 0xda486d09 0x80000001 0x15 0x63
// @buffer in9 u32 4 0x40000000 0 0xf 1 0x40000000 2 0xaaaaaaab
// @buffer uni13 u32 0x40200000 0 0 0 1 0x5c 3 0
// @buffer own14 u32 2 3 9 4 6 0 7 8 0x7db0e6d0 7 0x8e53560 3 2 0xc89186fa 0x7fffffff 7 3 4 8 0 0
struct S1 {
  @size(12) m2: vec2<u32>
}
struct U10 {
  m11: f32,
  m12: vec3u,
}
const C3 = array<u32, 6>(bitcast<u32>(33i), u32(7) << 6u, (u32(64u)), 6u % 0x16u, pack2x16unorm(vec2<f32>()), u32(6) >> 7u);
const C4 = 0x5d + (342157989 / 3118483065 + (756 * 528));
@id(3) override O5: bool = !(C3[1] == C3[2]);
@id(10) override O6: bool = select(C3[2i], C3[3i], false) == C3[i32(2)];
@group(3) @binding(3) var<storage, read_write> out7: array<u32>;
var<private> lane8: u32;
@binding(4) @group(0) var<storage> in9: array<i32, 8>;
@group(3) @binding(6) var<uniform> uni13: U10;
@group(1) @binding(1) var<storage, read_write> own14: array<u32>;
var<private> priv15: vec2<i32>;
@compute @workgroup_size(7u, 3u)
fn main23(@builtin(local_invocation_index) li24: u32, @builtin(workgroup_id) wg25: vec3<u32>, @builtin(num_workgroups) nw26: vec3<u32>, @builtin(local_invocation_id) lo27: vec3<u32>) {
  lane8 = ((wg25.x + nw26.x * (wg25.y + nw26.y * wg25.z)) * 21u + li24);
  var<function> v28 = priv15.x;
  if (select(v28 <= v28, O6, O6) != O6) {
    return;
  }
  if ((O6 | (O6 == O6)) == !all(vec4<bool>(false, true, true, false))) {
    for (var<function> at29 = v28; (at29 < 6i); at29++) {
      v28 = select(select(min(8i, 4i), v28, at29 == v28), select(5i, priv15[1], select(true, true, O6)), i32(O6) >= 8 % v28); // ends; here
      if ((~li24) >= 7u >> 0u) {
        break;
      }
      {
        var fuel = 6u;
        loop {
          if (fuel == 0u) { break; }
          fuel--;
          {
            priv15 = (~priv15 * select(priv15, priv15, O5)) * (priv15 + priv15);
          }
          for (var at30: u32 = 0u; (at30 != 3u || O5); at30 += 1u) {
            if (O6) {
              continue;
            }
            if (all(vec4<bool>(true, true, vec2<bool>(false, false,)).yz)) {
              break;
            }
            own14[lane8] = min(nw26.x + 0x5992b514u, u32(at29),) >> ~(at30 & 0u);
          }
          if (lo27.z < (insertBits(wg25.y, nw26[1u], 15u, li24)) - wg25.y) {
            _ = vec2u(wg25[0i], wg25[1]).yyyx + vec2u(lo27[i32(1)], li24).xyyx;
          }
          {
            let t31 = v28;
            v28 = v28;
            v28 = t31;
          }
          continuing {
            break if O6;
          }
        }
      }
    }
  }
  out7[lane8 * 14u + 4u] ^= ~own14[lane8];
}
fn fn20(p21: ptr<private, vec2i>, p22: ptr<function, bool>) -> u32 {
  if (!*p22) {
    priv15 &= *p21;
    (out7)[lane8 * 14u + 12u] ^= uni13.m12[i32((u32(in9[2i] & -4)) % 3u)];
    return own14[lane8];
  } else {
    {
      var fuel = 2u;
      while (*p22) {
        if (fuel == 0u) { break; }
        fuel--;
        if (O6) {
          continue;
        }
      }
    }
  }
  return (uni13.m12[i32(1)]);
}
fn fn16() -> vec4<i32> {
  if (O5) {
    {
      var fuel = 3u;
      while (O6) {
        if (fuel == 0u) { break; }
        fuel--;
        {
          var fuel = 1u;
          loop {
            if (fuel == 0u) { break; }
            fuel--;
            continuing {
              let v17: vec4i = vec2<i32>(priv15).xyxy;
              break if O6;
            }
          }
        }
      }
    }
    own14[lane8] = firstTrailingBit(own14[lane8]) & uni13.m12.x;
    let v18: vec3u = vec3u(9u, 2, 0x43);
  } else {
    let ptr19 = &own14[lane8];
  }
  return (vec4<i32>(vec4u(vec4i(8, vec3<i32>(6i, 8, 815249956)))) - vec3<i32>().zz.xxxy);
}
