//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// openPair opens two devices of one new library. The handles of the second follow those of the
// first: each has a context, three streams and three events.
func openPair(t *testing.T) (*fakeLibrary, [2]*device, [2]*stream) {
	t.Helper()
	l, _, _ := openFake(t)
	l.handles, l.counts, l.calls = nil, map[string]int{}, nil
	library := fakeAll()
	var devices [2]*device
	var streams [2]*stream
	for n := range devices {
		found := candidate{ordinal: int32(n), pools: true, info: driver.Info{Name: "fake", Memory: 1 << 30}}
		d, err := openDevice(library, found)
		check(t, err)
		s, err := d.NewStream()
		check(t, err)
		devices[n], streams[n] = d, s.(*stream)
	}
	return l, devices, streams
}

// can has the library say that devices can access each other.
func (l *fakeLibrary) can(t *testing.T, access int32) {
	l.onCall = func(function string, all *callArguments) {
		switch function {
		case "PeerQuery":
			*(*int32)(dl.Pointer(all[0])) = access
		case "PoolAccess":
			if a := *(*accessDescription)(dl.Pointer(all[1])); a != (accessDescription{1, 1, 3}) || all[2] != 1 {
				t.Errorf("the pool is opened by %+v", a)
			}
		case "PeerCopy":
			l.peerCopies = append(l.peerCopies, [6]uintptr(all[:6]))
		}
	}
}

// TestReach prepares copies: once for two devices, with the memory of the pool if they are direct.
func TestReach(t *testing.T) {
	l, d, _ := openPair(t)
	l.can(t, 1)
	reach := func(want driver.Reach) func() {
		return func() {
			t.Helper()
			if got, err := d[0].Reach(d[1]); got != want || err != nil {
				t.Errorf("the reach is %v, %v, want %v", got, err, want)
			}
		}
	}
	expect(t, "the first copy", l.since(reach(driver.Direct)), "PeerQuery", "PeerEnable context1", "PoolAccess pool1")
	expect(t, "a later copy", l.since(reach(driver.Direct)))

	l, d, _ = openPair(t)
	l.can(t, 1)
	l.answers["PeerEnable context1"] = codeAlreadyEnabled
	expect(t, "access that is enabled", l.since(reach(driver.Direct)), "PeerQuery", "PeerEnable context1", "PoolAccess pool1")

	l, d, _ = openPair(t)
	l.can(t, 0)
	expect(t, "no access", l.since(reach(driver.ThroughHost)), "PeerQuery")

	l, d, _ = openPair(t)
	l.can(t, 1)
	l.answers["PeerEnable context1"] = 719
	if _, err := d[0].Reach(d[1]); err == nil {
		t.Error("the failure is not said")
	}
	if _, other, _ := openFake(t); true {
		if got, err := d[0].Reach(other); got != driver.Unreached || err != nil {
			t.Errorf("another library's device: %v, %v", got, err)
		}
	}
}

// TestCopyTo: the copy waits for both streams and for the fills of both memories, and the receiver
// waits for the copy.
func TestCopyTo(t *testing.T) {
	l, d, s := openPair(t)
	l.can(t, 1)
	from, err := d[0].Alloc(256)
	check(t, err)
	to, err := d[1].Alloc(256)
	check(t, err)
	src, dst := driver.Slice{Memory: from, Offset: 64, Bytes: 128}, driver.Slice{Memory: to, Offset: 16, Bytes: 128}
	copies := func() { check(t, s[0].CopyTo(s[1], dst, src)) }
	// Of the first device: streams 1 to 3, events 1 (fills), 2 (order), 3. Of the second: 4 to 6.
	both := []string{"EventRecord event5 stream6", "StreamWait stream3 event5", "PeerCopy", "EventRecord event2 stream3", "StreamWait stream6 event2"}
	l.peerCopies = nil
	calls := l.since(copies)
	calls[slices.IndexFunc(calls, func(c string) bool { return c[:8] == "PeerCopy" })] = "PeerCopy"
	expect(t, "the first copy", calls, "StreamWait stream6 event4", both[0], "StreamWait stream3 event1", both[1], both[2], both[3], both[4])
	want := [6]uintptr{address(&dst), d[1].context, address(&src), d[0].context, 128, s[0].handle}
	if len(l.peerCopies) != 1 || l.peerCopies[0] != want {
		t.Errorf("copied is %v, want %v", l.peerCopies, want)
	}
	calls = l.since(copies)
	calls[2] = "PeerCopy"
	expect(t, "the second copy", calls, both...)

	for name, err := range map[string]error{
		"memory of the wrong device": s[0].CopyTo(s[1], src, dst),
		"lengths":                    s[0].CopyTo(s[1], dst, driver.Slice{Memory: from, Bytes: 64}),
		"no stream":                  s[0].CopyTo(nil, dst, src),
	} {
		if !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The loss of one device is not that of the other.
	l.answers["EventRecord event5 stream6"] = 719
	if err := s[0].CopyTo(s[1], dst, src); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("to a lost device: %v", err)
	}
	if d[1].lost() == nil || d[0].lost() != nil {
		t.Errorf("lost are %v and %v", d[0].lost(), d[1].lost())
	}
}

// TestAccessDescription compares the size of the structure with that of cuda.h.
func TestAccessDescription(t *testing.T) {
	if size := unsafe.Sizeof(accessDescription{}); size != 12 { // CUmemAccessDesc
		t.Errorf("it has %d bytes", size)
	}
}
