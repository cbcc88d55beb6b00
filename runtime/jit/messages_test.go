package jit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

const counting = `enable gpuc_debug;
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
    for (var k = 0u; k < x[0]; k++) {
        printf("%d of %v", k, x[0]);
    }
    assert(id.x + 16 * id.y != x[1], "x[1] is %d", x[1]);
}
`

// counted are the lines of a launch over 16 by 8 invocations in which each prints so many messages.
func counted(iterations, failing int) string {
	var b strings.Builder
	for y := range 8 {
		for x := range 16 {
			for k := range iterations {
				fmt.Fprintf(&b, "counting.wgsl:6: [%d %d 0] %d of %d\n", x, y, k, iterations)
			}
			if x+16*y == failing {
				fmt.Fprintf(&b, "counting.wgsl:8: [%d %d 0] assertion failed: x[1] is %d\n", x, y, failing)
			}
		}
	}
	return b.String()
}

// onDevices calls f with each device that there is, its messages going to a buffer of so many
// bytes.
func onDevices(t *testing.T, bytes int, f func(t *testing.T, d *gpu.Device, k *gpu.Kernel, printed func() string)) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails: %v", err)
	}
	program, err := jit.Parse("folder/counting.wgsl", counting, codegen.Options{Debug: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		t.Run(info.ID(), func(t *testing.T) {
			d, err := gpu.Open(gpu.Named(info.ID()))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			k, err := program.Load(d, "")
			if err != nil {
				t.Fatal(err)
			}
			defer k.Close()
			var to lockedBuffer
			d.SetMessages(gpu.MessageOptions{To: &to, Bytes: bytes})
			f(t, d, k, to.take)
		})
	}
}

// lockedBuffer is a buffer that several streams write to.
type lockedBuffer struct {
	mutex sync.Mutex
	b     bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) take() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

func upload(t *testing.T, d *gpu.Device, values ...uint32) *gpu.Buffer[uint32] {
	t.Helper()
	b, err := gpu.Upload(context.Background(), d, values)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// TestMessages: the lines of launches are there after a wait, launch by launch, and none is left
// for the next.
func TestMessages(t *testing.T) {
	onDevices(t, 0, func(t *testing.T, d *gpu.Device, k *gpu.Kernel, printed func() string) {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		const none = 1 << 20
		two, three := upload(t, d, 2, none), upload(t, d, 3, none)
		grid := gpu.D2(2, 2)
		for range 2 {
			for _, b := range []*gpu.Buffer[uint32]{two, three, two} {
				if err := s.Run(k, grid, b); err != nil {
					t.Fatal(err)
				}
			}
			if early := printed(); early != "" {
				t.Errorf("before the wait there is %q", early)
			}
			if err := s.Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
			if got, want := printed(), counted(2, none)+counted(3, none)+counted(2, none); got != want {
				t.Errorf("printed\n%s\nwant\n%s", got, want)
			}
		}
		if err := s.Wait(context.Background()); err != nil || printed() != "" {
			t.Errorf("%v, or messages are printed twice", err)
		}
	})
}

// TestAssertion: the wait after a launch returns the failed assertion, once.
func TestAssertion(t *testing.T) {
	onDevices(t, 0, func(t *testing.T, d *gpu.Device, k *gpu.Kernel, printed func() string) {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Run(k, gpu.D2(2, 2), upload(t, d, 1, 37)); err != nil {
			t.Fatal(err)
		}
		var failed *gpu.KernelError
		err = s.Wait(context.Background())
		if !errors.As(err, &failed) || !errors.Is(err, gpu.ErrAssertion) || errors.Is(err, gpu.ErrFault) {
			t.Fatalf("the wait returns %v", err)
		}
		if failed.Invocation != [3]uint32{5, 2, 0} || failed.Text != "x[1] is 37" || failed.Line != 8 || failed.Failures != 1 || failed.Kernel != "main" {
			t.Errorf("%+v", failed)
		}
		if want := "folder/counting.wgsl:8:5: kernel main: assertion failed: x[1] is 37, in global invocation (5, 2, 0)"; err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if got, want := printed(), counted(1, 37); got != want {
			t.Errorf("printed\n%s\nwant\n%s", got, want)
		}
		if err := s.Wait(context.Background()); err != nil {
			t.Errorf("the next wait returns %v", err)
		}
	})
}

// TestDroppedMessages: a buffer that is too small holds as many as it can, says how many others
// there were, and keeps the assertion.
func TestDroppedMessages(t *testing.T) {
	const bytes = 1024 // 41 messages of 6 words each, after the header
	onDevices(t, bytes, func(t *testing.T, d *gpu.Device, k *gpu.Kernel, printed func() string) {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 2 {
			if err := s.Run(k, gpu.D2(2, 2), upload(t, d, 1000, 127)); err != nil {
				t.Fatal(err)
			}
			var failed *gpu.KernelError
			if err := s.Wait(context.Background()); !errors.As(err, &failed) || failed.Invocation != [3]uint32{15, 7, 0} || failed.Line != 8 || failed.Failures != 1 {
				t.Errorf("the wait returns %v", err)
			}
			lines := strings.Split(strings.TrimSuffix(printed(), "\n"), "\n")
			if want := fmt.Sprintf("kernel main: and %d more messages, which did not fit into %d bytes", 128*1000+1-41, bytes); len(lines) != 42 || lines[41] != want {
				t.Fatalf("%d lines, the last %q, want 42 and %q", len(lines), lines[len(lines)-1], want)
			}
			// of each invocation the first ones are there, in their order
			iterations := map[string]int{}
			for _, line := range lines[:41] {
				who, what, _ := strings.Cut(line, "] ")
				if want := fmt.Sprintf("%d of 1000", iterations[who]); what != want {
					t.Errorf("%s: %s, want %s", who, what, want)
				}
				iterations[who]++
			}
		}
	})
}

// TestMessagesOfStreams: streams have their own buffers, and each prints all of its lines.
func TestMessagesOfStreams(t *testing.T) {
	onDevices(t, 0, func(t *testing.T, d *gpu.Device, k *gpu.Kernel, printed func() string) {
		const streams, none = 4, 1 << 20
		var group sync.WaitGroup
		for n := range streams {
			b := upload(t, d, uint32(n+1), none)
			group.Go(func() {
				s, err := d.NewStream()
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				for range 3 {
					if err := errors.Join(s.Run(k, gpu.D2(2, 2), b), s.Run(k, gpu.D2(2, 2), b), s.Wait(context.Background())); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		text := printed()
		for n := range streams { // what one wait prints stays together
			batch := counted(n+1, none) + counted(n+1, none)
			if got := strings.Count(text, batch); got != 3 {
				t.Errorf("the messages of %d iterations are there %d times, want 3", n+1, got)
			}
			text = strings.ReplaceAll(text, batch, "")
		}
		if text != "" {
			t.Errorf("besides there is %q", text)
		}
	})
}
