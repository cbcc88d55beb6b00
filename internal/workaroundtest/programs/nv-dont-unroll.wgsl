// A loop that ends at its last test and also before it. Program 7010648 of the generator of whole programs, not reduced.
// @dispatch 1 1 1
// @override O7 2.0
// @buffer out8 u32 4 6 0x8741dd36 0xc 9 4 5 0x55 0xdda479d6 0x24 0x55555555 0 0x7fff 0xff 0x4742a767 0x48 0xe712b9a4 0x40 0x3d8ee2ce 0x256a9434 0x20 0x27f9ccf7 0xd 0x1f 1 0 3 0x912f0411 2 0x63321d46 3 0 3 6 5 9 0 0x61 0x1b 9 0 0x18 4 1 1 3 0x40000000 0x37 0x8b7a5b56 7 8 0x21 0x9c44d31a 0x73a0ff7d 4 7 0xc0000001 5 0x55555555 6 0x60 7 1 0xfffffffe 1 1 7 9 0x834b3f77 0x80000000 4 0x38
// @buffer in10 u32 0x40200000 0x41800000 0x42240000 0 0xc0200000 0x3f000000 0x422c0000 0 0xc2800000 0xc26c0000 0xc23c0000 0 0x3e800000 0x41a00000 0xc1800000 0 0x40200000 0x3fc00000 0xc203b800 0 0 0x40a00000 0xc0200000 0 0xc27c0000 0x41600000 0xc1800000 0 0xc26c0000 0x3f000000 0xc27c0000 0 0xc2280000 0x42800000 0x40e00000 0 0xbf000000 0x3f000000 0xbf000000 0 0xbf000000 0x40200000 0x42800000 0 0xc25c0000 0xc1a00000 0xc21c0000 0
// @buffer in11 u32 0x42800000 0x42540000 0xc2380000 0x40400000 0xc1980000 0xc2400000 0x40800000 0x40800000 0x427c0000 0xc2740000 0x4404ef00 0x41880000 0x40200000 0x3fc00000 0x4f7fffff 0xc26c0000 0xc2180000 0x40e00000 0x40200000 0xc0e00000 0xc1800000 0xbf400000 0x42c80000 0x40200000 0x41000000 0x4310f200 0x40200000 0x40e00000 0xbf800000 0xc1800000 0xc2280000 0xc1800000 0x41d00000 0xbf400000 0x42280000 0x42500000 0x40600000 0x40e00000 0x41d80000 0xc1800000 0xc1b80000 0xc0200000 0xc2380000 0xc2b95800 0x42340000 0xc2680000 0x42280000 0xc0200000 0xc1d00000 0x427c0000 0xc1f80000 0xbf000000 0xc4281900 0xc3d73800 0x40200000 0x42480000 0x4effffff 0x3e800000 0xc2200000 0x42080000 0xc1800000 0x40000000 0x41600000 0x40000000 0x437f0000 0x3f800000 0xc21c0000 0x42340000 0x40e00000 0xc3d7d500 0x3f000000 0xbf000000 0x41500000 0xbf800000 0x3e800000 0x42c80000 0xc1800000 0xbf000000 0xc1800000 0x3f000000 0x3fc00000 0x42100000 0x42680000 0x42c80000 0xbf400000 0x4299c400 0x40200000 0x41d80000 0x441c8b00 0x3f800000 0x3fc00000 0xc2480000 0x3f800000 0x443bec00 0x41000000 0x425c0000 0xc2580000 0x424c0000 0xc1700000 0x423c0000 0x42240000 0x41f00000 0x40400000 0x3fc00000 0x41200000 0xc1200000 0xc1800000 0x41800000 0x40200000 0 0x41800000 0xc2080000 0x41000000 0xc1300000 0x40e00000 0xc461ec80 0xbf800000 0x437f0000 0x43c59b00 0xc2517800 0xc406bb00 0xc1800000 0x42280000 0xc3f7ce00 0xc4347580 0xc4166500 0x42400000 0xc4385280
// @buffer count12 u32 3 8 0x35 0x1f
alias A3 = vec3<i32>;
alias A4 = vec3<u32>;
struct S1 {
  m2: vec3<f32>
}
const C5 = 16f - -0x1p+00f + (vec3f(A4(90140547, vec2<u32>(0x10000u)) & A4(31u)));
const C6 = array<vec2f, 2>(vec2f(-15.f, 21.0,), vec2<f32>(1.5f, -866.7578));
override O7: f32;
@group(2) @binding(7) var<storage, read_write> out8: array<u32>;
var<private> lane9: u32;
@binding(4) @group(1) var<storage> in10: array<S1>;
@group(2) @binding(5) var<storage, read> in11: array<mat4x4<f32>, 8>;
@group(0) @binding(3) var<storage, read_write> count12: array<atomic<i32>, 4>;
@compute @workgroup_size(2u, 2u, 2u)
fn main13(@builtin(local_invocation_index) li14: u32, @builtin(workgroup_id) wg15: A4, @builtin(num_workgroups) nw16: A4, @builtin(global_invocation_id) gi17: A4, @builtin(local_invocation_id) lo18: A4) {
  lane9 = (wg15.x + (nw16.x * ((wg15).y + nw16.y * wg15.z))) * 8u + (li14);
  {
    var<function> x19 = -min(((-2147483647i - 1i) >> 10u), 32i | 47i,);
    if (x19 <= 75 && (x19 - 2i < 7i)) {
      (out8)[lane9 * 9u + 4u] += u32((i32(in11[x19 - 2i][lo18[u32(2)] & 3u][gi17.x & 3u] * 16.0f)));
    }
  }
  switch (lo18.x % 4u) {
    case 0x55555555u, 0x21u, default,: {}
    case 11u, 10u, {
      {
        let x20 = (min(max((27i * 8i), i32(0) & 15i,), (2i | i32(5)) & 6i));
        if (x20 <= 2i) {
          out8[lane9 * 9u + 7u] ^= u32(i32(C6[x20][1i] * 16.0f));
        } else {
        }
      }
      if (in11[lo18.x * 15u][min(i32(12), 3i)].w >= sign(in11[3i][2].b)) {
        let v21: u32 = 24u;
        {
          var fuel = 2u;
          loop {
            if (fuel == 0u) { break; }
            fuel--;
            _ = vec2f(vec2<i32>(32, 32767i).xx & vec2<i32>(31i));
            if (false) {
            } else {
              out8[lane9 * 9u + 0u] += nw16.z;
              var<function> v22 = !(select(vec3<bool>(true, true, false), vec3<bool>(false, false, true), true) & vec3<bool>(true, false, true));
            }
            continuing {
              if (modf(in11[5i][u32(3)].y).fract + -0x1.9p+06f <= in11[wg15[0] * 3u][clamp(v21, 0u, 3u)].w) {
              }
              out8[lane9 * 9u + 8u] = u32(i32(min(in11[3][min(u32(2), 3u)].x, O7 + in11[6][1][u32(2)],) * 16.0f));
              break if in11[7][u32(0)].x == in10[1u].m2.x;
            }
          }
        }
        return;
      } else {
        let sign = mat3x2<f32>((720.5078f - 7.f) * C6[0].y, min(abs((in10[1u]).m2.b), C6[1u].y,), -(-1.0 - in11[0][1].g), ldexp(max(-4f, O7), 0i), (modf(fract(-12.0f))).whole, (in11[lo18.x % 8u][345495744i & 3i]).x);
        out8[lane9 * 9u + 7u] = out8[lane9 * 9u + 7u] * 31u + ((lo18[2i]) + (insertBits(8u, (wg15.y), lo18.y, lo18.z) - gi17[2u]));
      }
    }
  }
  {
    var<function> x24 = ~dot4I8Packed(lo18[0u], lo18[i32(0)]) >> 4u;
    if (x24 < 9i) && (x24 < 9i) {
      out8[lane9 * 9u + 0u] = u32(i32(in10[x24 & 7i].m2[u32(0)]));
    } else {
    }
  }
  let v25 = max(vec4<i32>(i32(1), 58612163, 0, 3), vec4<i32>(-2i, 45i, 0, i32(0),) * max(i32(43988314), 2i,),);
  {
    var fuel = 4u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      out8[lane9 * 9u + 0u] = out8[lane9 * 9u + 0u] * 31u + u32(i32(ldexp(dot(C6[u32(0)], C6[0]) - in11[4][1].y, -3i)));
      {
        let x26 = gi17[1i];
        out8[lane9 * 9u + 1u] ^= u32(i32(in10[x26].m2[0] * 16.0f));
      }
      continuing {
        {
          let cas_cell = &count12[0u];
          let cas_value = (v25.x & v25.x) * i32(v25.x);
          loop {
            let cas_old = atomicLoad(cas_cell);
            if (atomicCompareExchangeWeak(cas_cell, cas_old, cas_old | cas_value).exchanged) { break; }
          }
        }
        break if (lo18[1] * lo18[0u] < gi17[1u]);
      }
    }
  }
  switch (1i) {
    case 3i {}
    case 2i, default, -3i, {}
  }
  var<function> v27 = ldexp(max((in10[4].m2.y), O7 + C5.x,), 0i);
  v27 = v27;
  (out8)[lane9 * 9u + 8u] ^= u32(i32(in10[2i].m2.z));
}
