package mir

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

// parsed reads a text without a module, for a machine with operations of its own. If functions is
// nil, wrong is the message with its position.
func parsed(text string, own ...string) (functions []*Func, wrong string) {
	var set source.Set
	var list diag.List
	file, err := set.Add("t.txt", text)
	if err != nil {
		return nil, err.Error()
	}
	functions = Parse(ir.NewModule(&set), own, file, &list)
	for _, d := range list.Items() {
		wrong += set.Position(d.Span.Start).String() + ": " + d.Message
	}
	return functions, wrong
}

// TestReading prints generated functions, reads them without their module, verifies what was read
// and prints that again. The exec kernels are read for the machine of the tests, which runs what
// was read (TestKernels), and for PTX (TestTextIsRead of codegen/ptx).
func TestReading(t *testing.T) {
	registers, loops := uint32(0), 0
	for seed := range uint64(300) {
		m := irgen.Generate(seed, irgen.Options{NoCalls: true})
		passes := legalisers
		if seed%2 == 0 {
			passes = slices.Concat(opt.Standard(), legalisers)
		}
		(&opt.Context{Verify: true, List: new(diag.List)}).Run(m, passes, ir.Bound|ir.Structured)
		f := lowerModule(t, m)
		text := f.Text()
		functions, wrong := parsed(text)
		if len(functions) != 1 {
			t.Fatalf("seed %d: %d functions: %s in\n%s", seed, len(functions), wrong, text)
		}
		again := functions[0]
		if err := again.Verify(); err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, text)
		}
		if got := again.Text(); got != text {
			t.Fatalf("seed %d: printed\n%sand after reading\n%s", seed, text, got)
		}
		registers += f.Registers(Word)
		loops += strings.Count(text, "branch")
	}
	if registers < 3000 || loops < 300 {
		t.Errorf("%d registers and %d branches are too few to say anything", registers, loops)
	}
}

// wholeText has what the text form has, every kind of it at least once.
const wholeText = `// of two functions
fn @f(%r1, %p1, %h2, %d1)
  symbol 1: private 16 bytes align 16 immediates
  symbol 2: function 6 bytes align 2 %x
b1:
  %r2 = load.u32 [private symbol 1+4] align 4
  store.f16 [private symbol 2+%r1-2] align 2 1.5h
  %r3 = select.f32 %p1, %r2, f32(0x7fc00000)
  return %r3, -5i, true, 18446744073709551615lu
kernel @main
  symbol 1: workgroup 64 bytes align 16 @tile
b1:
  %r1 = builtin local_invocation_index.x
  %d1 = binding_address 0
  %r2 = binding_length 3
  %r3 = symbol_address symbol 1
  %r4, %r5 = load.u32 [storage %d1+8] align 8 unchanged
  %d2 = join.u64 %r4, %r5
  %r6, %r7 = split.u64 %d2
  %d3 = mulwide.i32 %r6, -7i
  store.u32 [workgroup symbol 1+%r1] align 4 %r2
  barrier [workgroup, storage]
  %r8 = atomic_rmw.u32 max [workgroup %r3] align 4 relaxed 5u
  atomic_rmw.u32 exchange [storage %d3-2147483648] align 4 relaxed 5u
  barrier
  %h1 = convert.u32.f16 %r8
  %p1 = lt.f16 %h1, 0.25h
  %r9, %r10 = call @f %r1, %p1, %h1, %d1
  twice.u32 %r9
  branch %p1 b2(%r9, 2u) b7
b2(%r11, %r12):
  jump b2(%r12, %r11)
b7:
  trap
`

// TestWholeText reads a text and prints it again, by lines and white space as it was.
func TestWholeText(t *testing.T) {
	functions, wrong := parsed(wholeText, "twice")
	if len(functions) != 2 {
		t.Fatal(wrong)
	}
	if got := "// of two functions\n" + functions[0].Text() + functions[1].Text(); got != wholeText {
		t.Errorf("found\n%s", got)
	}
	for _, f := range functions {
		if err := f.Verify(); err != nil {
			t.Error(err)
		}
	}
}

// TestWrongText checks the position and the message for texts that cannot be read.
func TestWrongText(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"block @f", "t.txt:1:1: expected fn or kernel, found `block`"},
		{"fn f", "t.txt:1:4: expected `@`, found `f`"},
		{"fn @f\n", "t.txt:2:1: expected a block, found the end of the file"},
		{"fn @f\nb0:\n  return", "t.txt:2:1: blocks have numbers from 1 to 1048575"},
		{"fn @f\nb1:\n  return\nb1:\n  return", "t.txt:4:1: the block is defined twice"},
		{"fn @f\nb1: return", "t.txt:2:5: expected the end of the line, found `return`"},
		{"fn @f\nb1:\n  jump b2", "t.txt:3:8: the function has no block b2"},
		{"fn @f\nb1:\n  jump\nb2:", "t.txt:4:1: expected a block, found `b2`"},
		{"fn @f\nb1:\n  branch true b1", "t.txt:3:17: expected a block, found the end of the file"},
		{"fn @f\nb1:\n  return\nfn @f\nb1:\n  return", "t.txt:4:5: the function is defined twice"},
		{"fn @f\nb1:\n  call @g\n  return", "t.txt:3:9: no function is called @g"},
		{"fn @f\nb1:\n  frob", "t.txt:3:3: no operation is called `frob`"},
		{"fn @f\nb1:\n  %r1 = add.u31 1u, 2u", "t.txt:3:9: no register holds `u31`"},
		{"fn @f\nb1:\n  %x1 = add.u32 1u, 2u", "t.txt:3:4: registers are p, h, r or d with a number, and this is `x1`"},
		{"fn @f\nb1:\n  %r0 = add.u32 1u, 2u", "t.txt:3:4: registers have numbers from 1 to 1048575"},
		{"fn @f\nb1:\n  %r4000000 = add.u32 1u, 2u", "t.txt:3:4: registers have numbers from 1 to 1048575"},
		{"fn @f\nb1:\n  %r1 = add.u32 1u, 2", "t.txt:3:21: the number has no suffix: i, u, f or h; li, lu or lf of 64 bits, bi, bu, si or su of 8 and 16"},
		{"fn @f\nb1:\n  %r1 = add.u32 1u, 2ai", "t.txt:3:21: no register holds such a number"},
		{"fn @f\nb1:\n  %r1 = add.u32 1u, b1", "t.txt:3:21: expected an operand, found `b1`"},
		{"fn @f\nb1:\n  return 1u 2u", "t.txt:3:13: expected the end of the line, found `2u`"},
		{"fn @f\nb1:\n  %r1 = builtin subgroup_size", "t.txt:3:17: expected a builtin value and its component, x, y or z, found `subgroup_size`"},
		{"fn @f\nb1:\n  %r1 = load.u32 [here %d1] align 4", "t.txt:3:19: expected an address space, found `here`"},
		{"fn @f\nb1:\n  %r1 = load.u32 [storage %d1+] align 4", "t.txt:3:31: expected an index or an offset, found `]`"},
		{"fn @f\nb1:\n  %r1 = load.u32 [storage %d1+9999999999999999999] align 4", "t.txt:3:31: expected an offset of 64 bits, found `9999999999999999999`"},
		{"fn @f\nb1:\n  %r1 = load.u32 [storage %d1]", "t.txt:3:31: expected `align`, found the end of the file"},
		{"fn @f\nb1:\n  atomic_rmw.u32 nand [storage %d1] align 4 1u", "t.txt:3:18: no atomic operation is called `nand`"},
		{"fn @f\nb1:\n  barrier [registers]", "t.txt:3:12: no memory is called `registers`"},
		{"fn @f\n  symbol 2: private 4 bytes align 4 @x", "t.txt:2:10: symbols are numbered in their order, and this is number 1"},
		{"fn @f\n  symbol 1: private 4 bytes align 4 %x", "t.txt:2:38: % is a variable in the space function, and @ one of the module in another space"},
		{"fn @f\n  symbol 1: private 3 bytes align 4 @x", "t.txt:2:38: the module has no variable of this name, and none of this size can be declared"},
		{"fn @f\n  symbol 1: private 4 bytes align 4 @f", "t.txt:2:38: @f is no variable"},
		{"fn @f\n  symbol 1: private 4 bytes align 4 @x\n  symbol 2: workgroup 4 bytes align 4 @x", "t.txt:3:40: the variable is in the space private"},
	} {
		if functions, got := parsed(test.text); functions != nil || got != test.want {
			t.Errorf("%q:\n%s, expected\n%s", test.text, got, test.want)
		}
	}
}

// FuzzText reads any text. What can be read prints to a text that reads the same, and what
// verifies can be cleaned and analysed.
func FuzzText(f *testing.F) {
	f.Add(wholeText)
	f.Add("kernel @main\nb1:\n  branch true b2 b1\nb2:\n  jump b3(1u)\nb3(%r1):\n  return\n")
	f.Fuzz(func(t *testing.T, text string) {
		functions, wrong := parsed(text, "twice")
		if (len(functions) == 0) != (wrong != "" || strings.TrimSpace(text) == "") && !strings.Contains(text, "//") {
			t.Fatalf("%d functions, and %q", len(functions), wrong)
		}
		var first strings.Builder
		for _, x := range functions {
			first.WriteString(x.Text())
		}
		again, wrong := parsed(first.String(), "twice")
		if len(again) != len(functions) {
			t.Fatalf("the printed text does not read: %s\n%s", wrong, first.String())
		}
		var second strings.Builder
		for _, x := range again {
			second.WriteString(x.Text())
		}
		if first.String() != second.String() {
			t.Fatalf("printing is no fixpoint:\n%s\n%s", first.String(), second.String())
		}
		for _, x := range functions {
			if x.Verify() != nil {
				continue
			}
			var l Liveness
			l.Analyse(x, false)
			l.Pressure()
			var c Copies
			for _, b := range x.Order {
				for _, e := range x.Edges(x.Last(b)) {
					c.Begin(x)
					c.Edge(e)
					c.Ordered()
				}
			}
			new(cleaner).run(x)
			if err := x.Verify(); err != nil {
				t.Fatalf("cleaned: %v in\n%s", err, x.Text())
			}
		}
	})
}
