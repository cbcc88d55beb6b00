// A loop that ends at its last test and also before it. Program 6002290 of the generator of whole programs, not reduced.
// @dispatch 2 1 1
// @buffer out3 u32 0x56 0xffffffff 0x62b509c9 0xf4f6ae60 0xffff 0x1f 1 0x40 0x25 0x4d 8 9 2 0x27 0 0x17 0x63 0x80 0x4bbc3523 2 5 8 0x582592bc 0x2d 0x2b 9 0xffffffff 0x39635dbd 0xb 0x48 0xd4a60f1f 0x3c5ad36e 5 0x1a 0x5f 0x3f 0x58 0x2a9712bf 0x9afc529d 0x3eb4dd63 7 3 2 0x31 3 1 0xb904aeb1 0x45 0x28 0x52cc6d8c 0x4a 0x4e 0x40000000 0x80000001 0x4c 0x15 0x17 2 0xbf78fc4d 0 0xa 0xf5f74977 0xaaaaaaab 0 8 5 8 0 0x40 0x80 9 3 5 2 5 0xc0000001 3 1
// @buffer in5 u32 8 0xa 0x44 3 0xfffffffa 0xff 0x2ef2f539 0x3b 0xfffffffc 0 0x80000000 0x1f 0xa4e66160 0x90fcc610 5 0xfffffffe 7 0xffffffff 6 0x7fffffff 0xfffffffe 0xefee9673 0x99d6e1f6 6
// @buffer in6 u32 0xfffffffe 6 0x4b 0x2a
// @buffer uni12 u32 0xf79074f4 0 5 2 0x40800000 0xc1000000 0 0 0x3fc00000 0xc0000000 0xc1500000 0
// @buffer own13 u32 0xc1d00000 0xc1000000 0x41b00000 0x41000000 0xc1c80000 0xc1700000 0x41c80000 0xc1b80000 0x41980000 0 0x41e00000 0x40000000 0xc3353e00 0x42300000 0x3f000000 0xc22c0000 0xc44cdb00 0xc0200000 0x40200000 0xc0e00000 0xc0e00000 0x41880000 0x40c00000 0x3f000000 0x446ee400 0x42480000 0xc2600000 0x40400000 0x40600000 0xc1800000
alias A1 = vec2<i32>;
struct U7 {
  m8: i32,
  m9: vec2u,
  m10: vec2<f32>,
  m11: vec3f
}
@id(3) override O2: f32 = f32(true || false);
@group(0) @binding(3) var<storage, read_write> out3: array<u32>;
var<private> lane4: u32;
@group(2) @binding(1) var<storage, read> in5: array<vec4i>;
@group(3) @binding(7) var<storage, read> in6: array<array<i32, 2>>;
@group(1) @binding(7) var<uniform> uni12: U7;
@group(3) @binding(4) var<storage, read_write> own13: array<array<f32, 5>>;
var<private> priv14: f32 = clamp(16f, 2.5f, 34f);
fn fn15(p16: u32) -> u32 {
  priv14 += O2;
  let v17 = array<u32, 1>(~0x3eu - 5 / p16);
  out3[lane4 * 13u + 6u] = out3[lane4 * 13u + 6u] * 31u + u32(uni12.m8 | -uni12.m8);
  if (((v17)[0x31u % 1u]) >= p16) {
    if (v17)[(v17)[u32(0)] % 1u] >= (v17)[0i] {
      if (!(f32(uni12.m8 & 15i) == clamp(own13[lane4][3], 2.5f, 14.f))) {
        let v18: array<vec4i, 2> = array<vec4i, 2>(max(vec4i(uni12.m8, 0, in5[2].z, in6[0u][1],), vec4i(44i, vec3<i32>(-5i)) - in5[2]), vec4i(dot4I8Packed(0x10u, 6u), in6[0][1], in5[0i].x, select(i32(32), uni12.m8, true)));
      }
    }
  }
  return uni12.m9.y;
}
fn fn19(p20: ptr<uniform, U7>, p21: ptr<function, vec2u>) -> vec2<u32> {
  {
    var fuel = 4u;
    for (var at22: i32 = 3i; at22 <= 6i; at22 >>= 1u) {
      if (fuel == 0u) { break; }
      fuel--;
      {
        _ = !((-in5[0]) > in5[0]);
        {
          var fuel = 3u;
          loop {
            if (fuel == 0u) { break; }
            fuel--;
            break;
          }
        }
        {
          var fuel = 5u;
          for (var at23: i32 = 0i;; at23 ^= -1431655766i) {
            if (fuel == 0u) { break; }
            fuel--;
            out3[lane4 * 13u + 3u] = ~p21.x & (*p20).m9.y;
          }
        }
      }
    }
  }
  return uni12.m9;
}
@compute @workgroup_size(3u, 1u)
fn main24(@builtin(local_invocation_index) li25: u32, @builtin(workgroup_id) wg26: vec3<u32>, @builtin(num_workgroups) nw27: vec3<u32>, @builtin(global_invocation_id) gi28: vec3<u32>, @builtin(local_invocation_id) lo29: vec3<u32>) {
  lane4 = (wg26.x + nw27.x * (wg26.y + nw27.y * wg26.z)) * 3u + li25;
  _ = i32(f32(uni12.m8 & 15i) * dot(vec4<f32>(0.5f, 15.f, 15.0, -2.5f), vec4f(100f, -16f, 292.57812, 62.f),));
  out3[lane4 * 13u + 1u] = fn15((wg26.z));
  {
    var fuel = 2u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      if (!(priv14 >= priv14)) {
        continue;
      }
      {
        var k30 = 9u;
        {
          var fuel = 4u;
          loop {
            if (fuel == 0u) { break; }
            fuel--;
            if ((k30 < 7u)) {
              out3[lane4 * 13u + 11u] = u32(in6[k30][0]);
            } else {
            }
            switch (frexp(-0.5f).exp) {
              case 23i: {}
              case 28i, default, i32(5), {
                continue;
              }
              case i32(17), i32(-8) {}
              case i32(65535): {}
              case 29i: {}
              case 0i, 63i,: {
                {
                  var fuel = 1u;
                  loop {
                    if (fuel == 0u) { break; }
                    fuel--;
                    if (i32(k30) == min(5i, uni12.m8)) {
                      continue;
                    } else {
                    }
                    return;
                    continuing {
                      break if true;
                    }
                  }
                }
                own13[lane4][(uni12.m8 * 1431655765) >> 30u] = own13[lane4][2i];
              }
              case -16i, -2147483647i,: {
                if (!true != (9i != i32(1))) {
                  continue;
                } else {
                }
              }
              case i32(6) {}
              case 32i: {
                if (!!((gi28.b) < 3256505389u)) {
                  out3[lane4 * 13u + 8u] += nw27[i32(gi28[2])];
                  let ptr31 = &own13[lane4][clamp(in6[1u][0u], 0i, 4i,)];
                } else {
                  break;
                }
                if (gi28[0] <= lo29.y % ~nw27[2]) {
                  var<function> v32 = gi28[u32(1)] == u32(2);
                  return;
                } else {
                }
                {
                  _ = fn15(lo29[0i]);
                }
              }
              case 12i: {}
              case 27i, 18i, {}
              case -24i: {}
            }
            let ptr33 = &priv14;
            for (var at34 = 2u; at34 <= 3u; at34 += 1u) {
              continue;
            }
            {
              var fuel = 2u;
              loop {
                if (fuel == 0u) { break; }
                fuel--;
                {
                  var fuel = 7u;
                  loop {
                    if (fuel == 0u) { break; }
                    fuel--;
                    *ptr33 *= -priv14;
                    continuing {
                      out3[lane4 * 13u + 4u] += u32(i32(abs((round(0.0f)) + *ptr33) * 16.0f));
                      break if any((vec4<bool>(true, false, false, false) & vec4<bool>(vec2<bool>(true, false), false, false)));
                    }
                  }
                }
                if (false == select(false, false, true,)) {
                  continue;
                } else {
                }
                continuing {
                  if (uni12.m10.x == priv14) {
                    {
                      var x35 = countTrailingZeros(uni12.m8);
                      own13[lane4][min(x35, 1i)] = *ptr33;
                    }
                  }
                  var v36 = (in6[3u][1u] - uni12.m8) >> 24u;
                  {
                    var fuel = 6u;
                    loop {
                      if (fuel == 0u) { break; }
                      fuel--;
                      let v37: i32 = v36;
                      continuing {
                        out3[lane4 * 13u + 9u] ^= u32(v37 / (-9i * v37));
                        break if all((uni12.m9) == uni12.m9);
                      }
                    }
                  }
                  break if select(wg26[0u] >= wg26.y, k30 > k30, select(false, false, true),);
                }
              }
            }
            if (false) {
              continue;
            }
            k30 -= 33u;
            continuing {
              break if k30 == 0xe1d4513d;
            }
          }
        }
      }
      out3[lane4 * 13u + 9u] = u32((in5[1].w + 54i) * firstTrailingBit((uni12.m8)) - uni12.m8 % i32(true));
      continuing {
        break if !(wg26.z < 940178776u);
      }
    }
  }
  if ((nw27.z + lo29[0] > lo29.x % gi28[0]) & (uni12.m8 - in5[4u].x != clamp(uni12.m8, uni12.m8, uni12.m8))) {
    return;
  } else {
    {
      out3[lane4 * 13u + 2u] ^= u32((i32(985563607i) + i32(5) * 7i) * i32(i32(53) >> lo29.x));
    }
    {
      var fuel = 2u;
      loop {
        if (fuel == 0u) { break; }
        fuel--;
        out3[(lane4 * 13u + 0u)] += (fn15(u32(i32(li25))));
        if (all(vec4u(u32(5)) != vec4u(uni12.m9, wg26[0], nw27.y))) {
          if (true && lo29[0u] <= 1508100999u) {
            break;
          }
        }
      }
    }
    priv14 = dot(vec2<f32>((vec2<u32>(A1()))), vec2<f32>());
  }
  {
    var fuel = 6u;
    while (in6[7][i32(1)] << 27u <= uni12.m8) {
      if (fuel == 0u) { break; }
      fuel--;
      return;
    }
  }
  out3[lane4 * 13u + 6u] = out3[lane4 * 13u + 6u] * 31u + u32((clamp(-uni12.m8 * uni12.m8, i32(-1586460157), uni12.m8 ^ (in5[1].z + 3i))));
  const v38: array<vec2<u32>, 5> = array<vec2<u32>, 5>(vec2<u32>(66u, 2u,) >> vec2<u32>(7u, 0xfu), vec2u(vec2u(0xaaaaaaabu, 2u)), vec2u(2, 32) << vec2u(14u), (vec2u(4, 0u)) | vec2u(u32(7), 2863311530u,), ~vec2<u32>(1u, 0x3cu));
  out3[lane4 * 13u + 5u] ^= extractBits(reverseBits(3u), 2u, 4u);
  out3[lane4 * 13u + 11u] += u32(any(select(vec3<bool>(true, true, true,), select(vec3<bool>(true), vec3<bool>(false, false, true,), vec3<bool>(false)), true != true)));
  {
    let in6 = priv14;
    priv14 = priv14;
    priv14 = in6;
  }
  {
    var fuel = 3u;
    while (u32(uni12.m8) <= max(v38[3].x, 0x15u)) {
      if (fuel == 0u) { break; }
      fuel--;
    }
  }
  {
    var fuel = 1u;
    while (true || false == false) {
      if (fuel == 0u) { break; }
      fuel--;
      for (var at40 = 2i; (at40 < 4i); at40 += 1i) {
        out3[lane4 * 13u + 2u] ^= u32((in6[clamp(at40, 0i, 3i)][0i] - ((at40 + in6[0][0u]) + in5[6].y)));
      }
    }
  }
  out3[lane4 * 13u + 11u] = select((u32(dot(vec3i(1710471206i), vec3i(63, A1(7, 32,),)))), select(gi28.b, gi28.z, false) & u32(59i), select(false, true, false) == (false && false),);
}
