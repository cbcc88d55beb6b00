package interp_test

// operationText completes the body of a kernel with 8 invocations. The body has %l, the
// invocation's index, %x, the u32 at that index of the input, and %q, a pointer to the u32 at that
// index of the output @y.
func operationText(body string) string {
	head, body := splitDeclarations(body)
	return `
struct Pair [size 24, align 8] { n: u32 [offset 0], v: vec2<f32> [offset 8], h: f16 [offset 16] }
var @x : ptr<storage, array<u32>> [group 0, binding 0]
var @y : ptr<storage, array<u32>, read_write> [group 0, binding 1]
` + head + `
kernel @k(%l: u32 [local_invocation_index]) [workgroup 8u, 1u, 1u] {
  %px = access @x, %l : ptr<storage, u32>
  %x = load %px : u32
  %q = access @y, %l : ptr<storage, u32, read_write>
` + body + `
  return
}`
}

// splitDeclarations separates what precedes a line of dashes.
func splitDeclarations(body string) (head, rest string) {
	for i := range body {
		if i+4 <= len(body) && body[i:i+4] == "----" {
			return body[:i], body[i+4:]
		}
	}
	return "", body
}

// operationInput is 10, 11, … 17 and a buffer's rest.
func operationInput() []uint32 { return []uint32{10, 11, 12, 13, 14, 15, 16, 17} }

// operationCases has a case for each operation that is not elementwise.
var operationCases = []struct {
	name, body string
	want       []uint32
	outside    bool // uses an index outside of a value, which the checked mode reports
}{
	{"all and any", `
  %a = gt %x, 11u : bool
  %b = gt %x, 13u : bool
  %v = construct %a, %b, %a : vec3<bool>
  %all = all %v : bool
  %any = any %v : bool
  %one = any %a : bool
  %ui = convert %all : u32
  %uj = convert %any : u32
  %uk = convert %one : u32
  %s = add %ui, %uj : u32
  %t = add %s, %uk : u32
  store %q, %t`, []uint32{0, 0, 2, 2, 3, 3, 3, 3}, false},
	{"select", `
  %c = lt %x, 13u : bool
  %d = lt %x, 11u : bool
  %cd = construct %c, %d : vec2<bool>
  %v = select %cd, vec2<u32>(1u, 2u), vec2<u32>(3u, 4u) : vec2<u32>
  %w = select %c, vec2<u32>(10u, 20u), vec2<u32>(30u, 40u) : vec2<u32>
  %s = add %v, %w : vec2<u32>
  %s0 = extract %s, 0u : u32
  %s1 = extract %s, 1u : u32
  %r = mul %s0, %s1 : u32
  store %q, %r`, []uint32{11 * 22, 11 * 24, 11 * 24, 33 * 44, 33 * 44, 33 * 44, 33 * 44, 33 * 44}, false},
	{"dot", `
  %f = convert %x : f32
  %v = construct %f, 2f, 0.5f : vec3<f32>
  %d = dot %v, vec3<f32>(1f, 10f, 4f) : f32
  %i = convert %d : u32
  %w = construct %x, %l : vec2<u32>
  %e = dot %w, %w : u32
  %s = add %i, %e : u32
  store %q, %s`, []uint32{132, 33 + 122, 34 + 148, 35 + 178, 36 + 212, 37 + 250, 38 + 292, 39 + 338}, false},
	{"packed dot", `
  %a = dot4_i8 %x, 4278386179u : i32
  %b = bitcast %a : u32
  %c = dot4_u8 %x, 4278386179u : u32
  %d = mul %c, 1000u : u32
  %s = add %b, %d : u32
  store %q, %s`, []uint32{30030, 33033, 36036, 39039, 42042, 45045, 48048, 51051}, false},
	{"pack and unpack", `
  %f = convert %l : f32
  %n = div %f, 8f : f32
  %v4 = construct %n, 1f, -1f, 0.5f : vec4<f32>
  %a = pack4x8_snorm %v4 : u32
  %ua = unpack4x8_snorm %a : vec4<f32>
  %a2 = pack4x8_snorm %ua : u32
  %b = pack4x8_unorm %v4 : u32
  %ub = unpack4x8_unorm %b : vec4<f32>
  %b2 = pack4x8_unorm %ub : u32
  %i4 = construct %l, 300u, 7u, 4294967295u : vec4<u32>
  %s4 = bitcast %i4 : vec4<i32>
  %c = pack4x_i8 %s4 : u32
  %uc = unpack4x_i8 %c : vec4<i32>
  %c2 = pack4x_i8_clamp %uc : u32
  %d = pack4x_u8 %i4 : u32
  %ud = unpack4x_u8 %d : vec4<u32>
  %d2 = pack4x_u8_clamp %ud : u32
  %v2 = construct %n, -0.25f : vec2<f32>
  %e = pack2x16_snorm %v2 : u32
  %ue = unpack2x16_snorm %e : vec2<f32>
  %e2 = pack2x16_snorm %ue : u32
  %g = pack2x16_unorm %v2 : u32
  %ug = unpack2x16_unorm %g : vec2<f32>
  %g2 = pack2x16_unorm %ug : u32
  %h = pack2x16_float %v2 : u32
  %uh = unpack2x16_float %h : vec2<f32>
  %h2 = pack2x16_float %uh : u32
  %x1 = xor %a, %a2 : u32
  %x2 = xor %b, %b2 : u32
  %x3 = xor %c, %c2 : u32
  %x4 = xor %d, %d2 : u32
  %x5 = xor %e, %e2 : u32
  %x6 = xor %g, %g2 : u32
  %x7 = xor %h, %h2 : u32
  %o1 = or %x1, %x2 : u32
  %o2 = or %o1, %x3 : u32
  %o3 = or %o2, %x4 : u32
  %o4 = or %o3, %x5 : u32
  %o5 = or %o4, %x6 : u32
  %o6 = or %o5, %x7 : u32
  %r = add %o6, %d : u32
  store %q, %r`, []uint32{0xff072c00, 0xff072c01, 0xff072c02, 0xff072c03, 0xff072c04, 0xff072c05, 0xff072c06, 0xff072c07}, false},
	{"convert", `
  %i = sub %x, 13u : u32
  %s = bitcast %i : i32
  %f = convert %s : f32
  %h = convert %f : f16
  %w = convert %h : i64
  %t = convert %w : i32
  %b = convert %t : bool
  %n = convert %b : u32
  %m = bitcast %t : u32
  %k = mul %m, 2u : u32
  %r = add %k, %n : u32
  store %q, %r`, []uint32{^uint32(4), ^uint32(2), ^uint32(0), 0, 3, 5, 7, 9}, false},
	{"bitcast", `
  %v = construct %x, %l : vec2<u32>
  %w = bitcast %v : u64
  %d = bitcast %w : vec2<f32>
  %h = bitcast %x : vec2<f16>
  %g = construct %h, %h : array<vec2<f16>, 2u>
  %h1 = extract %g, 1u : vec2<f16>
  %b = bitcast %h1 : u32
  %d1 = extract %d, 1u : f32
  %e = bitcast %d1 : u32
  %k = mul %e, 100u : u32
  %r = add %k, %b : u32
  store %q, %r`, []uint32{10, 111, 212, 313, 414, 515, 616, 717}, false},
	{"composites", `
  %v = construct %x, %l : vec2<u32>
  %sp = splat %x : vec4<u32>
  %in = insert %sp, %l, 2u : vec4<u32>
  %sh = shuffle %in [zyx] : vec3<u32>
  %i = and %l, 3u : u32
  %dy = insert %sh, 1000u, %i : vec3<u32>
  %e = extract %dy, %i : u32
  %a = construct %dy, %dy : array<vec3<u32>, 2u>
  %j = shr %l, 1u : u32
  %c = extract %a, %j : vec3<u32>
  %c0 = extract %c, 0u : u32
  %f = convert %l : f32
  %fv = construct %f, 1f : vec2<f32>
  %p = construct %x, %fv, 2h : Pair
  %p1 = extract %p, 1u : vec2<f32>
  %ins = insert %p, 7u, 0u : Pair
  %n = extract %ins, 0u : u32
  %p10 = extract %p1, 0u : f32
  %u = convert %p10 : u32
  %s1 = add %e, %c0 : u32
  %s2 = add %s1, %n : u32
  %s3 = add %s2, %u : u32
  store %q, %s3`, []uint32{2007, 1009, 1011, 1013, 2011, 1017, 1019, 1021}, true},
	{"tables", `
  %a = extract array<u32, 4u>(5u, 6u, 7u, 9u), %l : u32
  %b = extract array<vec2<u32>, 2u>(vec2<u32>(100u, 200u), vec2<u32>(300u, 400u)), %l : vec2<u32>
  %b1 = extract %b, 1u : u32
  %z = extract zero<array<u32, 1000u>>, %x : u32
  %s = add %a, %b1 : u32
  %r = add %s, %z : u32
  store %q, %r`, []uint32{205, 406, 407, 409, 409, 409, 409, 409}, true},
	{"memory", `
var @counter : ptr<private, array<u32, 3u>> = array<u32, 3u>(1u, 2u, 3u)
var @table : ptr<constant, array<u32, 4u>> = array<u32, 4u>(4u, 3u, 2u, 1u)
----
  %v = var : ptr<function, array<Pair, 2u>>
  %v2 = var : ptr<function, array<Pair, 2u>>
  %m = var : ptr<function, mat2x3<f32>>
  %b = var : ptr<function, bool>
  %w = var : ptr<function, array<u32, 40u>>
  %i = and %l, 1u : u32
  %f = convert %x : f32
  store %v, zero<array<Pair, 2u>>
  %pn = access %v, %i, 0u : ptr<function, u32>
  store %pn, %x
  %pv = access %v, %i, 1u, %i : ptr<function, f32>
  store %pv, %f
  %ph = access %v, %i, 2u : ptr<function, f16>
  store %ph, 2h
  copy %v2, %v
  %all = load %v2 : array<Pair, 2u>
  %e = extract %all, %i : Pair
  %en = extract %e, 0u : u32
  %ev = extract %e, 1u : vec2<f32>
  %ef = extract %ev, %i : f32
  %eh = extract %e, 2u : f16
  %eu = convert %ef : u32
  %hu = convert %eh : u32
  %c0 = construct %f, 2f, 3f : vec3<f32>
  %mat = construct %c0, vec3<f32>(4f, 5f, 6f) : mat2x3<f32>
  store %m, %mat
  %pc = access %m, 1u, %i : ptr<function, f32>
  store %pc, %f
  %col = access %m, %i : ptr<function, vec3<f32>>
  %cv = load %col : vec3<f32>
  %cs = dot %cv, vec3<f32>(1f, 1f, 1f) : f32
  %cu = convert %cs : u32
  %odd = eq %i, 1u : bool
  store %b, %odd
  %bl = load %b : bool
  %bu = convert %bl : u32
  store %w, zero<array<u32, 40u>>
  %pw = access %w, %x : ptr<function, u32>
  store %pw, 5u
  %wv = load %pw : u32
  %pk = access @counter, 1u : ptr<private, u32>
  %old = load %pk : u32
  %new = add %old, %l : u32
  store %pk, %new
  %kept = load %pk : u32
  %pt = access @table, %i : ptr<constant, u32>
  %tv = load %pt : u32
  %s1 = add %en, %eu : u32
  %s2 = add %s1, %hu : u32
  %s3 = add %s2, %cu : u32
  %s4 = add %s3, %bu : u32
  %s5 = add %s4, %wv : u32
  %s6 = add %s5, %kept : u32
  %s7 = add %s6, %tv : u32
  store %q, %s7`, []uint32{
		10 + 10 + 2 + 15 + 0 + 5 + 2 + 4, 11 + 11 + 2 + 21 + 1 + 5 + 3 + 3,
		12 + 12 + 2 + 17 + 0 + 5 + 4 + 4, 13 + 13 + 2 + 23 + 1 + 5 + 5 + 3,
		14 + 14 + 2 + 19 + 0 + 5 + 6 + 4, 15 + 15 + 2 + 25 + 1 + 5 + 7 + 3,
		16 + 16 + 2 + 21 + 0 + 5 + 8 + 4, 17 + 17 + 2 + 27 + 1 + 5 + 9 + 3}, false},
	{"raw addresses", `
  %b = mul %l, 4u : u32
  %n = convert %l : i64
  %m = mul %n, -4li : i64
  %p1 = address @x, %b [inbounds] : ptr<storage, u32>
  %v1 = load %p1 [align 4] : u32
  %p2 = address @x, %m [offset 28] [inbounds] : ptr<storage, u32>
  %v2 = load %p2 : u32
  %pv = address @x, 8u [offset 8] : ptr<storage, vec4<u32>>
  %v4 = load %pv [align 8] [inbounds] : vec4<u32>
  %v43 = extract %v4, 3u : u32
  %s1 = mul %v2, 100u : u32
  %s2 = add %s1, %v1 : u32
  %s3 = mul %v43, 10000u : u32
  %s = add %s2, %s3 : u32
  %out = address @y, %b [inbounds] : ptr<storage, u32, read_write>
  store %out, %s`, []uint32{171710, 171611, 171512, 171413, 171314, 171215, 171116, 171017}, false},
	{"array length", `
  %n = array_length @x : u32
  %m = array_length @y : u32
  %s = mul %m, 1000u : u32
  %r = add %s, %n : u32
  store %q, %r`, []uint32{32008, 32008, 32008, 32008, 32008, 32008, 32008, 32008}, false},
	{"atomics", `
var @a : ptr<workgroup, atomic<u32>>
var @w : ptr<workgroup, array<atomic<u64>, 2u>>
----
  %o = atomic_rmw @a, %x [add] : u32
  %p = access @w, 1u : ptr<workgroup, atomic<u64>>
  %x8 = convert %x : u64
  %m = atomic_rmw %p, %x8 [max] : u64
  barrier [workgroup]
  %s = atomic_load @a : u32
  %t = atomic_load %p : u64
  barrier [workgroup]
  %c = atomic_compare_exchange @a, %s, %l : u32
  %t4 = convert %t : u32
  barrier [workgroup]
  %e = atomic_load @a : u32
  barrier [workgroup]
  atomic_store @a, 3u
  %s1 = mul %s, 100u : u32
  %s2 = add %s1, %t4 : u32
  %r = add %s2, %e : u32
  store %q, %r`, []uint32{10817, 10817, 10817, 10817, 10817, 10817, 10817, 10817}, false},
	{"calls", `
var @sum : ptr<private, u32>
fn @inner(%p: ptr<function, u32>, %n: u32) : vec2<u32> {
  %v = load %p : u32
  %s = add %v, %n : u32
  store %p, %s
  %g = load @sum : u32
  %h = add %g, 1u : u32
  store @sum, %h
  %r = construct %v, %s : vec2<u32>
  return %r
}
fn @outer(%n: u32) : u32 {
  %v = var : ptr<function, u32>
  store %v, %n
  %a = call @inner, %v, 1u : vec2<u32>
  %b = call @inner, %v, 10u : vec2<u32>
  %big = gt %n, 14u : bool
  if ^i %big {
    return 1u
  } else {
    exit ^i()
  }
  %a1 = extract %a, 1u : u32
  %b1 = extract %b, 1u : u32
  %s = add %a1, %b1 : u32
  return %s
}
fn @nothing() {
  return
}
----
  %r = call @outer, %x : u32
  call @nothing
  %g = load @sum : u32
  %k = mul %g, 1000u : u32
  %s = add %r, %k : u32
  store %q, %s`, []uint32{2032, 2034, 2036, 2038, 2040, 2001, 2001, 2001}, false},
	{"control", `
  %r = scope ^s : u32 {
    %t, %c = loop ^l(%i: u32 = 0u, %sum: u32 = 0u, %prev: u32 = 1u) : u32, u32 {
      %v = switch ^w %i : u32 {
        case 0u, 2u {
          %skip = eq %l, 3u : bool
          if ^k %skip {
            continue ^l(1000u)
          } else {
            exit ^k()
          }
          exit ^w(5u)
        }
        case 4u {
          %stop = eq %l, 5u : bool
          if ^k2 %stop {
            exit ^s(77u)
          } else {
            exit ^k2()
          }
          exit ^w(%prev)
        }
        case 4000000000u {
          unreachable
        }
        default {
          exit ^w(%i)
        }
      }
      %early = eq %l, 6u : bool
      %three = eq %i, 3u : bool
      %both = and %early, %three : bool
      if ^e %both {
        exit ^l(%sum, 9u)
      } else {
        exit ^e()
      }
      continue ^l(%v)
    } continuing(%u: u32) {
      %n = add %i, 1u : u32
      %m = add %sum, %u : u32
      %end = ge %n, 6u : bool
      next ^l(%n, %m, %sum) break_if %end(%m, %prev)
    }
    %k3 = mul %c, 10000u : u32
    %res = add %t, %k3 : u32
    exit ^s(%res)
  }
  store %q, %r`, []uint32{140030, 140030, 140030, 20044010, 140030, 77, 90011, 140030}, false},
	{"parallel moves", `
  %a, %b, %c = loop ^l(%i: u32 = 0u, %p: u32 = 1u, %o: u32 = 2u, %r: u32 = 3u) : u32, u32, u32 {
    continue ^l()
  } continuing {
    %n = add %i, 1u : u32
    %end = eq %i, %l : bool
    next ^l(%n, %o, %r, %p) break_if %end(%p, %o, %r)
  }
  %a1 = mul %a, 100u : u32
  %b1 = mul %b, 10u : u32
  %s = add %a1, %b1 : u32
  %t = add %s, %c : u32
  store %q, %t`, []uint32{123, 231, 312, 123, 231, 312, 123, 231}, false},
	{"subgroup votes", `
  %big = gt %l, 2u : bool
  %all = subgroup_all %big : bool
  %any = subgroup_any %big : bool
  %elect = subgroup_elect : bool
  %ballot = subgroup_ballot %big : vec4<u32>
  %b0 = extract %ballot, 0u : u32
  %u0 = convert %all : u32
  %u1 = convert %any : u32
  %u2 = convert %elect : u32
  %s1 = mul %u1, 1000u : u32
  %s2 = mul %u2, 10000u : u32
  %t1 = add %s1, %s2 : u32
  %t2 = add %t1, %u0 : u32
  %t3 = add %t2, %b0 : u32
  store %q, %t3`, []uint32{11248, 1248, 1248, 1248, 1248, 1248, 1248, 1248}, false},
	{"subgroup shuffles", `
  %v = construct %x, %l : vec2<u32>
  %a = subgroup_broadcast %v, 3u : vec2<u32>
  %b = subgroup_broadcast_first %v : vec2<u32>
  %to = sub 7u, %l : u32
  %c = subgroup_shuffle %v, %to : vec2<u32>
  %d = subgroup_shuffle_xor %v, 2u : vec2<u32>
  %e = subgroup_shuffle_up %v, 1u : vec2<u32>
  %f = subgroup_shuffle_down %v, 1u : vec2<u32>
  %g = quad_broadcast %v, 1u : vec2<u32>
  %h = quad_swap_x %v : vec2<u32>
  %i = quad_swap_y %v : vec2<u32>
  %j = quad_swap_diagonal %v : vec2<u32>
  %a1 = extract %a, 1u : u32
  %b1 = extract %b, 1u : u32
  %c1 = extract %c, 1u : u32
  %d1 = extract %d, 1u : u32
  %e1 = extract %e, 1u : u32
  %f1 = extract %f, 1u : u32
  %g1 = extract %g, 1u : u32
  %h1 = extract %h, 1u : u32
  %i1 = extract %i, 1u : u32
  %j1 = extract %j, 1u : u32
  %s1 = add %a1, %b1 : u32
  %k2 = mul %s1, 10u : u32
  %s2 = add %k2, %c1 : u32
  %k3 = mul %s2, 10u : u32
  %s3 = add %k3, %d1 : u32
  %k4 = mul %s3, 10u : u32
  %s4 = add %k4, %e1 : u32
  %k5 = mul %s4, 10u : u32
  %s5 = add %k5, %f1 : u32
  %k6 = mul %s5, 10u : u32
  %s6 = add %k6, %g1 : u32
  %k7 = mul %s6, 10u : u32
  %s7 = add %k7, %h1 : u32
  %k8 = mul %s7, 10u : u32
  %s8 = add %k8, %i1 : u32
  %k9 = mul %s8, 10u : u32
  %s9 = add %k9, %j1 : u32
  store %q, %s9`, []uint32{
		// broadcast+first, 7-l, l^2, up, down, quad 1, x, y, diagonal
		372011123, 363021032, 350131301, 341241210, 336355567, 327465476, 314575745, 305675654}, false},
	{"subgroup reductions", `
  %f = convert %l : f32
  %add = subgroup_add %x : u32
  %mul = subgroup_mul %f : f32
  %min = subgroup_min %x : u32
  %max = subgroup_max %x : u32
  %and = subgroup_and %x : u32
  %or = subgroup_or %x : u32
  %xor = subgroup_xor %x : u32
  %m = convert %mul : u32
  %s1 = add %add, %m : u32
  %s2 = mul %min, %max : u32
  %s3 = add %and, %or : u32
  %t1 = add %s1, %s2 : u32
  %t2 = add %s3, %xor : u32
  %t = add %t1, %t2 : u32
  store %q, %t`, []uint32{309, 309, 309, 309, 309, 309, 309, 309}, false},
	{"subgroup scans", `
  %l1 = add %l, 1u : u32
  %f = convert %l1 : f32
  %a = subgroup_inclusive_add %l1 : u32
  %b = subgroup_exclusive_add %l1 : u32
  %c = subgroup_inclusive_mul %f : f32
  %d = subgroup_exclusive_mul %f : f32
  %e = div %c, %d : f32
  %g = convert %e : u32
  %k = convert %d : u32
  %s1 = mul %a, 100u : u32
  %s2 = add %s1, %b : u32
  %s3 = mul %g, 100000u : u32
  %s4 = add %s2, %s3 : u32
  %s5 = mul %k, 1000000u : u32
  %s = add %s4, %s5 : u32
  store %q, %s`, []uint32{1100100, 1200301, 2300603, 6401006, 24501510, 120602115, 720702821, 745836332}, false},
	{"tiles", `
  %a = tile_load @x, 0i, 4i, 1i, 2i, 4i, 0i, 0i : tile<u32, 2, 4>
  %b = tile_convert %a : tile<f32, 2, 4>
  %t = tile_transpose %b : tile<f32, 4, 2>
  %one = tile_splat 1f : tile<f32, 2, 2>
  %p = tile_mul_add %b, %t, %one : tile<f32, 2, 2>
  %s = tile_reduce %p [add] : tile<f32, 2, 1>
  %all = tile_broadcast %s : tile<f32, 2, 4>
  %u = tile_convert %all : tile<u32, 2, 4>
  tile_store @y, 0i, 4i, 1i, 2i, 4i, 0i, 0i, %u`, []uint32{1254, 1254, 1254, 1254, 1686, 1686, 1686, 1686}, false},
	{"windows", `
  %a = tile_load_windows @x, 0i, 1i, 2i, 4i, 1i, 8i, 4i, 1i, 1i, 1i, 3i, 1i, 1i, 0i, 1i, 1i, 1i, 2i, 4i, 2i, 1i : tile<u32, 4, 2>
  tile_store @y, 0i, 2i, 1i, 4i, 2i, 0i, 0i, %a`, []uint32{12, 13, 13, 0, 14, 15, 15, 16}, false},
	{"elements of tiles", `
  %a = tile_load @x, 0i, 4i, 1i, 2i, 4i, 0i, 0i : tile<u32, 2, 4>
  %n = tile_count %a : i32
  %last = sub %n, 1i : i32
  %row = tile_row %a, %last : i32
  %column = tile_column %a, %last : i32
  %v = tile_get %a, %last : u32
  %r = convert %row : u32
  %c = convert %column : u32
  %s1 = mul %r, 100u : u32
  %s2 = mul %c, 1000u : u32
  %s3 = add %s1, %s2 : u32
  %s = add %s3, %v : u32
  %b = tile_set %a, %last, %s : tile<u32, 2, 4>
  tile_store @y, 0i, 4i, 1i, 2i, 4i, 0i, 0i, %b`, []uint32{10, 1011, 2012, 3013, 114, 1115, 2116, 3117}, false},
}
