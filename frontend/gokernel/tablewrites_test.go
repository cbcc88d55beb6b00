package gokernel_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestChanged tests which uses of a package-level variable may write to it.
func TestChanged(t *testing.T) {
	const program = `package p

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type array [4]int32

func (a *array) read() int32   { return a[1] }
func (a *array) write()        { a[1] = 2 }
func (a *array) part() []int32 { return a[1:] }
func (a *array) rest() []int32 { return a[1:] }
func (a array) copied()        { a[1] = 3 }
func (a *array) Public() *int32 { return &a[0] }

type writer interface{ write() }
type holder struct{ s []int32 }
type owner struct{ w []int32 }
type open struct{ S []int32 }

var kept []int32

func first(s []int32) *int32             { return &s[0] }
func peek(s []int32) *int32 { return &s[0] }
func double(s []int32)                   { s[0] *= 2 }
func through(s []int32)                  { double(s[1:]) }
func back(n int, p *int32)               { if n > 0 { forth(n-1, p) } }
func forth(n int, p *int32)              { back(n-1, p); *p = 1 }
func generic[T any](x T) T               { return x }
func set[T ~[]int32](x T)                { x[0] = 1 }
func variadic(p ...*int32)               { *p[0] = 1 }
func spread(s ...int32)                  { s[0] = 1 }
func show(w writer)                      {}
func two(s []int32) ([]int32, int)       { return s, 1 }

var _, _, _, _, _, _ = kept, fmt.Println, holder{}, first, through, show
`
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/p\n\ngo 1.26.0\n")
	write("go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+root+"\n)\n")
	reads := []string{
		`for i := range t { _ = t[i] }`, `for _, x := range &t { _ = x }`, `for _, x := range t[1:] { _ = x }`,
		`s := t[:]; _ = s[1] + s[2:][0]`, `s := t[:]; s = nil; _ = s`, `p := &t; _ = p[1] + (*p)[2]`, `q := &t[1]; _ = *q`,
		`_ = len(t[:]) + cap(t[1:])`, `var to [4]int32; copy(to[:], t[:])`, `_ = append(kept, t[:]...)`, `t.copied()`, `_ = t.read()`,
		`_ = t.part()[1]`, `for _, x := range t.part() { _ = x }`, `_ = *peek(t[:])`, `x := t; x[1] = 5; double(x[:])`,
		`var s []int32 = t[:]; switch { case s[0] > 1: }`, `if s := t[:]; s != nil { _ = s }`, `_ = &t`, `_ = holder{t[:]}`, `var h holder; h.s = t[:]`, `h := holder{s: t[1:]}; _ = h.s[1]`, `k := t[0]; k++`,
		`var k int32; for _, k = range t[:] { }; _ = k`,
	}
	writes := []string{
		`t[0] = 1`, `t = array{}`, `t[1]++`, `t[1] += 2`, `t[:][0] = 1`, `(&t)[1] = 2`, `p := &t; p[1] = 2`, `p := &t; *p = array{}`, `q := &t[1]; *q = 2`,
		`s := t[:]; s[0]++`, `s := t[:]; u := s[1:]; for u[0] = range 3 { }`, `t.write()`, `double(t[:])`, `through(t[:])`, `forth(2, &t[0])`, `back(2, &t[0])`,
		`*first(t[:]) = 1`, `p := first(t[:]); *p = 1`, `t.rest()[0] = 1`, `copy(t[:], kept)`, `_ = append(t[:0], 1)`, `clear(t[:])`, `kept = t[:]`,
		`h := owner{t[:]}; h.w[0] = 1`, `var h owner; h.w = t[:]; double(h.w)`, `x := struct{ v []int32 }{t[:]}; y := struct{ v []int32 }(x); y.v[0] = 1`,
		`_ = open{S: t[:]}`, `x := struct{ u []int32 }{u: t[:]}; p := &x.u; (*p)[1] = 2`, `x := []struct{ r []int32 }{{t[:]}}; for _, y := range x { y.r[0] = 1 }`,
		`var w writer = &t; w.write()`, `show(&t)`, `fmt.Println(&t)`, `_ = generic(&t)`, `set(t[:])`, `variadic(&t[1])`,
		`spread(t[:]...)`, `s, _ := two(t[:]); _ = s`, `(*array).write(&t)`, `f := t.write; f()`, `f := func() { t[0] = 1 }; f()`, `s := t[:]; f := func() { s[0] = 1 }; f()`,
		`m := map[int]*int32{0: &t[1]}; _ = m`, `c := make(chan *array, 1); c <- &t`, `var s []int32; s, _ = t[:], 1; s[0] = 2`, `_ = t.Public()`,
		`x, y := t[:], &t; x[0], y[1] = 1, 2`, `for i, s := 0, t[:]; i < 3; i++ { s[i] = 1 }`, `switch s := t[:]; { default: s[0] = 1 }`,
	}
	all := append(reads, writes...)
	text := strings.Builder{}
	text.WriteString(program)
	name := regexp.MustCompile(`\bt\b`)
	for n, use := range all {
		fmt.Fprintf(&text, "\nvar t%d = array{1, 2, 3, 4}\n\nfunc host%[1]d() {\n\t%s\n}\n\nvar _ = host%[1]d\n", n, name.ReplaceAllString(use, fmt.Sprint("t", n)))
		fmt.Fprintf(&text, "\n//gpuc:kernel workgroup=1\nfunc K%d(it gpu.Item, out []int32) { out[0] = t%[1]d[it.Index()] }\n", n)
	}
	write("p.go", text.String())
	var set source.Set
	var list diag.List
	if _, err := gokernel.Load(&set, gokernel.Options{Folder: folder}, &list, "."); err != nil {
		t.Fatal(err)
	}
	refused := map[string]bool{}
	for _, d := range list.Items() {
		table, ok := strings.CutSuffix(d.Message, " is a variable of the package, which kernels read only if it is a table of constants")
		if refused[table] = true; !ok {
			t.Errorf("%v: %s", set.Position(d.Span.Start), d.Message)
		}
	}
	for n, use := range all {
		if got, want := refused[fmt.Sprint("t", n)], n >= len(reads); got != want {
			t.Errorf("%s: refused is %v, want %v", use, got, want)
		}
	}
}
