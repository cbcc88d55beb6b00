// A function with two returns in a divergent branch. Program 9007627 of the generator of whole programs, not reduced.
// @reference cpu
// @dispatch 1 2 1
// @buffer out14 u32 2 8 0x1f 1 3 0x10 0x1f 0x7a321b87 1 0xe34dd3da 0xf 1 0x40 0xf 0xe1677a22 4 5 0x53 0xfa9777c6 1 0xdafcfffb 2 0x448863ce 0x7794b661 0 0xb 0xb423d6d8 3 7 5 4 3 0x3a 5 0x12e4655e 0x2f 0x4a 7 9 0x4d 6 0x5fa52ebd 0xd60d12f5 0xebe0656e 0x24 0x2c 0x7f 0x6614dd26 0x80000001 0x36 0x5b6c9b32 2 2 9 0xd3173f0e 9 0x13 0x55555555 0x80000000 0 6 0x3b 0x7f 0x80000000 7 7 0x34 8 5 0x676c9252 0xa5dcdc6d 6 0x100 0x40 0xfffffffe 8 9 0x4f 0x2957f32d 0 7 1 0x14 0x9f6d565c 7 0xd 0x5508656a 0x14 0x7fff 0 0xe5c07b1d 0x39 8 0x55555555 3 0x31 2 0 0x17 0x42 0x1f 0x4add581d 0xd1c1adcb 0x561184c8 6 0xae65a040 0 0x59 3 0xf958e375 0x7fffffff 0x7fffffff 0 0xf12698dc 2 0xfc0e5f3f 2 0xa 0x80000001 2 0x4118fc1f 0x100 0x76b1b6e1 0x30 0x3f 0x2a 0x57 0x3f 0x11 0x57 0xaaaaaaaa 0x28ad88ea 0x97070507 0xf 6 0x33 2 2 7 0x21 0x32 2 0x47 0x7fffffff 0x80 0x2ca12881 0xf 8 8 0x40 5 1 0x5975dbd6 0x3d 0xfffffffe 0x3faf9fed 0 7 0x61e7672c 0x944b8e17 7 1 0xae4db170 6 0xd8cb303c 0x19 0xe50eb4b9 0xaefcd8aa 0 7 0x60 6 0x56 1 5 0x28 7 7 7 0x49323118 0x100 9 7 0x7fffffff 1 0xb1f571d0 4 0x8000 0x80 0x60104e9 0x40000000 0x9d6d030
// @buffer in16 u32 9 8 0x607d0032 3 4 2 9 0x7fffffff
// @buffer uni21 u32 7 3 0x7fff 0x17 0x6c7a47f5 5 0xc0000001 0 0xc27c0000 0x40800000 0xc1900000 0xc0200000
// @buffer own22 u32 0x4a00c860 0x45004be0 0xc98046c0 0x3d003800 0xc9803c00 0x4b6044c0 0xcb604a00 0x48a04280
// @buffer own23 u32 0 0x53 9 0x22 8 0x20 2 7 0xfffffffe 9 0 8 2 0x80000001 6 5
// @buffer count24 u32 0xe4d49aee 0x1c 7 0 0x40000000 0xc0000000 0x40000000 0x43ebf900 0xc3b17c00 0xbf400000 0x42800000 0x41800000 0xbf800000 0xc30cfc00 0x41300000 0x501502f9 0x4d 0x55555555 0x6b8b8841 0
enable f16;
struct S1 {
  m2: u32,
  @align(16) m3: u32,
  @align(16) @size(36) m4: mat2x3<f32>,
  @size(20) m5: u32
}
struct S6 {
  m7: i32,
  m8: f16,
  m9: vec2<i32>,
  m10: array<i32, 1>
}
struct U17 {
  @align(16) m18: array<vec4<i32>, 1>,
  m19: vec3u,
  m20: vec4<f32>,
}
struct S25 {
  m26: array<atomic<i32>, 3>,
  m27: mat3x4f,
  @align(16) m28: array<atomic<i32>, 3>,
}
const C11: i32 = 22i;
const C12 = abs(dot((vec3<f32>(vec2<f32>(23.0f, 11f), -973.91406)), vec3f(0.25f, 8.0f, 7.f),));
const C13: f32 = C12;
@group(3) @binding(1) var<storage, read_write> out14: array<u32>;
var<private> lane15: u32;
@group(1) @binding(5) var<storage, read> in16: array<u32, 8>;
@group(0) @binding(1) var<uniform> uni21: U17;
@group(2) @binding(3) var<storage, read_write> own22: array<f16>;
@group(0) @binding(6) var<storage, read_write> own23: array<u32>;
@group(2) @binding(0) var<storage, read_write> count24: S25;
var<private> priv29: i32;
var<private> priv30: vec3<i32>;
var<private> priv31: array<u32, 1> = array<u32, 1>(0x34);
var<workgroup> shared32: array<vec2<u32>, 8>;
fn fn33(p34: array<vec2u, 4>, p35: S6, p36: ptr<workgroup, vec2u>) -> i32 {
  switch (u32((616 ^ (442 | 31)) + 506 % 82874668 * (792 + 811)) % 3u) {
    case 4u {}
    case 9u {
      priv30[select(2i, p35.m10[0u], true)] ^= insertBits(priv30.z, priv30.y | p35.m7, 13u, 15u);
      var C13: S6 = p35;
      priv31[0i] /= max(p34[2i >> 29u].x, 3221225473u);
      break;
    }
    case 4294967291u, default {}
  }
  {
    var fuel = 8u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      let ptr38: ptr<private, vec3<i32>> = &priv30;
      var v39: vec3u = uni21.m19 ^ ((p34[3u].x - (*p36)[0u]) * vec3u(1u));
      {
        var x40 = min(own23[lane15], select(select(u32(8), p34[2].y, false), u32(priv30.z), p35.m8 >= own22[lane15]));
        if ((x40 == 4u)) {
          out14[lane15 * 12u + 0u] = p34[(x40 / 6u) & 6u][1u];
        }
      }
      continuing {
        if ((select(priv31[0], v39[1u], false) <= (pack4x8snorm(uni21.m20))) | (127u % 0x1au > own23[lane15])) {
          out14[lane15 * 12u + 11u] = min(v39.y, clamp(p34[0u].x * (*p36).y, (reverseBits(v39.z)), v39[0]));
        } else {
        }
        break if !true | (false != true);
      }
    }
  }
  out14[(lane15) * 12u + 5u] = out14[(lane15) * 12u + 5u] * 31u + (extractBits((p34[1])[1i], 5u, 9u) ^ p34[p34[3u].x >> 30u].x);
  {
    var fuel = 5u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      priv31[(*p36).g % 1u] *= u32(uni21.m18[0i].y); // ends; here
      if ((dot(vec3h(), vec3h(-4.5h)) <= fract(11.5h)) == ((uni21.m19[1] > 32768u) != ((*p36).x > 0x1fu))) {
        {
          let x41 = uni21.m18[p35.m10[0i] >> 28u].w;
          if (!(x41 - 3i <= 9i)) {
          } else {
            out14[(lane15) * 12u + 4u] ^= in16[x41 - 3i];
          }
        }
        own23[lane15] = max((*p36).x, (*p36).g);
        {
          var fuel = 1u;
          while (false) {
            if (fuel == 0u) { break; }
            fuel--;
            out14[lane15 * 12u + 6u] ^= clamp(select(bitcast<u32>(priv29), priv31[0] + (*p36)[0], false), countOneBits((p34[3].x + u32(5))), (uni21.m19)[7u * 0u]);
            priv30.x *= ~91i;
          }
        }
      } else {
      }
      switch (9i % 5i) {
        case 4i, default: {
          switch (countOneBits(priv30.z ^ priv29) % 8i) {
            case 1i: {
              let ptr42 = p36;
            }
            case 15i {}
            case 8i: {}
            default {}
          }
        }
        case 1i {}
      }
      continuing {
        break if modf(6.75h).whole <= own22[lane15];
      }
    }
  }
  return -i32(~32u);
}
fn fn43(p44: ptr<workgroup, vec2u>, p45: f32, p46: f32) -> u32 {
  own22[lane15] = mix(max(min(ceil(own22[lane15]), 8.0h), -8.0h), max(min(round(trunc(own22[lane15])), 8.0h), -8.0h), max(min(ceil(own22[lane15]), 8.0h), -8.0h));
  {
    var fuel = 6u;
    for (var at47 = dot(vec2<u32>(32767, 5), vec2<u32>(8u, 0x46),) + own23[lane15]; (at47 < 6u);) {
      if (fuel == 0u) { break; }
      fuel--;
      for (var at48 = 1u; (at48 < 4u); at48 += 2u) {
        return abs(bitcast<u32>(C11));
      }
    }
  }
  var<function> v49: vec3h;
  atomicAnd(&count24.m26[0], C11);
  priv31[u32(0)]++;
  priv29 = select(priv30[(p44).y & 1u], priv30.g, true); // ends; here
  priv30[clamp(priv31[i32(0)], 0u, 2u)] %= priv30[(p44)[1] % 3u];
  {
    var fuel = 1u;
    while (abs(in16[0i]) == (p44).y) {
      if (fuel == 0u) { break; }
      fuel--;
      fn33(array<vec2<u32>, 4>(vec2u(u32(4), 9u), vec2u(6u, 84,), vec2u(0xa3bafffd, 0x292418b1), vec2<u32>(0x3f, 8u)), S6((fn33(array<vec2<u32>, 4>(vec2<u32>(2046864387u, 0x41), vec2<u32>(2, 2,), vec2u(0u, u32(8)), vec2u(5, 4),), (S6()), (p44))), own22[lane15], vec2<i32>(3, i32(-1492858855)) - 8i, array<i32, 1>(C11),), (p44));
    }
  }
  switch (dot4I8Packed((p44).x, own23[lane15])) {
    case i32(9), default {
      out14[lane15 * 12u + 10u] = out14[lane15 * 12u + 10u] * 31u + u32(i32(max(min(round(select(p45, p45, (-6.0 == p45) != (true & false))), 16.0f), -16.0f) * max(min(trunc(16.0f), 16.0f), -16.0f)));
    }
    case i32(5), 14i,: {}
  }
  if (own23[lane15] > (max((p44).y, priv31[i32(0)]) ^ insertBits(((p44).y), u32(7), (p44).y, own23[lane15],))) {
    priv31 = array<u32, 1>(extractBits(5u, 2u, 6u) + priv31[0u]);
    {
      var fuel = 4u;
      loop {
        if (fuel == 0u) { break; }
        fuel--;
        var<function> v50 = p46;
        continuing {
          break if ((clamp(uni21.m19.y, 2178120884u, 0xa65d3555u)) < clamp((p44).x, priv31[0i], 4u,));
        }
      }
    }
    out14[lane15 * 12u + 8u] = (u32(all(priv30 > priv30) && (priv30.x & priv29) == priv29));
    fn33(array<vec2<u32>, 4>(~*(p44), *(p44), max(vec2u(0xc0000001u, 3054329124,), *(p44),), vec2<u32>(0x7fu, 2u) << vec2<u32>(15u),), S6(uni21.m18[0i][0u], trunc(v49[1]), vec2<i32>(*(p44)), array<i32, 1>(uni21.m18[0].w),), (p44));
    const v51: vec3<f32> = vec3<f32>(ldexp(C13, 0i), vec2<f32>(C13, C12));
    out14[lane15 * 12u + 4u] = (u32(min(C11, (i32(6) * priv30.x)) & priv30.y));
  } else {
    own23[lane15] <<= (p44).x;
    v49.z = (-11.h + 0x1.6p+03h) * 3.0h - 4.0h;
    {
      var fuel = 5u;
      loop {
        if (fuel == 0u) { break; }
        fuel--;
        let v52 = S1();
        continuing {
          *(p44) >>= *(p44);
          let v53 = array<vec2<u32>, 4>(*(p44), vec2<u32>(countLeadingZeros(0u), 33u), (p44).xx, (p44).y * extractBits(vec2<u32>(0x3f, 1u), 4u, (priv31[0])));
          priv30.x %= C11;
          {
            var fuel = 5u;
            while (true) {
              if (fuel == 0u) { break; }
              fuel--;
              let ptr54 = &own23[lane15];
            }
          }
          break if clamp(v49.y, 5.75h, 11.75h) == 11.75h;
        }
      }
    }
  }
  return ((p44).y + 8 - (8u ^ priv31[0])) * own23[lane15];
}
fn swap55(p56: vec2u, me57: u32) -> vec2u {
  {
    var<function> x58 = abs(priv30.y) - insertBits(priv30.y, select(priv29, priv30[1], true), own23[lane15], 12u);
    if (abs((x58)) + 63i >= 1i && abs((x58)) + 63i <= 3i) {
      (x58) += -1073741823i;
      (priv31[abs((x58)) + 63i]) = priv31[u32(0)] / p56.y;
    }
  }
  const v59: array<u32, 6> = array<u32, 6>(max(4u, 1419695196u), clamp(0x9a75f496u, 76u, 1073741824u), 1u * 0x14u, 6u, 31u + 0xau, (0x27u & u32(5)));
  (shared32)[me57] = p56;
  workgroupBarrier();
  let got60 = shared32[(me57 + 1u) % 8u];
  workgroupBarrier();
  return got60;
}
@compute @workgroup_size(1u, 8u)
fn main61(@builtin(local_invocation_index) li62: u32, @builtin(workgroup_id) wg63: vec3<u32>, @builtin(num_workgroups) nw64: vec3<u32>) {
  lane15 = (wg63.x + (nw64.x * (wg63.y + nw64.y * wg63.z))) * 8u + li62;
  shared32[li62] = vec2u(0xf23e2d5, 3) * shared32[li62];
  out14[(lane15 * 12u) + 1u] += insertBits((nw64[2u]) - firstLeadingBit(2147483649u), shared32[li62].r, 13u, 9u);
  {
    var fuel = 2u;
    while (priv31[0] > li62 || (true && false)) {
      if (fuel == 0u) { break; }
      fuel--;
      shared32[li62] &= vec2u(vec2<bool>(true, C11 >= priv29));
    }
  }
  for (var at65 = 2u; (at65 < 2u); at65 += 1u) {
    atomicAnd(&count24.m26[1], (i32(select(60u, 0x53u, false,))));
  }
  {
    var fuel = 4u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      priv29 = uni21.m18[min(~u32(9), 0u)][2];
      const v66: S1 = S1(u32(C11), countLeadingZeros(5u), (clamp(trunc(36.f), -16.0f, 16.0f) * mat2x3<f32>(clamp(trunc(4294967000.f), -16.0f, 16.0f), clamp(trunc(56f), -4.0f, 4.0f), clamp(floor(3.5f), -4.0f, 4.0f), clamp(ceil(0f), -16.0f, 16.0f), max(min(ceil(49f), 4.0f), -4.0f), max(min(trunc(3.0f), 16.0f), -16.0f))), max(5u, 1794276826u));
      {
        var fuel = 7u;
        loop {
          if (fuel == 0u) { break; }
          fuel--;
          {
            let t67 = shared32[li62];
            shared32[li62] = shared32[li62];
            shared32[li62] = t67;
          }
          priv31 = array<u32, 1>((uni21.m19).z); // ends; here
          {
            var fuel = 2u;
            loop {
              if (fuel == 0u) { break; }
              fuel--;
              let v68 = f32(priv29 & 15i);
              priv31 = array<u32, 1>(1073741824u); // ends; here
              continuing {
                atomicAnd(&count24.m26[u32(true) % 3u], dot(insertBits(priv30, vec3i(i32(2)), 13u, 13u), countOneBits(priv30)));
                priv30 = vec3i(priv29, ~-381264627i + fn33(array<vec2u, 4>(vec2u(4u, 0x1f), vec2<u32>(3u), vec2<u32>(9u, 64), vec2<u32>(2, 65535),), S6(-1873143733, 0x1.9p+02h, (vec2<i32>(2, 1738745624i)), array<i32, 1>(),), &shared32[li62],), fn33(array<vec2u, 4>(shared32[li62], shared32[li62], shared32[li62], shared32[li62]), (S6(1431655765, -1.75h, vec2i(6i), array<i32, 1>(8i))), &shared32[li62]));
                break if firstLeadingBit(priv31[0i]) > wg63.z;
              }
            }
          }
          const v69: mat4x4<f16> = mat4x4<f16>(mix(-4h, -0x1.4p+02h, 9.25h), -8.0, ldexp(14.h, 0i), floor(6h), -(-7.5h), step(-8h, 1.25h), min(0h, -8h), 3.0h, f16(C11 & 15i), -4.75h, ldexp(-4.25h, -1i), ldexp(14.25h, 1i), -1.5, 1.25, -5.75h, 10.25h * -1.0h);
          continuing {
            priv31[countLeadingZeros(nw64[1i])] ^= (3u + 2u - fn43(&shared32[li62], C12, (v66.m4[u32(0)]).b,)) & u32(priv30.y);
            atomicOr(&count24.m28[i32(320) >> 30u], priv29);
            out14[lane15 * 12u + 11u] = out14[lane15 * 12u + 11u] * 31u + li62;
            let ptr70: ptr<private, vec3<i32>> = &priv30;
            break if select(0xfa361cc2u, shared32[li62].y, true) <= uni21.m19.x;
          }
        }
      }
      var<function> v71: array<mat3x3f, 7>;
      continuing {
        break if false;
      }
    }
  }
  switch ((min((wg63[1u]), in16[4u] & 9,))) {
    case default {
      out14[lane15 * 12u + 5u] ^= u32(!(false || true) == any(vec2<u32>(41, 4u,) != vec2u(4, 3u)));
      shared32[li62][0i * 1i] >>= select(wg63.y, 0xf8674ef4u, true) * li62;
      break;
    }
  }
  {
    var fuel = 5u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      priv31 = priv31;
      if (priv30[1] * priv30.y <= min(63i, i32(9),)) {
        continue;
      }
      var v72 = ((0u * 0xffu - li62) >> arrayLength(&own23));
      out14[(lane15) * 12u + 11u] = u32(i32(saturate((-483.6797f - max(min(ceil(C13), 4.0f), -4.0f) * max(min(floor(uni21.m20[2]), 4.0f), -4.0f))) * 16.0f));
      if (~~0x35u <= u32(3)) {
        switch (priv30[uni21.m18[0].w] % 3i) {
          case default {}
          case -2147483647i, 0i,: {}
          case 5i {}
          case 31i, 10i: {
            if (true || false || (false && true)) {
              break;
            }
            shared32[li62].y &= li62 >> (v72 | wg63.x);
            priv30.y = uni21.m18[(extractBits(li62, 3u, 6u))].w; /* two /* nested */ comments */
          }
        }
        {
          let t73 = shared32[li62].y;
          shared32[li62].y = v72;
          v72 = t73;
        }
      }
      continuing {
        {
          var fuel = 5u;
          loop {
            if (fuel == 0u) { break; }
            fuel--;
            shared32[li62].y |= extractBits(fn43(&shared32[li62], f32(priv30.y & 15i), 8.f), nw64.z ^ li62, 9u);
            continuing {
              var v74: i32 = i32(li62 * (clamp(4u, 0x80u, shared32[li62].g)));
              (out14)[(lane15 * 12u) + 3u] ^= nw64[0];
              v74 = select(-C11, i32(((480 / 107) ^ 945) / (229 + 81699704)), !any(vec2<bool>(false, false)));
              {
                let x75 = 16u;
                out14[lane15 * 12u + 1u] = priv31[x75];
              }
              break if uni21.m19[1] == min(wg63.y, 8u);
            }
          }
        }
        switch (fn33(array<vec2u, 4>(vec2<u32>(2147483648u), vec2u(2u), vec2<u32>(1, 0xf29ae19c), (vec2<u32>(0x41u, 0xaaaaaaaa))), S6(), &shared32[li62],) >> 3u) {
          case 13i, 7i, {
            out14[(lane15 * 12u + 3u)] += extractBits(wg63.z, 0u, fn43(&shared32[li62], uni21.m20.w * 38.0, -uni21.m20.x));
            priv31[nw64[0u]] *= nw64.g;
            _ = fn33(array<vec2<u32>, 4>(vec2<u32>(), vec2<u32>(0u, 0xffffu), vec2<u32>(0x6d32cf7e, 0x1c), vec2u(9, 0x945c37cdu)), S6(fn33(array<vec2u, 4>(vec2u(5, 5u), vec2u(4u, 0x40u), vec2<u32>(2, 43u,), vec2<u32>(0xaaaaaaaeu, 5,)), S6(i32(8), -12.5, vec2i(i32(0), 1i,), array<i32, 1>(30i),), &shared32[li62]), own22[lane15], vec2i(), array<i32, 1>(priv30[0])), &shared32[li62],);
          }
          case 19i, 22i {}
          case 26i {}
          case 1i: {
            {
              let t76 = priv29;
              priv29 = priv29;
              priv29 = t76;
            }
            _ = priv30;
            atomicOr(&count24.m28[min(priv29 * 1073741824i, 2i,)], priv30[2]);
            out14[lane15 * 12u + 2u] += u32(~countTrailingZeros(4i) == bitcast<i32>(~shared32[li62][1i]));
            own23[lane15] = ~(shared32[li62].x - (li62 - nw64.y));
          }
          case i32(24): {}
          case default {}
          case i32(10) {}
          case 40i: {}
          case 16i: {
            out14[lane15 * 12u + 0u] = u32(trunc(C12) - uni21.m20.w > uni21.m20.x);
            out14[(lane15 * 12u) + 11u] = li62;
            priv31[i32(u32(uni21.m18[0].x) % 1u)] = u32(-(1431655765 | C11));
          }
          case 32i: {
            priv29++;
            break;
          }
        }
        break if (34i & (uni21.m18[0i].z)) <= (79 ^ priv29);
      }
    }
  }
  fn33(array<vec2u, 4>(shared32[li62] << vec2u(21u), shared32[li62], 0x7f6453b8u - shared32[li62], shared32[li62]), S6(priv29 * priv30.x, sign(-5.5h), vec2i() + vec2i(96i), array<i32, 1>(-7i)), &shared32[li62]);
  {
    let t77 = own23[lane15];
    own23[lane15] ^= shared32[li62].r;
    shared32[li62].r = t77;
  }
  priv31 = array<u32, 1>((fn43(&shared32[li62], -uni21.m20[2], -4.0f,)));
  if (!(sign(uni21.m20.a) == modf(C13).whole)) {
    out14[lane15 * 12u + 9u] += u32(i32(clamp(ceil(select(max(min(ceil(C13), 4.0f), -4.0f) * clamp(round(-2.5f), -4.0f, 4.0f), round(C13), priv31[0i] * 2 <= 6)), -16.0f, 16.0f) * max(min(floor(16.0f), 4.0f), -4.0f)));
  } else {
    if (any(select(vec3<bool>(false, true, true), (vec3<bool>(true)) & vec3<bool>(), vec3<bool>(false).zzz))) {
      switch ((select(countTrailingZeros(shared32[li62].x), nw64[1u], all(vec3<bool>(true, vec2<bool>(true)))) & 5u)) {
        case u32(6): {}
        case u32(2) {
          if ((extractBits((shared32[li62][1]), 5u, 4u,) >= u32(shared32[li62][1i])) && (!(uni21.m20.y >= C13))) {
            {
              var x78 = firstTrailingBit(3501311000u / u32(2)) / min(nw64.z, nw64[1],);
              if (!((x78) < 0x56)) {
              } else {
                out14[lane15 * 12u + 0u] = in16[(x78) / 6u];
              }
            }
            let v79: i32 = min(priv30.z, insertBits(priv30.b, priv30.x, 14u, clamp(li62, 6u, (wg63.y))),);
            let mix = wg63[priv30[2] * 63i];
            priv30.z++; // ends; here
            priv30[clamp(own23[lane15] & wg63.z, 0u, 2u)] = uni21.m18[0].w;
            shared32[li62].y = ~mix;
            atomicAnd(&count24.m26[abs(mix)], bitcast<i32>(mix) % select(priv30.x, v79, true));
            own23[lane15] = priv31[0] * mix + wg63[mix % 3u];
            _ = fn43(&shared32[li62], modf((sign(C13))).whole, C12);
            priv30 = priv30;
          }
          {
            var fuel = 3u;
            loop {
              if (fuel == 0u) { break; }
              fuel--;
              var<function> v81: mat2x4f = mat2x4f(40.0, 0x1.4p+05f, 2.5f, -20.0, 4.f, -62.f, 3f, 689.4297);
              continuing {
                break if (true & false) != select(true, false, false);
              }
            }
          }
        }
        case u32(5), 9u: {}
        case 7u, 10u, default,: {}
      }
      {
        let t82 = own23[lane15];
        own23[lane15] = priv31[countTrailingZeros(wg63.x)];
        priv31[countTrailingZeros(wg63.x)] = t82;
      }
      {
        var fuel = 6u;
        while (select(!true, any(vec3<bool>()), false || true)) {
          if (fuel == 0u) { break; }
          fuel--;
          {
            let x83 = shared32[li62].y + nw64.y - li62;
            if (!(x83 <= 8u)) {
            } else {
              out14[lane15 * 12u + 7u] ^= in16[x83];
            }
          }
        }
      }
    } else {
      if (select((C13 - -15f < step(27f, -0.75f,)), ((8 | priv29) < (fn33(array<vec2<u32>, 4>(vec2u(2u, 94u), vec2u(6u, 1599423354u), vec2u(), vec2<u32>(0x1fu),), S6(8i, -5.25h, vec2<i32>(-1073741823i, i32(32)), array<i32, 1>(99i)), &shared32[li62]))), ((own23[lane15] % 8 < u32(((848 ^ 0x44326ac4) & 399) ^ 886))))) {
        switch (shared32[li62][0u] % (u32(8) - shared32[li62][u32(0)]) % 5u) {
          case 0xffu, 0xfffffffau {}
          case default, u32(9) {}
        }
        for (var at84 = 2i; (at84 < 7i) && false; at84 += 3i) {
          let v85 = vec3f(reverseBits(priv30));
          out14[lane15 * 12u + 9u] = out14[lane15 * 12u + 9u] * 31u + pack4xU8Clamp(~vec4<u32>(6u));
          {
            let x86 = i32(all(vec2u(0x15a69f23u, 0x2fu,) == shared32[li62]));
            (out14)[(lane15) * 12u + 11u] ^= in16[-x86];
          }
          shared32[li62][1u]++;
        }
        {
          var fuel = 8u;
          loop {
            if (fuel == 0u) { break; }
            fuel--;
            out14[lane15 * 12u + 8u] = out14[lane15 * 12u + 8u] * 31u + u32(i32(uni21.m20.w * 16.0f));
            fn33(array<vec2<u32>, 4>(vec2<u32>(shared32[li62].x), vec2<u32>(shared32[li62][1], shared32[li62].y), shared32[li62] % shared32[li62], shared32[li62] & vec2<u32>()), S6(uni21.m18[0].a, (select(own22[lane15], -15.5h, false)), vec2i(-8, uni21.m18[0][2],), array<i32, 1>(priv30.z)), &shared32[li62],);
            continuing {
              priv30.b += min(i32(-1386790207), uni21.m18[0][3u]) % extractBits(priv29, 4u, 10u) / max(countTrailingZeros(priv30.y), priv30.z ^ 79);
              fn33(array<vec2u, 4>(vec2<u32>(u32(2), 0xdf06d13f), vec2u(), vec2<u32>(), vec2u(2, 1810827131)), S6(i32(uni21.m19.z), mix(own22[lane15], -11.5h, -3.0h), 8i * (vec2i()), array<i32, 1>(i32(1)),), &shared32[li62],);
              break if all((vec2<bool>())) && wg63.y != nw64.y;
            }
          }
        }
        var v87 = countOneBits(-uni21.m18[0].w);
        out14[lane15 * 12u + 9u] = fn43(&shared32[li62], max(mix((uni21.m20.x), -15f, (uni21.m20.z),), -C13,), uni21.m20[1i],);
      } else if ((uni21.m20.x <= C13) == (own23[lane15] > 0x59u && true == false)) {
        var<function> v88: array<vec3i, 4>;
        atomicAnd(&count24.m26[shared32[li62].x % 3u], i32(436.40625f) / countTrailingZeros(priv30.g));
        out14[lane15 * 12u + 4u] ^= u32((uni21.m18[min(uni21.m18[0i].z, 0i)].y & -2));
        v88 = array<vec3i, 4>((vec3i(priv30.x)), 0i + extractBits(vec3i(), 10u, 8u), v88[i32(3)] - v88[i32(0)], vec3<i32>(vec2<i32>(i32(-1)), 561026455i,),);
        out14[lane15 * 12u + 10u] = u32(i32(own22[lane15] + own22[lane15]));
        v88 = v88;
        {
          let t89 = priv30.z;
          priv30.z += priv30.r;
          priv30.r = t89;
        }
        shared32[li62] = insertBits(shared32[li62], shared32[li62], shared32[li62].y & 0x7a6d55a1, 2u) + (wg63.x + clamp(shared32[li62][1], 0u, own23[lane15]));
      }
    }
  }
  out14[lane15 * 12u + 10u] += u32((-(clamp(trunc(uni21.m20.z), -4.0f, 4.0f) * max(min(trunc(C12), 16.0f), -16.0f)) < select(uni21.m20.y, uni21.m20.a, !true)));
  {
    var fuel = 5u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      {
      }
      continuing {
        break if (all(vec3<bool>(false, true, true))) | (false || true);
      }
    }
  }
  out14[lane15 * 12u + 2u] = (u32(fn33(array<vec2u, 4>(shared32[li62], vec2u(7u), vec2<u32>(88u), shared32[li62]), S6((uni21.m18[0]).y, own22[lane15], vec2i(i32(476224412), -7), array<i32, 1>(1812222761),), &shared32[li62]) & (priv30.x - 1431655765i / C11)));
}
