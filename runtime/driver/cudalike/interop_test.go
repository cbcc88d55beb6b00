//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver"
)

// TestInterop: others get the stream and addresses once fills of the memory come before, and what
// was known of it is not known any more.
func TestInterop(t *testing.T) {
	fakeAPI.ByValue = true
	t.Cleanup(func() { fakeAPI.ByValue = false })
	l, d, s := openFake(t)
	m, err := d.Alloc(256)
	check(t, err)
	check(t, s.Write(driver.Slice{Memory: m, Bytes: 256}, make([]byte, 256)))
	known := func(offset uint64) bool { return m.(*memory).contents.read(s, make([]byte, 16), offset) }
	if !known(0) || !known(64) {
		t.Fatal("what was written is not known before")
	}
	var handed uintptr
	var got []uintptr
	failure := errors.New("theirs")
	enqueue := func(handle uintptr, addresses []uintptr) error {
		handed, got = handle, slices.Clone(addresses)
		return failure
	}
	begin := uintptr(m.(*memory).address)
	if err := Interop(s, []driver.Slice{{Memory: m, Offset: 64, Bytes: 64}}, enqueue); !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	if handed != s.handle || !slices.Equal(got, []uintptr{begin + 64}) {
		t.Errorf("others got stream %d and %v", handed, got)
	}
	if !known(0) || known(64) || !known(128) {
		t.Error("not what others may have written is what is not known any more")
	}
	fresh, err := d.Alloc(256)
	check(t, err)
	calls := l.since(func() { Interop(s, []driver.Slice{{Memory: fresh, Bytes: 256}}, enqueue) })
	if len(calls) != 1 || !strings.HasPrefix(calls[0], "StreamWait ") {
		t.Errorf("before memory that was not filled yet is handed out, the driver is called for %v", calls)
	}
	for name, wrong := range map[string]driver.Slice{"too long": {Memory: m, Bytes: 260}, "of nothing": {}} {
		if err := Interop(s, []driver.Slice{wrong}, nil); err == nil {
			t.Errorf("a slice %s is taken", name)
		}
	}
	if err := Interop(nil, nil, nil); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("of no stream it says %v", err)
	}
}
