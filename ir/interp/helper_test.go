package interp_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
)

// compile parses, verifies and compiles the only kernel of an IR text.
func compile(t testing.TB, text string) *interp.Program {
	t.Helper()
	p, err := tryCompile(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryCompile(t testing.TB, text string) (*interp.Program, error) {
	t.Helper()
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %+v\n%s", items, text)
	}
	var list diag.List
	ir.Verify(m, &list)
	for _, d := range list.Items() {
		t.Fatalf("verify: %s %v\n%s", d.Message, d.Notes, text)
	}
	return interp.Compile(m, m.Kernels()[0])
}

// bytesOf returns the memory of a slice.
func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// run launches a program in the defined mode and fails on any report.
func run(t testing.TB, p *interp.Program, l interp.Launch) {
	t.Helper()
	if l.Grid == [3]uint32{} {
		l.Grid = [3]uint32{1, 1, 1}
	}
	items, err := p.Run(&l)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range items {
		t.Errorf("%s: %s", d.Code, d.Message)
	}
}

// runBoth launches in both modes on copies of the buffers, and compares the
// results bit by bit. The buffers hold the result of the defined mode.
func runBoth(t testing.TB, p *interp.Program, l interp.Launch) {
	t.Helper()
	checked := l
	checked.Checked = true
	checked.Buffers = nil
	for _, b := range l.Buffers {
		checked.Buffers = append(checked.Buffers, bytesOf(append([]uint64(nil), words(b)...))[:len(b)])
	}
	run(t, p, l)
	run(t, p, checked)
	for i, b := range l.Buffers {
		if string(b) != string(checked.Buffers[i]) {
			t.Errorf("buffer %d differs between the modes:\ndefined %x\nchecked %x", i, b, checked.Buffers[i])
		}
	}
}

// words returns bytes as aligned words, padded.
func words(b []byte) []uint64 {
	w := make([]uint64, (len(b)+7)/8)
	copy(bytesOf(w), b)
	return w
}

// checked launches in the checked mode and returns the reports.
func checked(t testing.TB, p *interp.Program, l interp.Launch) []diag.Diagnostic {
	t.Helper()
	if l.Grid == [3]uint32{} {
		l.Grid = [3]uint32{1, 1, 1}
	}
	l.Checked = true
	items, err := p.Run(&l)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// expect checks that the reports are the wanted codes in any order, each with a
// text in its message.
func expect(t testing.TB, items []diag.Diagnostic, want ...string) {
	t.Helper()
	for _, w := range want {
		code, text, _ := strings.Cut(w, ": ")
		found := false
		for i, d := range items {
			if d.Code.String() == code && strings.Contains(d.Message, text) {
				items = append(items[:i:i], items[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			t.Errorf("missing: %s", w)
		}
	}
	for _, d := range items {
		t.Errorf("unexpected: %s: %s", d.Code, d.Message)
	}
}
