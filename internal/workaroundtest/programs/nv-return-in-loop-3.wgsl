// A return from a loop within a loop. Program 34002543 of the generator of whole programs, not reduced.
// @reference cpu
// @dispatch 2 1 2
// @buffer out5 u32 0xf2c8bc3d 0x2a 5 0x45f8ba6e 0x367983d1 1 0x40 0x3ba8fc05 2 0x10 3 0x80000000 0xaaaaaaab 0xf 0x15 8 0x100 1 0x4c 0x8000 0x55555555 9 4 0x53 0x7fff 5 0x1f 0x2e 0x5fd26389 8 0x424d0d40 3 7 0x100 7 9 0x2e 2 0 5 5 3 0xe3ae426e 0x40000000 0x4dc4f4bf 0xf2269ba1 0x663fc502 9 0x9ca93617 3 6 5 0x97930a2 0x1cd35803 9 7 9 0x22 0x1347ed12 0x26 0x40 0xb4d3dc2b 0xbba7b9cf 0x44 0x1f 0x8a9b1794 0x5e 0x38 0x80 0x51 0x45 0x5a6293c6 8 3 0xfffffffe 0x4b 5 2 0x80 0x1f 0x29 0x51 0x87d450eb 0x53 3 5 0x80 0xfb349def 0x59 0 9 6 5 0 0x40000000 2 4 0x27842c5d 0xc3a8673c 0x31286ab5 9 1 0x24 0xc045178f 5 0 2 0 0xfe2e23ee 7 0x165eb57f 0x10000 0xecbf44c8 7 0xaaaaaaae 0xd25aec1b 0x17 0x1a961c77 0x10000 0x61
// @buffer in7 u32 0xaaaaaaab 0x20 0xfffffff8 0x61 0x43 0xfffffffc 0x1c 9 0x26 0x1a 0x2e4b4260 0x80000000 0xe2eab17c 0x38 0xc0000001 4 0x7daf96f3 0xfffffff7 0x9989d895 0xffffffff 7 0xd1780985 3 0x55 0x8000 0xaaaaaaab 0xfc2e2f7e 0x80000001 0xaaaaaaab 0x55
// @buffer in8 u32 1 0 0x81a284f2 0xe9e7d407 6 0x1a34ff3f 0xaaaaaaaa 0x69558a51 0x58 0x14 0xaaaaaaab 0x3f 8 0xfffffffd 0xe781fef3 0x43 0x20 0x46833efd 9 0x100 0x19 0x40000000 0xfffffffe 3 0xaaaaaaab 0x80000001 6 0x20 0x24 0x50 0x22 0xfffffffd 0xfffffff9 0x61 8 0x80000001 5 0x4c 0x40000000 0x59 0x100 0xbe961c6d 0xfd9ce9b4 0x2b 4 0xf6b628c2 0x80000001 0xc1616f4
// @buffer own9 u32 0xcf9e545 0xfffffffe 3 0 6 0xc0000001 0x391951f6 0 0x867ac4f6 5 4 0 0xee17fac5 0xe4097008 0xfffffffc 0 0x11 0x18 0x95b0b894 0 5 0x61 0x61 0 0x3fdf6deb 0x3f 0x5b 0 0xffc6cf51 6 0 0 0x40 3 0xfffffffc 0 0xffffffff 5 0x3c 0 0x289479a7 0xfffffffc 0 0 1 0xce699c50 0x33 0 0 0xfffffffe 8 0 0xaa16720b 0x21 0x55555555 0 0x10000 0xc3b22a88 2 0 0x4a 0x80 0x88b5d05f 0 2 0x20 0x43 0 0x30 0xfffffffa 3 0 0xaaaaaaab 3 7 0 0xfffffff8 0xfffffffe 0xfffffff9 0
alias A1 = vec4<i32>;
const C2 = array<vec2i, 7>();
const C3 = (vec3u(0xa39eeb52u, 0xf1c0faf9, u32(1)).zyyy);
override O4 = C3.w % u32(8i);
@group(0) @binding(0) var<storage, read_write> out5: array<u32>;
var<private> lane6: u32;
@binding(4) @group(3) var<storage> in7: array<array<vec2i, 1>, 15>;
@binding(2) @group(2) var<storage> in8: array<A1>;
@group(0) @binding(1) var<storage, read_write> own9: array<vec3<i32>>;
var<private> priv10: i32;
@compute @workgroup_size(5u, 1u)
fn main16(@builtin(local_invocation_index) li17: u32, @builtin(workgroup_id) wg18: vec3<u32>, @builtin(num_workgroups) nw19: vec3<u32>, @builtin(global_invocation_id) gi20: vec3<u32>) {
  lane6 = (wg18.x + nw19.x * (wg18.y + nw19.y * wg18.z)) * 5u + li17;
  priv10 += dot4I8Packed(~gi20.g, O4,);
  switch (wg18.y % 3u) {
    case 6u {}
    case u32(5): {}
    case 3u, 9u, default: {
      priv10 += in8[own9[lane6].x >> 31u].w % in8[i32(6)][u32(0)];
      if ((in7[clamp(7u, 0u, 14u,)][in7[4][0][1]].g < in8[1].b)) {
        let ptr21 = &own9[lane6];
      } else {
      }
      priv10 = extractBits(priv10, 14u, 15u,) >> ((li17 << 27u) ^ nw19[1i]);
    }
  }
  {
    var fuel = 5u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      switch (in8[min(nw19.z, 3u,)][i32((u32(in7[14u][0u][u32(1)])) % 4u)] & 6i) {
        case 8i, 11i, {
          priv10++;
          for (var at22 = 2u; at22 != 3u || select(in8[4].z == -1594094129, select(false, false, false), nw19.y == gi20.z); at22++) {
            {
              var fuel = 3u;
              loop {
                if (fuel == 0u) { break; }
                fuel--;
                out5[lane6 * 6u + 1u] ^= li17;
                continuing {
                  break if any((vec2<u32>(0x100, 8u)) >= vec2<u32>());
                }
              }
            }
            {
              var fuel = 1u;
              loop {
                if (fuel == 0u) { break; }
                fuel--;
                fn11();
                if (wg18.g <= li17 && li17 == 4294967295u) {
                  continue;
                }
                {
                  let t23 = priv10;
                  priv10 = priv10;
                  priv10 = t23;
                }
                return;
                continuing {
                  break if mix(-11.0f, 3.5f, 2.5f) >= f32(gi20[2u] & 15u);
                }
              }
            }
          }
        }
        case default: {}
        case 5i, 13i, {}
        case i32(3): {}
      }
      continuing {
        break if in8[0i].a >> 18u >= priv10;
      }
    }
  }
  out5[lane6 * 6u + 4u] = out5[lane6 * 6u + 4u] * 31u + u32((max(-1i, (own9[lane6].y),) + 2i) / (5i >> nw19[0i]));
}
fn fn12(p13: ptr<storage, vec3i, read_write>, p14: ptr<storage, vec3i, read_write>) -> u32 {
  switch (C3.z % 8u) {
    case 2u: {
      {
        var fuel = 8u;
        while (all(vec4<bool>(vec2<bool>(false, false), true, false) & vec4<bool>(true, false, vec2<bool>(true, true),))) {
          if (fuel == 0u) { break; }
          fuel--;
          if (true) {
            break;
          } else {
          }
          {
            let t15 = p13[O4 % 3u];
            p13[O4 % 3u] += (p14)[0];
            (p14)[0] = t15;
          }
        }
      }
    }
    case 4294967293u, 0xfffffff4u, {}
    case u32(9), default: {
      if (89u + O4) % (0xd27d35ec + O4) != clamp(C3.y, O4, clamp(O4, 9u, 1015903397u)) {
        {
          var fuel = 1u;
          loop {
            if (fuel == 0u) { break; }
            fuel--;
            if (!(0x80000000 >= O4)) {
              break;
            }
            continuing {
              break if priv10 == -2147483647i && 0x1p+01f <= -19.f;
            }
          }
        }
        if ((false != true) & ((C3.x) > 7u)) {
          break;
        }
      }
    }
    case 0xau {}
    case 0xfffffff2u, 0xdu {}
    case 6u: {}
    case 1u, 7u: {}
  }
  return select(C3[2], C3.y | C3.y, select(false, true, false)) % ~(O4 ^ C3[3]);
}
fn fn11() -> vec3<i32> {
  {
    var fuel = 8u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      if (!false) {
      } else {
      }
      continuing {
        break if (true != false) & select(true, false, true);
      }
    }
  }
  return own9[lane6] / vec3i(vec4<f32>(-11f).xwy);
}
