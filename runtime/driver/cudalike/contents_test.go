//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// valued is a kernel that reads two uniform buffers and writes a storage buffer, in both forms.
func valued() *abi.Artefact {
	address := func(n int) abi.Parameter { return abi.Parameter{Kind: abi.AddressParameter, Binding: n} }
	value := func(n int) abi.Parameter { return abi.Parameter{Kind: abi.ValueParameter, Binding: n} }
	return &abi.Artefact{
		Target: abi.PTX, Code: []byte("addresses"),
		Kernel: abi.Kernel{Name: "k", Workgroup: [3]uint32{1, 1, 1}, Parameters: []abi.Parameter{address(0), address(1), address(2)},
			Immediates: &abi.Immediates{Size: 4},
			Bindings: []abi.Binding{{Name: "few", Access: abi.Uniform, Size: 12}, {Name: "out", Binding: 1, Access: abi.ReadWrite, Stride: 4},
				{Name: "one", Binding: 2, Access: abi.Uniform, Size: 4}}},
		ByValue: &abi.ByValue{Code: []byte("values"), Parameters: []abi.Parameter{address(1), value(0), value(2), {Kind: abi.ImmediatesParameter}}},
	}
}

// valuedTest is a device on which streams launch such a kernel.
type valuedTest struct {
	*testing.T
	l    *fakeLibrary
	d    *device
	s, o *stream // two streams
	k    driver.Kernel
}

func openValued(t *testing.T) *valuedTest {
	fakeAPI.ByValue = true
	t.Cleanup(func() { fakeAPI.ByValue = false })
	v := &valuedTest{T: t}
	v.l, v.d, v.s = openFake(t)
	other, err := v.d.NewStream()
	check(t, err)
	v.o = other.(*stream)
	v.k, err = v.d.Load(valued())
	check(t, err)
	return v
}

func (v *valuedTest) alloc(bytes uint64) driver.Memory {
	m, err := v.d.Alloc(bytes)
	check(v.T, err)
	return m
}

func words(w ...uint32) (data []byte) {
	for _, x := range w {
		data = binary.LittleEndian.AppendUint32(data, x)
	}
	return data
}

func part(m driver.Memory, offset, bytes uint64) driver.Slice {
	return driver.Slice{Memory: m, Offset: offset, Bytes: bytes}
}

func (v *valuedTest) write(s *stream, b driver.Slice, w ...uint32) {
	v.Helper()
	check(v.T, s.Write(b, words(w...)))
}

// launch launches the kernel, and expects that few and one are passed with these words, or by
// address if there are none.
func (v *valuedTest) launch(what string, s *stream, few, out, one driver.Slice, want ...uint32) {
	v.Helper()
	calls := v.l.since(func() {
		check(v.T, s.Launch(&driver.Launch{Kernel: v.k, Bindings: []driver.Slice{few, out, one}, Immediates: words(77), Grid: [3]uint32{1, 1, 1}}))
	})
	function, ok := strings.CutPrefix(calls[len(calls)-1], "Launch ")
	if !ok {
		v.Fatalf("%s: %q", what, calls)
	}
	function, _, _ = strings.Cut(function, " ")
	a := &s.arguments
	if len(want) == 0 {
		if function != "function2" { // which is loaded later
			v.Errorf("%s: %q, want the variant that takes addresses", what, function)
		}
		if got, w := a.slots[:3], []uint64{uint64(address(&few)), uint64(address(&out)), uint64(address(&one))}; !slices.Equal(got, w) {
			v.Errorf("%s: passed are the addresses %v, want %v", what, got, w)
		}
		return
	}
	if function != "function1" {
		v.Errorf("%s: %q, want the variant that takes values", what, function)
		return
	}
	got := []uint32{uint32(a.slots[1]), uint32(a.slots[1] >> 32), uint32(a.slots[2]), uint32(a.slots[3])}
	if !slices.Equal(got, want) || a.slots[0] != uint64(address(&out)) || uint32(a.slots[4]) != 77 {
		v.Errorf("%s: passed are %v, want %v", what, got, want)
	}
	for n, slot := range []int{0, 1, 3, 4} {
		if a.pointers[n] != unsafe.Pointer(&a.slots[slot]) {
			v.Errorf("%s: argument %d does not lie in slot %d", what, n, slot)
		}
	}
}

// TestContents has launches take by value what the host wrote, and addresses wherever something
// else may have written since.
func TestContents(t *testing.T) {
	v := openValued(t)
	m, out, n := v.alloc(256), v.alloc(64), v.alloc(4)
	few, other, one := part(m, 0, 12), part(m, 128, 12), part(n, 0, 4)
	all := part(out, 0, 64)
	launch := func(what string, want ...uint32) {
		t.Helper()
		v.launch(what, v.s, few, all, one, want...)
	}
	v.write(v.s, few, 1, 2, 3)
	if loaded := slices.DeleteFunc(slices.Clone(v.l.calls), func(c string) bool { return !strings.HasPrefix(c, "ModuleLoad") }); len(loaded) != 1 {
		t.Errorf("before a launch there are %q", loaded)
	}
	launch("one that nobody wrote")
	v.write(v.s, one, 4)
	launch("both written", 1, 2, 3, 4)
	v.write(v.s, part(m, 4, 4), 20)
	launch("a part written", 1, 20, 3, 4)
	v.launch("a part of the memory that nobody wrote", v.s, other, all, one)
	v.write(v.s, other, 5, 6, 7)
	v.launch("a part of the memory", v.s, other, all, one, 5, 6, 7, 4)
	launch("the first part", 1, 20, 3, 4)
	v.launch("what the launch writes itself", v.s, few, other, one, 1, 20, 3, 4)
	v.launch("what a kernel wrote", v.s, other, all, one)
	launch("beside what a kernel wrote", 1, 20, 3, 4)
	v.write(v.s, part(m, 132, 8), 60, 70)
	v.launch("half of what a kernel wrote", v.s, other, all, one)
	v.write(v.s, part(m, 128, 4), 50)
	v.launch("all of what a kernel wrote", v.s, other, all, one, 50, 60, 70, 4)
	check(t, v.s.Copy(part(m, 8, 4), part(out, 0, 4)))
	launch("what a copy wrote")
	v.write(v.s, part(m, 8, 4), 30)
	launch("written over a copy", 1, 20, 30, 4)

	v.l.answers["CopyToDevice memory3"] = 2
	if v.s.Write(one, words(9)) == nil {
		t.Error("a write that fails has no error")
	}
	delete(v.l.answers, "CopyToDevice memory3")
	launch("behind a write that failed")
	v.write(v.s, one, 9)
	launch("behind a write after it", 1, 20, 30, 9)

	replaced := v.alloc(12)
	v.launch("another buffer", v.s, part(replaced, 0, 12), all, one)
	v.write(v.s, part(replaced, 0, 12), 7, 8, 9)
	v.launch("another buffer, written", v.s, part(replaced, 0, 12), all, one, 7, 8, 9, 9)
	large := v.alloc(maxTrackedBytes + 4)
	v.write(v.s, part(large, 0, 12), 1, 2, 3)
	v.launch("memory that is not looked after", v.s, part(large, 0, 12), all, one)
	ring := v.alloc(maxTrackedBytes)
	check(t, v.s.Write(part(ring, 0, abi.ValueBytes+4), make([]byte, abi.ValueBytes+4)))
	v.launch("a write that is not remembered", v.s, part(ring, 0, 12), all, one)
	check(t, v.s.Write(part(ring, maxTrackedBytes-abi.ValueBytes, abi.ValueBytes), slices.Repeat([]byte{1, 0, 0, 0}, abi.ValueBytes/4)))
	v.launch("the end of the memory", v.s, part(ring, maxTrackedBytes-16, 12), all, one, 1, 1, 1, 9)
	v.launch("less than the kernel reads", v.s, part(ring, maxTrackedBytes-16, 8), all, one)
	v.launch("across what is known", v.s, part(ring, maxTrackedBytes-abi.ValueBytes-16, 20), all, one)
	check(t, v.d.Close())
}

// TestContentsOfStreams has another stream take by value what is known to have been written when it
// is launched, and never what the device has to decide.
func TestContentsOfStreams(t *testing.T) {
	for _, finish := range []struct {
		name string
		wait func(v *valuedTest, s *stream)
	}{
		{"wait", func(v *valuedTest, s *stream) { check(v.T, s.Wait(t.Context())) }},
		{"read", func(v *valuedTest, s *stream) {
			m := v.alloc(64)
			check(v.T, s.Read(make([]byte, 64), part(m, 0, 64)))
		}},
		{"event", func(v *valuedTest, s *stream) {
			e, err := s.Record()
			check(v.T, err)
			check(v.T, e.Wait(t.Context()))
		}},
		{"event that is asked", func(v *valuedTest, s *stream) {
			e, err := s.Record()
			check(v.T, err)
			if done, err := e.Done(); !done || err != nil {
				v.Error(done, err)
			}
		}},
	} {
		t.Run(finish.name, func(t *testing.T) {
			v := openValued(t)
			m, out, n := v.alloc(12), v.alloc(64), v.alloc(4)
			few, all, one := part(m, 0, 12), part(out, 0, 64), part(n, 0, 4)
			launch := func(what string, s *stream, want ...uint32) {
				t.Helper()
				v.launch(what, s, few, all, one, want...)
			}
			v.write(v.s, one, 4)
			v.write(v.s, few, 1, 2, 3)
			launch("the stream that wrote", v.s, 1, 2, 3, 4)
			launch("another stream", v.o)
			finish.wait(v, v.o)
			launch("another stream, which was waited for", v.o)
			e, err := v.s.Record()
			check(t, err)
			v.write(v.s, few, 5, 6, 7)
			check(t, e.Wait(t.Context())) // before the last write
			launch("another stream before the last write", v.o)
			finish.wait(v, v.s)
			launch("another stream behind it", v.o, 5, 6, 7, 4)
			v.write(v.o, few, 8, 9, 10)
			launch("the stream that wrote then", v.o, 8, 9, 10, 4)
			launch("the first stream", v.s)
			finish.wait(v, v.o)
			launch("the first stream behind it", v.s, 8, 9, 10, 4)

			wide := v.alloc(12)
			v.launch("a kernel writes", v.o, part(wide, 0, 12), few, one)
			v.write(v.s, few, 1, 1, 1)
			launch("written while a kernel may write", v.s)
			finish.wait(v, v.s)
			finish.wait(v, v.o)
			launch("behind both", v.s)
			check(t, v.d.Close())
		})
	}
}
