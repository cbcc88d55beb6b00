package gpu

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver"
)

func TestOpenAll(t *testing.T) {
	one := &fakeDriver{name: "one", kinds: []driver.Kind{driver.Software}}
	three := &fakeDriver{name: "three", kinds: []driver.Kind{driver.GPU, driver.Software, driver.GPU, driver.GPU}}
	drivers := []driver.Driver{one, three, &fakeDriver{name: CPU, kinds: []driver.Kind{driver.CPU, driver.CPU}}, &fakeDriver{name: "broken", kinds: []driver.Kind{driver.GPU}, broken: true}}
	prefer := Prefer("one", "three")
	for name, c := range map[string]struct {
		options []Option
		want    []string
	}{
		"all of the first driver with GPUs": {[]Option{prefer}, []string{"three:0", "three:2", "three:3"}},
		"some":                              {[]Option{prefer, Count(2)}, []string{"three:0", "three:2"}},
		"too many":                          {[]Option{prefer, Count(4)}, nil},
		"fewer than none":                   {[]Option{prefer, Count(-1)}, nil},
		"a driver":                          {[]Option{Named("three")}, []string{"three:0", "three:2", "three:3"}},
		"a device":                          {[]Option{Named("three:2")}, []string{"three:2"}},
		"a device several times":            {[]Option{Named("three:2"), Count(3)}, []string{"three:2", "three:2", "three:2"}},
		"a software device several times":   {[]Option{Named("one"), Count(2)}, []string{"one:0", "one:0"}},
		"the processor":                     {[]Option{Prefer("one"), AllowCPU()}, []string{"cpu:0"}},
		"the processor several times":       {[]Option{Prefer("one"), AllowCPU(), Count(2)}, []string{"cpu:0", "cpu:0"}},
		"no GPU":                            {[]Option{Prefer("one")}, nil},
		"no driver":                         {[]Option{Prefer("two")}, nil},
		"no named driver":                   {[]Option{Named("two")}, nil},
		"one that does not open":            {[]Option{Named("broken")}, nil},
		"no option":                         {[]Option{nil}, nil},
	} {
		g, err := openAll(drivers, c.options)
		var got []string
		for _, d := range g.Devices() {
			got = append(got, d.Info().ID())
		}
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) {
			t.Errorf("%s: opened are %v, %v, want %v", name, got, err, c.want)
		}
	}
	if _, err := openAll(drivers, []Option{prefer, Count(4)}); !errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(), "4 devices wanted, and three has 3 here") {
		t.Errorf("of too many it says %v", err)
	}
}

func TestGroup(t *testing.T) {
	g, err := OpenAll(Named(CPU), Count(3))
	if err != nil {
		t.Fatal(err)
	}
	devices := g.Devices()
	streams, err := g.NewStreams()
	if err != nil || len(streams) != 3 || streams[2].Device() != devices[2] || g.Len() != 3 {
		t.Fatalf("%d streams, %v", len(streams), err)
	}
	if _, err := NewGroup(devices[0], devices[1], devices[0]); !errors.Is(err, ErrShape) {
		t.Errorf("a device twice: %v", err)
	}
	if _, err := NewGroup(); !errors.Is(err, ErrShape) {
		t.Errorf("no device: %v", err)
	}
	same, err := NewGroup(devices[1:]...)
	if err != nil || same.Len() != 2 {
		t.Errorf("two of three: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := same.NewStreams(); !errors.Is(err, ErrClosed) {
		t.Errorf("streams of closed devices: %v", err)
	}
}

// TestSplit: parts cover all elements, in order, and differ by one at most.
func TestSplit(t *testing.T) {
	for n := range 40 {
		for parts := 1; parts < 9; parts++ {
			next := 0
			for i := range parts {
				start, end := Split(n, parts, i)
				if size := end - start; start != next || size < n/parts || size > (n+parts-1)/parts {
					t.Fatalf("part %d of %d of %d elements is %d to %d, after %d", i, parts, n, start, end, next)
				}
				next = end
			}
			if next != n {
				t.Fatalf("%d parts end at %d of %d", parts, next, n)
			}
		}
	}
	for _, wrong := range [][3]int{{-1, 2, 0}, {4, 0, 0}, {4, 2, 2}, {4, 2, -1}} {
		if start, end := Split(wrong[0], wrong[1], wrong[2]); start != 0 || end != 0 {
			t.Errorf("Split%v is %d to %d", wrong, start, end)
		}
	}
}

// TestScatterGather divides elements among devices and collects them.
func TestScatterGather(t *testing.T) {
	g, err := OpenAll(Named(CPU), Count(3))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	streams, err := g.NewStreams()
	if err != nil {
		t.Fatal(err)
	}
	host := make([]uint16, 1001)
	for i := range host {
		host[i] = uint16(i * 7)
	}
	parts, err := Scatter(t.Context(), g, host)
	if err != nil || len(parts) != 3 || parts[0].Len() != 334 || parts[1].Len() != 334 || parts[2].Len() != 333 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	got := make([]uint16, len(host))
	if err := Gather(t.Context(), streams, parts, got); err != nil || !slices.Equal(got, host) {
		t.Errorf("what was scattered and gathered differs, %v", err)
	}
	slices.Reverse(host)
	if err := errors.Join(ScatterTo(streams, parts, host), Gather(t.Context(), streams, parts, got)); err != nil || !slices.Equal(got, host) {
		t.Errorf("what was scattered again and gathered differs, %v", err)
	}
	for name, err := range map[string]error{
		"too few elements": ScatterTo(streams, parts, host[1:]),
		"too few streams":  Gather(t.Context(), streams[1:], parts, got),
		"no buffers":       Gather(t.Context(), nil, nil, got),
	} {
		if !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Scatter(t.Context(), new(Group), host); !errors.Is(err, ErrClosed) {
		t.Errorf("to no group: %v", err)
	}
	// A device that is closed fails alone.
	if err := g.Devices()[1].Close(); err != nil {
		t.Fatal(err)
	}
	if err := Gather(t.Context(), streams, parts, got); !errors.Is(err, ErrClosed) {
		t.Errorf("from a closed device: %v", err)
	}
	left := make([]uint16, 334)
	if err := parts[0].Read(t.Context(), streams[0], left); err != nil || left[0] != host[0] {
		t.Errorf("a device beside a closed one: %v", err)
	}
}
