// Builtin functions: overloads, results, counts, what must be used (WGSL §17).
enable subgroups;
enable f16;

var<workgroup> counter: atomic<u32>;
var<workgroup> shared_data: array<f32, 64>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage> read_only: array<u32>;

fn good(x: f32, v: vec3f, i: i32, u: u32, h: f16, b: bool) {
  let a1 = max(x, 1) + min(1, 2) + clamp(x, 0, 1);
  let a2 = dot(v, v) + length(v) + distance(v, vec3(1));
  let a3 = select(v, vec3(1), vec3(b, true, false));
  let a4 = mix(v, v, 0.5) + mix(v, v, vec3(0.5));
  let a5 = modf(x).whole + frexp(v).fract.x;
  let a6 = frexp(x).exp + i;
  let a7 = ldexp(x, 2) + ldexp(x, i);
  let a8 = atomicCompareExchangeWeak(&counter, 1, 2);
  if a8.exchanged { atomicAdd(&counter, a8.old_value); }
  let a9 = arrayLength(&data) + arrayLength(&read_only);
  let a10 = workgroupUniformLoad(&shared_data);
  let a11 = workgroupUniformLoad(&counter);
  let a12 = subgroupAdd(v) + subgroupShuffle(v, u) + subgroupBroadcast(v, 3);
  let a13 = bitcast<vec2<u32>>(vec2(x, x));
  let a14 = bitcast<vec2h>(u).x + h * 2;
  let a15 = pack4x8unorm(vec4(1)) + dot4U8Packed(u, u);
  let a16 = abs(-2) + sign(i) + abs(i);
  let a17 = quadBroadcast(x, 2u);
  atomicStore(&counter, 1);
  atomicLoad(&counter);
  workgroupBarrier();
  storageBarrier();
}

fn wrong(x: f32, v: vec3f, i: i32, u: u32, b: bool) {
  let a1 = max(1i, 1u); // want "`max` does not take (i32, u32) [no-overload]"
  let a2 = max(x); // want "`max` takes 2 arguments, found 1 argument [argument-count]"
  let a3 = dot(v, vec2f()); // want "`dot` does not take (vec3<f32>, vec2<f32>) [no-overload]"
  let a4 = cross(vec2f(), vec2f()); // want "`cross` does not take (vec2<f32>, vec2<f32>) [no-overload]"
  let a5 = sqrt(i); // want "`sqrt` does not take (i32) [no-overload]"
  let a6 = select(x, i, b); // want "`select` does not take (f32, i32, bool) [no-overload]"
  let a7 = atomicAdd(counter, 1); // want "`atomicAdd` does not take (atomic<u32>, abstract-int) [no-overload]"
  let a8 = atomicAdd(&shared_data[0], 1); // want "`atomicAdd` does not take (ptr<workgroup, f32>, abstract-int) [no-overload]"
  let a9 = arrayLength(&shared_data); // want "`arrayLength` does not take (ptr<workgroup, array<f32, 64>>) [no-overload]"
  let a10 = bitcast<f16>(u); // want "`bitcast` needs types of equal size: u32 and f16 differ [no-overload]"
  let a11 = bitcast<bool>(u); // want "`bitcast` needs numeric scalars or vectors, found bool [no-overload]"
  let a12 = bitcast(u); // want "`bitcast` takes one template argument, a type: bitcast<T>(…) [invalid-type]"
  max(x, x); // want "the result of `max` must be used [unused-result]"
  let a13 = workgroupBarrier(); // want "the function `workgroupBarrier` has no result [not-a-value]"
  let a14 = subgroupBroadcast(v, u); // want "the second argument of `subgroupBroadcast` must be a const-expression [not-constant]"
  let a15 = subgroupBroadcast(v, 128); // want "the second argument of `subgroupBroadcast` must be at least 0 and less than 128, found 128 [evaluation-error]"
  let a16 = subgroupAdd(b); // want "`subgroupAdd` does not take (bool) [no-overload]"
  let a17 = max<f32>(1, 2); // want "`max` takes no template arguments [invalid-type]"
  let a18 = countOneBits(x); // want "`countOneBits` does not take (f32) [no-overload]"
  let a19 = determinant(mat2x3f()); // want "`determinant` does not take (mat2x3<f32>) [no-overload]"
  let a20 = workgroupUniformLoad(&x); // want "`&` needs a variable or a part of one, found a value of type f32 [invalid-pointer]"
  let a21 = all(v); // want "`all` does not take (vec3<f32>) [no-overload]"
  let a22 = firstLeadingBit(1.5); // want "`firstLeadingBit` does not take (abstract-float) [no-overload]"
  let a23 = bitcast<f32>(u, u); // want "`bitcast` takes 1 argument, found 2 arguments [argument-count]"
  let a24 = bitcast<u32>(vec2f()); // want "`bitcast` needs types of equal size: vec2<f32> and u32 differ [no-overload]"
}
