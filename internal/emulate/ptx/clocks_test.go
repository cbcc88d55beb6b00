package ptx_test

import (
	"strings"
	"testing"
)

// TestBarriersOfWarps has three warps. Each invocation stores a word, and after a barrier loads one
// of another warp.
func TestBarriersOfWarps(t *testing.T) {
	const (
		wide  = ".shared .align 16 .b8 wide[384];\n"
		start = `mov.b32 %r2, wide; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; xor.b32 %r5, %r3, 128; add.u32 %r5, %r5, %r2; setp.lt.u32 %p1, %r1, 64; `
		both  = "st.shared.b32 [%r4], %r1; bar.sync 1, 64; ld.shared.b32 %r6, [%r5]; st.global.b32 [%d2], %r6;"
		again = both + " st.shared.b32 [%r4], %r1; bar.sync 2, 64; ld.shared.b32 %r6, [%r5]; st.global.b32 [%d2], %r6;"
	)
	for _, test := range []struct{ name, body, want string }{
		{"ordered", "@!%p1 bra $L1; " + both + "\n$L1:", ""},
		{"again", "@!%p1 bra $L1; " + strings.Replace(again, "; st.shared", "; bar.sync 3, 64; st.shared", 1) + "\n$L1:", ""},
		{"number in a register", "mov.b32 %r7, 5; @!%p1 bra $L1; " + strings.Replace(both, "1, 64", "%r7, 64", 1) + "\n$L1:", ""},
		{"no barrier before the second store", "@!%p1 bra $L1; " + again + "\n$L1:", "a race"},
		{"other barriers", "@!%p1 bra $L1; " + strings.Replace(both, "bar.sync 1, 64", "bar.sync %r8, 32", 1) + "\n$L1:", "a race"},
		{"warp without the barrier", "@!%p1 bra $L1; " + both + " bra $L2;\n$L1:\n ld.shared.b32 %r6, [%r2]; st.global.b32 [%d2], %r6;\n$L2:", "a race"},
		{"counts", "@%p1 bar.sync 1, 64; @!%p1 bar.sync 1, 32;", "elsewhere"},
		{"too few", "@!%p1 bra $L1; bar.sync 1, 96;\n$L1:", "it waits for invocations that do not come"},
		{"number", "mov.b32 %r7, 16; bar.sync %r7, 96;", "barrier 16, of 16"},
	} {
		body := strings.ReplaceAll(start+"shr.u32 %r8, %r1, 5; ", "; ", ";\n\t") + test.body
		_, err := run(96, 1, wide, body)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
}
