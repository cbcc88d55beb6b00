package spirv

import (
	"slices"
	"testing"
)

// where is the element of the buffer that belongs to the invocation.
const where = "%where = OpAccessChain %pu32 %data u:0 %i\n"

// TestModules executes kernels with control flow, memory, barriers and subgroup operations, and
// compares the buffer with results that were computed by hand.
func TestModules(t *testing.T) {
	for _, test := range []struct {
		name, globals, body string
		groups              uint32
		data, want          []uint32
	}{
		{name: "builtins", body: where + `%g = OpLoad %u3 %group
%x = OpCompositeExtract %u32 %g 0
%ten = OpIMul %u32 %x u:10
%s = OpIAdd %u32 %ten %i
%four = OpIMul %u32 %x u:4
%n = OpIAdd %u32 %four %i
` + put("%n", "%s"), groups: 2, data: make([]uint32, 8), want: []uint32{0, 1, 2, 3, 10, 11, 12, 13}},
		{name: "if with a phi", body: where + `%odd = OpBitwiseAnd %u32 %i u:1
%is = OpINotEqual %bool %odd u:0
OpSelectionMerge %m 0
OpBranchConditional %is %yes %no
%yes = OpLabel
%a = OpIAdd %u32 %i u:100
OpBranch %m
%no = OpLabel
OpBranch %m
%m = OpLabel
%v = OpPhi %u32 %a %yes u:7 %no
OpStore %where %v`, data: make([]uint32, 4), want: []uint32{7, 101, 7, 103}},
		{name: "switch with a shared block", body: where + `OpSelectionMerge %m 0
OpSwitch %i %def 1 %one 2 %both 0 %both
%one = OpLabel
OpBranch %both
%both = OpLabel
%v1 = OpPhi %u32 u:50 %entry u:60 %one
OpBranch %m
%def = OpLabel
OpBranch %m
%m = OpLabel
%v = OpPhi %u32 u:9 %def %v1 %both
OpStore %where %v`, data: make([]uint32, 4), want: []uint32{50, 60, 50, 9}},
		// Fibonacci: the two phis take each other's values at once.
		{name: "loop whose phis exchange", body: where + loop("%n", "%i", `%f = OpPhi %u32 u:0 %entry %g %cont
%g = OpPhi %u32 u:1 %entry %f %cont`, "") + "OpStore %where %f", data: make([]uint32, 4), want: []uint32{0, 1, 0, 1}},
		{name: "function with memory of its own", globals: `%fpoint = OpTypeFunction %u32 %u32 %farray`, body: where + `%v = OpVariable %farray 7
%p2 = OpAccessChain %fu32 %v u:2
OpStore %p2 u:40
%c = OpFunctionCall %u32 %f %i %v
OpStore %where %c
OpReturn
OpFunctionEnd
%f = OpFunction %u32 0 %fpoint
%x = OpFunctionParameter %u32
%q = OpFunctionParameter %farray
%fl = OpLabel
%q2 = OpAccessChain %fu32 %q u:2
%old = OpLoad %u32 %q2
%s = OpIAdd %u32 %old %x
OpReturnValue %s
OpFunctionEnd
%unused = OpFunction %void 0 %fn
%ul = OpLabel`, data: make([]uint32, 4), want: []uint32{40, 41, 42, 43}},
		{name: "private memory starts anew", globals: `%init = OpConstantComposite %array u:1 u:2 u:3 u:4
%private = OpVariable %varray 6 %init`, body: where + `%e = OpAccessChain %vu32 %private %i
%old = OpLoad %u32 %e
%twice = OpIMul %u32 %old u:2
OpStore %e %twice
%all = OpLoad %array %private
%last = OpCompositeExtract %u32 %all 3
OpStore %where %last`, groups: 1, data: make([]uint32, 4), want: []uint32{4, 4, 4, 8}},
		{name: "constants that are larger than a vector", globals: `%six = OpTypeArray %u32 u:6
%psix = OpTypePointer 7 %six
%c = OpConstantComposite %six u:1 u:2 u:3 u:4 u:5 u:6
%null = OpConstantNull %six`, body: where + `%v = OpVariable %psix 7
%w = OpVariable %psix 7 %c
%e = OpCompositeExtract %u32 %c 5
%d = OpCompositeInsert %six %i %c 2
OpStore %v %c
%p = OpAccessChain %fu32 %v %i
%x = OpLoad %u32 %p
%is = OpIEqual %bool %i u:0
OpSelectionMerge %m 0
OpBranchConditional %is %yes %m
%yes = OpLabel
OpBranch %m
%m = OpLabel
%q = OpPhi %six %null %yes %d %entry
%q2 = OpCompositeExtract %u32 %q 2
%wp = OpAccessChain %fu32 %w u:3
%y = OpLoad %u32 %wp
%s1 = OpIMul %u32 %e u:10
%s2 = OpIAdd %u32 %s1 %x
%s3 = OpIMul %u32 %s2 u:10
%s4 = OpIAdd %u32 %s3 %q2
%s5 = OpIMul %u32 %s4 u:10
%s = OpIAdd %u32 %s5 %y
OpStore %where %s`, data: make([]uint32, 4), want: []uint32{6104, 6214, 6324, 6434}},
		{name: "workgroup memory and a barrier", body: where + `%s = OpAccessChain %wu32 %shared %i
OpStore %s %i
OpControlBarrier u:2 u:2 u:0x108
%j = OpBitwiseXor %u32 %i u:3
%o = OpAccessChain %wu32 %shared %j
%v = OpLoad %u32 %o
OpStore %where %v`, data: make([]uint32, 4), want: []uint32{3, 2, 1, 0}},
		{name: "barrier in a uniform loop", body: where + `%s = OpAccessChain %wu32 %shared %i
OpStore %s %i
` + loop("%n", "u:3", "", `OpControlBarrier u:2 u:2 u:0x108
%i1 = OpIAdd %u32 %i u:1
%j = OpBitwiseAnd %u32 %i1 u:3
%o = OpAccessChain %wu32 %shared %j
%v = OpLoad %u32 %o
OpControlBarrier u:2 u:2 u:0x108
OpStore %s %v
`) + `%r = OpLoad %u32 %s
OpStore %where %r`, data: make([]uint32, 4), want: []uint32{3, 0, 1, 2}},
		{name: "atomics", body: `%p = OpAccessChain %pu32 %data u:0 u:0
%p1 = OpAccessChain %pu32 %data u:0 u:1
%p2 = OpAccessChain %pu32 %data u:0 u:2
%p3 = OpAccessChain %pu32 %data u:0 u:3
%p4 = OpAccessChain %pu32 %data u:0 u:4
%p5 = OpAccessChain %pu32 %data u:0 u:5
%p6 = OpAccessChain %pu32 %data u:0 u:6
%p7 = OpAccessChain %pu32 %data u:0 u:7
%a = OpAtomicIAdd %u32 %p u:1 u:0 u:2
%b = OpAtomicSMin %u32 %p1 u:1 u:0 u:0xFFFFFFFE
%c = OpAtomicUMax %u32 %p2 u:1 u:0 %i
%d = OpAtomicOr %u32 %p3 u:1 u:0 %i
%e = OpAtomicCompareExchange %u32 %p4 u:1 u:0 u:0 u:77 u:5
%f = OpAtomicISub %u32 %p5 u:1 u:0 u:1
%g = OpAtomicExchange %u32 %p6 u:1 u:0 u:6
%h = OpAtomicLoad %u32 %p6 u:1 u:0
OpAtomicStore %p7 u:1 u:0 %h
%k = OpAtomicXor %u32 %p7 u:1 u:0 u:0
%k2 = OpAtomicAnd %u32 %p7 u:1 u:0 u:0xFF
%k3 = OpAtomicUMin %u32 %p7 u:1 u:0 u:100
%k4 = OpAtomicSMax %u32 %p7 u:1 u:0 u:0xFFFFFFFC`, data: []uint32{1, 0, 0, 0, 5, 0, 9, 0},
			want: []uint32{9, 0xFFFFFFFE, 3, 3, 77, 0xFFFFFFFC, 6, 6}},
		{name: "atomics on workgroup memory", body: where + `%s = OpAccessChain %wu32 %shared u:0
OpAtomicStore %s u:2 u:0 u:5
OpControlBarrier u:2 u:2 u:0x108
%a = OpAtomicIAdd %u32 %s u:2 u:0 u:1
OpControlBarrier u:2 u:2 u:0x108
%b = OpAtomicLoad %u32 %s u:2 u:0
OpStore %where %b`, data: make([]uint32, 4), want: []uint32{9, 9, 9, 9}},
		{name: "length and a copy of memory", body: `%l = OpArrayLength %u32 %data 0
%v = OpVariable %farray 7
%w = OpVariable %farray 7
%null = OpCompositeConstruct %array %l u:8 u:9 %i
OpStore %v %null
OpCopyMemory %w %v
%e = OpAccessChain %fu32 %w %i
%x = OpLoad %u32 %e
` + where + "OpStore %where %x", data: make([]uint32, 4), want: []uint32{4, 8, 9, 3}},
		{name: "subgroup operations", body: where + `%one = OpIAdd %u32 %i u:1
%a = OpGroupNonUniformIAdd %u32 u:3 0 %i
%b = OpGroupNonUniformIAdd %u32 u:3 2 %i
%c = OpGroupNonUniformIMul %u32 u:3 1 %one
%d = OpGroupNonUniformShuffleXor %u32 u:3 %i u:1
%e = OpGroupNonUniformQuadSwap %u32 u:3 %i u:2
%f = OpGroupNonUniformBroadcast %u32 u:3 %i u:2
%s1 = OpIMul %u32 %a u:10
%s2 = OpIAdd %u32 %s1 %b
%s3 = OpIMul %u32 %s2 u:10
%s4 = OpIAdd %u32 %s3 %d
%s5 = OpIMul %u32 %s4 u:10
%s6 = OpIAdd %u32 %s5 %e
%s7 = OpIMul %u32 %s6 u:10
%s8 = OpIAdd %u32 %s7 %f
%s9 = OpIMul %u32 %s8 u:100
%s = OpIAdd %u32 %s9 %c
OpStore %where %s`, data: make([]uint32, 4), want: []uint32{6013201, 6002202, 6131206, 6320224}},
		// Odd lanes come together in the branch, all after it: the even ones wait there.
		{name: "subgroups converge", body: where + `%odd = OpBitwiseAnd %u32 %i u:1
%is = OpINotEqual %bool %odd u:0
OpSelectionMerge %m 0
OpBranchConditional %is %yes %m
%yes = OpLabel
%a = OpGroupNonUniformIAdd %u32 u:3 0 u:1
OpBranch %m
%m = OpLabel
%v = OpPhi %u32 %a %yes u:0 %entry
%b = OpGroupNonUniformIAdd %u32 u:3 0 u:10
%s = OpIAdd %u32 %v %b
OpStore %where %s`, data: make([]uint32, 4), want: []uint32{40, 42, 40, 42}},
		// In iteration n the lanes above n are active; after the loop, all of them.
		{name: "subgroups converge in loops", body: where + loop("%n", "%i", "%s = OpPhi %u32 u:0 %entry %s2 %cont", `%a = OpGroupNonUniformIAdd %u32 u:3 0 u:1
%s2 = OpIAdd %u32 %s %a
`) + `%b = OpGroupNonUniformIAdd %u32 u:3 0 u:100
%r = OpIAdd %u32 %s %b
OpStore %where %r`, data: make([]uint32, 4), want: []uint32{400, 403, 405, 406}},
		{name: "votes", body: where + `%two = OpULessThan %bool %i u:2
%a = OpGroupNonUniformAny %bool u:3 %two
%b = OpGroupNonUniformAll %bool u:3 %two
%c = OpGroupNonUniformElect %bool u:3
%d = OpGroupNonUniformBallot %u4 u:3 %two
%e = OpGroupNonUniformBroadcastFirst %u32 u:3 %i
%d0 = OpCompositeExtract %u32 %d 0
%x = OpSelect %u32 %a u:100 u:0
%y = OpSelect %u32 %b u:1000 u:0
%z = OpSelect %u32 %c u:10 u:0
%s1 = OpIAdd %u32 %x %y
%s2 = OpIAdd %u32 %s1 %z
%s3 = OpIAdd %u32 %s2 %d0
%s = OpIAdd %u32 %s3 %e
OpStore %where %s`, data: make([]uint32, 4), want: []uint32{113, 103, 103, 103}},
		{name: "a barrier of the subgroup orders its memory", body: where + `%s = OpAccessChain %wu32 %shared %i
OpStore %s %i
OpControlBarrier u:3 u:3 u:0x108
%j = OpBitwiseXor %u32 %i u:1
%o = OpAccessChain %wu32 %shared %j
%v = OpLoad %u32 %o
OpStore %where %v`, data: make([]uint32, 4), want: []uint32{1, 0, 3, 2}},
		{name: "an undefined value that decides nothing", body: where + `%u = OpUndef %u32
%v = OpBitwiseAnd %u32 %u u:0
%w = OpIAdd %u32 %u %i
%yes = OpLogicalOr %bool %true %false
%s = OpSelect %u32 %yes %v %w
OpStore %where %s`, data: []uint32{1, 1, 1, 1}, want: []uint32{0, 0, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := kernel(test.globals, test.body)
			validate(t, text)
			got, err := runKernel(t, text, max(test.groups, 1), test.data)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("expected %v, found %v", test.want, got)
			}
		})
	}
}

// loop counts n from 0 while it is below limit; phis follow the count's in the
// header, and body runs in each iteration.
func loop(n, limit, phis, body string) string {
	return `OpBranch %head
%head = OpLabel
` + n + ` = OpPhi %u32 u:0 %entry %next %cont
` + phis + `
OpLoopMerge %merge %cont 0
OpBranch %check
%check = OpLabel
%more = OpULessThan %bool ` + n + " " + limit + `
OpBranchConditional %more %body %merge
%body = OpLabel
` + body + `OpBranch %cont
%cont = OpLabel
%next = OpIAdd %u32 ` + n + ` u:1
OpBranch %head
%merge = OpLabel
`
}
