package gpu

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
)

// printing is a stream of a fake device, and a kernel each of whose launches prints one message.
func printing(t testing.TB) (*Stream, func(s *Stream)) {
	d, fake := newFake(t)
	a := artefact()
	a.Kernel.Messages = &abi.Messages{List: []abi.Message{{File: "k.wgsl", Line: 3, Format: "hello"}}}
	a.Kernel.Bindings = []abi.Binding{{Name: "messages", Access: abi.ReadWrite, Stride: 4, Element: "u32"}}
	k := must(d.Load(a))
	args := k.Args()
	fake.onLaunch = func() {
		memory := args.parts[k.messages].Memory.(*fakeMemory).data
		copy(memory[abi.MessagesWordsOffset:], binary.LittleEndian.AppendUint32(nil, 1))
		binary.LittleEndian.PutUint32(memory[abi.MessagesUsedOffset:], 4)
	}
	return must(d.NewStream()), func(s *Stream) { check(t, s.Launch(args, D1(1))) }
}

// TestHandleCallsTheDevice: a function that takes messages may call what needs to know where
// messages go, and does not wait for itself then: the test does not end if it does.
func TestHandleCallsTheDevice(t *testing.T) {
	s, launch := printing(t)
	d := s.device
	other := must(d.NewStream())
	got := ""
	d.SetMessages(MessageOptions{Handle: func(m Messages) {
		got += m.String()
		d.SetMessages(MessageOptions{To: io.Discard})
		launch(other) // which makes a buffer
	}})
	launch(s)
	if err, want := s.Wait(t.Context()), "k.wgsl:3: [0 0 0] hello\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	check(t, other.Wait(t.Context()))
	if err := s.Wait(t.Context()); err != nil || got != "k.wgsl:3: [0 0 0] hello\n" {
		t.Errorf("%q, %v behind the other options", got, err)
	}
}

// TestHandleMeetsClose: a function that takes messages calls the device while another goroutine
// closes it, which waits for the call that the function is a part of. It is told so, and neither
// waits for the other: the test does not end if they do.
func TestHandleMeetsClose(t *testing.T) {
	s, launch := printing(t)
	d := s.device
	closed := make(chan error)
	d.SetMessages(MessageOptions{Handle: func(Messages) {
		go func() { closed <- d.Close() }()
		for {
			if b, err := Alloc[uint32](d, 1); errors.Is(err, ErrClosed) {
				return
			} else if err != nil || b.Close() != nil {
				t.Error(err)
				return
			}
		}
	}})
	launch(s)
	if err := s.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	check(t, <-closed)
	check(t, d.Close())
}

// TestPrintingDoesNotAllocate: launches of a kernel that prints allocate nothing once its buffer is
// there.
func TestPrintingDoesNotAllocate(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	s, launch := printing(t)
	s.device.SetMessages(MessageOptions{To: io.Discard})
	for range 20 { // more than the fake device keeps
		launch(s)
	}
	if n := testing.AllocsPerRun(100, func() { launch(s) }); n > 0 {
		t.Errorf("a launch allocates %v times", n)
	}
}
