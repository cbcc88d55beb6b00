package ptx_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
)

// copyRun executes a body for devices with asynchronous copies, with the buffer of run.
func copyRun(invocations uint32, body string) ([]uint32, error) {
	data := make([]byte, 256)
	for n := range 64 {
		binary.LittleEndian.PutUint32(data[4*n:], uint32(100+n))
	}
	err := ptx.Run([]byte(matrixModule(invocations, variables, body)), kernel(invocations, 0), &emulate.Launch{Entry: "main",
		Grid: [3]uint32{1, 1, 1}, Buffers: []emulate.Buffer{{Data: data}}, Steps: 1 << 20})
	words := make([]uint32, 64)
	for n := range words {
		words[n] = binary.LittleEndian.Uint32(data[4*n:])
	}
	return words, err
}

// TestCopies copies parts of several sizes, and waits for one group after the other.
func TestCopies(t *testing.T) {
	const copies = "mov.b32 %r9, words; mov.b32 %r8, others; cp.async.cg.shared.global [%r9], [%d1+16], 16, 16; cp.async.commit_group; " +
		"cp.async.cg.shared.global [%r9+16], [%d1+32], 16, 8; cp.async.cg.shared.global [%r8+32], [%d1+-64], 16, 0; cp.async.commit_group; "
	for _, test := range []struct {
		body string
		want []uint32
	}{
		{copies + "cp.async.wait_group 1; ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r9]; cp.async.wait_group 0; ", []uint32{104, 105, 106, 107}},
		{copies + "cp.async.wait_group 0; ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r9+16]; ", []uint32{108, 109, 0, 0}},
		{copies + "cp.async.wait_group 0; ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r8+32]; ", []uint32{0, 0, 0, 0}},
		// reads are as late as the wait
		{"mov.b32 %r9, words; cp.async.cg.shared.global [%r9], [%d1], 16, 16; cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1; " +
			"ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r9]; ", []uint32{100, 101, 102, 103}},
	} {
		got, err := copyRun(1, test.body+"st.global.v4.b32 [%d1], {%r2, %r3, %r4, %r5};")
		if err != nil || !slices.Equal(got[:4], test.want) {
			t.Errorf("%s: %v, %v, want %v", test.body, got[:4], err, test.want)
		}
	}
}

// TestCopyFaults executes what the ISA leaves undefined.
func TestCopyFaults(t *testing.T) {
	const (
		at = "mov.b32 %r9, words; "
		// each invocation copies a part for the other
		both = at + "shl.b32 %r8, %r1, 4; add.u32 %r9, %r9, %r8; cp.async.cg.shared.global [%r9], [%d1], 16, 16; cp.async.commit_group; "
		read = "xor.b32 %r8, %r8, 16; mov.b32 %r9, words; add.u32 %r9, %r9, %r8; ld.shared.b32 %r2, [%r9];"
	)
	for _, test := range []struct {
		name        string
		invocations uint32
		body, want  string
	}{
		{"no wait", 1, at + "cp.async.cg.shared.global [%r9], [%d1], 16, 16; cp.async.commit_group; ld.shared.b32 %r2, [%r9+4]; cp.async.wait_group 0;",
			"accessed before a wait for the copy of line"},
		{"one group too few", 1, at + "cp.async.cg.shared.global [%r9], [%d1], 16, 16; cp.async.commit_group; cp.async.wait_group 1; st.shared.b32 [%r9], 1;",
			"accessed before a wait for the copy of line"},
		{"no commit", 1, at + "cp.async.cg.shared.global [%r9], [%d1], 16, 16; cp.async.wait_group 0; ld.shared.b32 %r2, [%r9];",
			"accessed before a wait for the copy of line"},
		{"two copies to one part", 1, at + "cp.async.cg.shared.global [%r9], [%d1], 16, 16; cp.async.cg.shared.global [%r9], [%d1], 16, 16;",
			"accessed before a wait for the copy of line"},
		{"never a wait", 1, at + "cp.async.cg.shared.global [%r9], [%d1], 16, 16; cp.async.commit_group;", "ends before a wait for the copy of line"},
		{"no barrier behind the wait", 2, both + "cp.async.wait_group 0; " + read, "a race"},
		{"a barrier before the wait", 2, both + "bar.sync 0; cp.async.wait_group 0; " + read, "accessed before a wait for the copy of line"},
		{"a barrier before and no one behind", 2, both + "cp.async.wait_group 0; bar.sync 0; setp.eq.u32 %p1, %r1, 0; " +
			"@%p1 cp.async.cg.shared.global [%r9], [%d1], 16, 16; @%p1 cp.async.commit_group; @%p1 cp.async.wait_group 0; @!%p1 " + strings.Replace(read, "; ", "; @!%p1 ", -1),
			"a race"},
		{"read by another before", 2, both + "cp.async.wait_group 0; bar.sync 0; setp.eq.u32 %p1, %r1, 1; mov.b32 %r9, words; @!%p1 ld.shared.b32 %r2, [%r9]; " +
			"@%p1 cp.async.cg.shared.global [%r9], [%d1], 16, 16; cp.async.commit_group; cp.async.wait_group 0;", "a race"},
		{"aligned", 1, at + "cp.async.cg.shared.global [%r9], [%d1+8], 16, 4;", "is not aligned to 16 bytes"},
		{"aligned in workgroup memory", 1, at + "cp.async.cg.shared.global [%r9+8], [%d1], 16, 4;", "is not aligned to 16 bytes"},
		{"too many bytes", 1, at + "add.u32 %r2, %r1, 17; cp.async.cg.shared.global [%r9], [%d1], 16, %r2;", "a copy of 17 bytes"},
		{"behind", 1, at + "cp.async.cg.shared.global [%r9], [%d1+256], 16, 1;", "in 256 bytes of global memory"},
		{"without a value", 1, at + "cp.async.cg.shared.global [%r9], [%d1], 16, %r2;", "register %r2 is read before it is written"},
	} {
		if _, err := copyRun(test.invocations, test.body); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
	if _, err := copyRun(2, both+"cp.async.wait_group 0; bar.sync 0; "+read); err != nil {
		t.Errorf("with a wait and a barrier: %v", err)
	}
}
