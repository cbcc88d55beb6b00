package listing

import "testing"

// TestListing compares with counts by hand. The kernel has two loops, of which the inner one has a
// skipped part, and a remainder loop with fewer instructions. What ptxas puts after the code is
// not counted.
func TestListing(t *testing.T) {
	const sass = `
	.section	.text.k,"ax",@progbits
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   LDG.E.CONSTANT R3, desc[UR6][R2.64] ;
.L_x_1:
        /*0020*/                   LDG.E.128.CONSTANT R4, desc[UR6][R2.64+0x10] ;
        /*0030*/              @!P1 BRA ` + "`(.L_x_2)" + ` ;
        /*0040*/                   LDS.U8 R8, [R9] ;
        /*0050*/                   IMAD.MOV.U32 R7, RZ, RZ, R4 ;
        /*0060*/                   IMAD.WIDE.U32 R2, R0, 0x4, R4 ;
.L_x_2:
        /*0070*/                   FFMA R4, R4, R5, R6 ;
        /*0080*/                   UIADD3 UR4, UR4, 0x1, URZ ;
        /*0090*/               @P0 BRA ` + "`(.L_x_1)" + ` ;
        /*00a0*/               @P2 BRA ` + "`(.L_x_0)" + ` ;
.L_x_3:
        /*00b0*/                   LDG.E R3, desc[UR6][R2.64] ;
        /*00c0*/               @P0 BRA ` + "`(.L_x_3)" + ` ;
        /*00d0*/                   EXIT ;
.L_x_4:
        /*00e0*/                   BRA ` + "`(.L_x_4)" + `;
        /*00f0*/                   NOP;
`
	const ptx = `.version 7.8
.visible .entry k(
	.param .u64 a
)
{
	.reg .b32 %r<9>;
	ld.param.b64 %d1, [a];
$L1:
	ld.global.nc.v2.b32 {%r1, %r2}, [%d1];
	fma.rn.f32 %r3, %r1, %r2, %r3;
	setp.lt.u32 %p1, %r4, 9;
	@%p1 bra $L1;
	st.shared.b32 [%r5], %r3;
	mul.wide.u32 %d2, %r4, 4;
	ret;
}
`
	for _, test := range []struct {
		name        string
		l           *Listing
		loop, whole string
		units       int
	}{
		{"machine code", Machine(sass), "branch=2 ffma=1 ldg128=1 lds8=1 move=1 uniform=1 wide=1",
			"branch=5 constant=1 ffma=1 ldg128=1 ldg32=2 lds8=1 move=1 uniform=1 wide=1", 4},
		{"PTX", Assembly(ptx), "branch=1 ffma=1 ldg64=1 predicate=1", "branch=2 constant=1 ffma=1 ldg64=1 predicate=1 sts32=1 wide=1", 2},
	} {
		loop := test.l.Hot("ldg")
		if got := loop.String(); got != test.loop {
			t.Errorf("%s: the hot loop has %s, want %s", test.name, got, test.loop)
		}
		if got := loop.Units("ldg"); got != test.units {
			t.Errorf("%s: the hot loop loads %d words, want %d", test.name, got, test.units)
		}
		if got := test.l.Count().String(); got != test.whole {
			t.Errorf("%s: the kernel has %s, want %s", test.name, got, test.whole)
		}
		if test.l.Hot("special") != nil {
			t.Errorf("%s: a loop without the unit is hot", test.name)
		}
	}
}

// TestDeepest: a nested loop is chosen before an outermost one with more instructions. Of two loops
// at the same depth the larger one is chosen.
func TestDeepest(t *testing.T) {
	const ptx = `.visible .entry k() {
$A:
	add.f32 %r1, %r1, %r1;
	add.f32 %r1, %r1, %r1;
	add.f32 %r1, %r1, %r1;
	@%p1 bra $A;
$B:
	mul.f32 %r2, %r2, %r2;
$C:
	fma.rn.f32 %r3, %r3, %r3, %r3;
	@%p1 bra $C;
$D:
	ex2.approx.f32 %r3, %r3;
	ex2.approx.f32 %r3, %r3;
	@%p1 bra $D;
	@%p1 bra $B;
	ret;
}
`
	l := Assembly(ptx)
	if got := l.Deepest().String(); got != "branch=1 special=2" {
		t.Errorf("the deepest loop has %s", got)
	}
	if got := l.Hot("fadd").String(); got != "branch=1 fadd=3" {
		t.Errorf("the loop with additions has %s", got)
	}
	if got := Assembly(".visible .entry k() {\n\tret;\n}\n").Deepest(); got != nil {
		t.Errorf("without loops there is %s", got)
	}
}
