// A loop that nothing leaves, and that never runs. Program 16001627 of the generator of whole programs, not reduced.
// @reference cpu
// @dispatch 3 1 1
// @override O5 13.0
// @buffer out6 u32 6 0x80 0x60 0x8000 1 0x5a 0xc0000001 0x80000000 0x50 0x40 8 0x34 0x50 4 4 9 7 8 4 0x61 3 0x3a 8 0x41 0x57a7af28 2 0x4ebec563 0x100 0x29bcdae7 0x60 0x36 5 0x2d 4 7 0xaf9673cb
// @buffer in8 u32 0x17 0x80000000 0x348eba52 0x54bd7cc7 0xaaaaaaaa 1 0xe 0x63 4 0x100 0xf38b83ed 0 4 0x6cf33b4b 8 0x7fffffff 0xe4e96f80 4 9 0xc274a98 9 0x20 8 0x55555555 0xa2edb02b 5 0xcce36633 0x47 0xdcd5fc75 5 7 0x39 0xc571e4e 7 0x7f 8 0x48 9 0x7688e0d7 7
// @buffer in9 u32 0x420c0000 0 0x40000000 0xc2800000 0xc20c0000 0x40800000 0x40000000 0xbf000000 0 0xc1100000 0x42c80000 0xc2200000 0x40200000 0x42c80000 0xc2700000 0x40200000 0x3e800000 0x42c80000 0 0xc2080000 0x44003700 0x42740000
// @buffer uni12 u32 1 0x1f 0x42cbf784 2 0x5b 0x7f 0 4 7 0x80 7 0xfffffffc
alias A1 = vec3<f32>;
alias A2 = vec4<f32>;
struct U10 {
  @align(16) m11: array<vec4<i32>, 3>,
}
const C3: A1 = A1(45.0f, (vec2<f32>(0f, 8.0)),);
const C4 = (19 - (896 - 406) * (0x63 / 882));
override O5: i32 = countLeadingZeros(-1i);
@group(1) @binding(3) var<storage, read_write> out6: array<u32>;
var<private> lane7: u32;
@group(2) @binding(7) var<storage, read> in8: array<vec4u>;
@binding(2) @group(3) var<storage> in9: array<vec2f>;
@group(1) @binding(6) var<uniform> uni12: U10;
@compute @workgroup_size(1u, 1u)
fn main13(@builtin(local_invocation_index) li14: u32, @builtin(workgroup_id) wg15: vec3<u32>, @builtin(num_workgroups) nw16: vec3<u32>, @builtin(global_invocation_id) gi17: vec3<u32>, @builtin(local_invocation_id) lo18: vec3<u32>) {
  lane7 = (wg15.x + nw16.x * (wg15.y + nw16.y * wg15.z)) * 1u + li14;
  {
    var fuel = 2u;
    loop {
      if (fuel == 0u) { break; }
      fuel--;
      {
        var<function> x19 = uni12.m11[1].x;
        out6[lane7 * 12u + 5u] = in8[max(x19, 5i)][u32(7) & 3u];
      }
      continuing {
        break if false || true;
      }
    }
  }
  for (var at20: i32 = 3i; at20 >= 1i; at20--) {
  }
  _ = (vec3<u32>(0x23, 91, 7,));
  out6[(lane7 * 12u) + 10u] = u32(i32(clamp(round((in9[min(4294967294u, 0u)][gi17.z]) * C3[0i]), -4.0f, 4.0f) * max(min(trunc(16.0f), 4.0f), -4.0f)));
  if (!(true == false) | select(false && false, uni12.m11[0].y != -1398314061, (!false))) {
    switch (min(uni12.m11[2].y, uni12.m11[1].w,) & 3i) {
      case 31i, default {}
      case i32(10) {}
      case 13i: {}
      case i32(8), 6i: {}
    }
  }
  for (var at21: u32 = 2u; (at21 < 3u) && -53.0f * -31f <= mix(in9[0u].x, -2.5f, C3.z); at21 += 3u) {
    for (var at22: u32 = 3u; at22 != 6u; at22++) {
      at22 &= at21;
      at22 >>= ~(gi17[u32(0)] >> at21);
      var v23: A1 = (C3 - (C3 + C3)).zzx;
      v23.x *= in9[min(O5, 10i)].x;
      var v24: A1 = vec3<f32>(-43.0, 6.0, 0.5f) - (ldexp(in9[i32(8)].x, -3i) + fract(-0.5f));
      for (var at25 = 3u; at25 >= 0u; at25--) {
        let v26: mat3x4f = transpose(transpose(mat3x4f()) * step(C3[0], in9[3].y));
        v24 -= saturate(v24); // ends; here
      }
      at22 = gi17.x / min(nw16.x, 9 ^ lo18.g,);
      v24[clamp(2814014349u, 0u, 2u)] = v24[i32(u32((uni12.m11)[1i].x) % 3u)];
      v24[at22 & 1u] += ldexp(select(v23.x, -50f, true) + v23[0i], 2i);
      if (ceil(v24.g) - fma(in9[2][u32(1)], in9[3i][u32(1)], v24.g) != min(v24.z - v24[2], -34f * -11f)) {
        if (select(f32(uni12.m11[0][2u] & 15i) <= -19.0 + v23.y, v24[1u] > (C3.y) && (false & true), (-16.f == -30.f) == (v23.z != v24.x),)) {
          v24[clamp(0i * (uni12.m11[0].y), 0i, 2i)] += -clamp(bitcast<f32>((at21 & 8388600u) | 1065353216u), -57.0f, 27f);
          out6[((lane7) * 12u) + 4u] = u32(i32(max(min(v23.x, 255.0 - v23[2]), v24.y)));
        } else {
          v23 = v23 * v23; // ends; here
          let v27 = transpose(transpose(mat3x3<f32>()) * (mat4x3f() * 0.5f));
          v24.z += v23[i32(0)]; /* two /* nested */ comments */
          _ = mat4x2<f32>(in9[1536777385i & 1i], in9[2u], min(in9[0u], vec2<f32>() * in9[0i],), (clamp(max(vec2f(-33.f, 45.0), in9[u32(2)]), vec2<f32>(-7.0f), vec2f(-1.0f),)),);
          v24 = v23;
          v24.z = v27[at22 & 1u][clamp(i32(at22), 0i, 3i,)]; // ends; here
          let v28 = transpose(mat2x4<f32>(v24.x, in9[2i].x, 2.f, v23.y, 8.0, v27[1].w, -39.0f, v23.y) * v23[0]);
          v23 = ldexp(A1(vec2f(4.0, -16.0), 100f,).xyy, vec3<i32>(-1i));
          {
            var x29 = i32(floor(37f) + 100.f * 2.5f);
            out6[(lane7 * 12u + 8u)] = in8[x29][66u & 3u];
          }
          out6[lane7 * 12u + 9u] += gi17.y;
        }
      }
    }
    var v30: mat4x2<f32> = mat4x2<f32>(in9[6u][1u] + modf(C3.y).whole, in9[min(2649343121u, 3u)].y, in9[i32(u32(uni12.m11[1u][1]) % 2u)].x, (dot(vec2f(45.0f, 62.f), in9[6u])) * C3.z, modf(C3.y * C3.x).fract, in9[O5].y, in9[clamp((uni12.m11)[0u][0], 0i, 8i)][0], floor(in9[1].y),);
  }
  let v31 = mat3x4f();
  out6[lane7 * 12u + 11u] = out6[lane7 * 12u + 11u] * 31u + u32(i32(in9[(O5 ^ O5) * 16i][nw16.x - nw16.y]));
}
