//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// standIn replaces the library of a driver: it makes handles and records the calls that have some,
// such as "StreamWait stream2 event1".
type fakeLibrary struct {
	calls   []string
	handles []string          // names, handle 1 first
	counts  map[string]int    // of handles, by kind
	answers map[string]uint32 // by call, 0 for those that are not here
	hooks   map[string]func() // by function, run during its calls
	host    [][]byte          // pinned memory
	made    any               // a copy of the structure that the last maker of a texture's got
	encodes []madeMap         // the tensor maps that were encoded
	launch  callArguments     // of the last launch
	machine *machine          // executes the calls instead, if there is one
	// onCall is run at the begin of each call, and may store results.
	onCall     func(function string, all *callArguments)
	peerCopies [][6]uintptr
}

// callArguments are the first arguments of a call. Functions have fewer, and the others are
// anything.
type callArguments [15]uintptr

// makers are the functions that store a handle where their first argument points to,
// with its kind.
var makers = map[string]string{
	"StreamCreate": "stream", "EventCreate": "event", "ModuleLoad": "module", "ModuleFunction": "function",
	"ContextRetain": "context", "DefaultPool": "pool", "AllocAsync": "memory", "Alloc": "memory",
	"MipmappedCreate": "array", "MipmappedLevel": "level", "TextureCreate": "texture", "SurfaceCreate": "surface",
	"GraphCreate": "graph", "GraphInstantiate": "execution", "GraphKernel": "node", "GraphCopy": "node", "GraphFill": "node", "GraphEmpty": "node",
}

func (l *fakeLibrary) call(function string, all callArguments) uintptr {
	if l.machine != nil {
		return l.machine.call(function, &all)
	}
	if l.onCall != nil {
		l.onCall(function, &all)
	}
	text, arguments := function, [4]uintptr(all[:4])
	switch function {
	case "TensorEncode", "WindowsEncode":
		l.noteMap(&all, function == "WindowsEncode")
	case "Launch":
		l.launch = all
	}
	if kind := makers[function]; kind != "" {
		if code := l.answers[function]; code != 0 {
			return uintptr(code)
		}
		l.counts[kind]++
		l.handles = append(l.handles, fmt.Sprint(kind, l.counts[kind]))
		binary.NativeEndian.PutUint64(dl.Bytes(arguments[0], 8), uint64(len(l.handles)))
		text += " " + l.handles[len(l.handles)-1]
		l.note(function, arguments)
	} else if function == "Copy3D" {
		text += l.copied(structure[copy3D](arguments[0])) + " " + l.handles[arguments[1]-1]
	} else if function == "HostAlloc" {
		l.host = append(l.host, make([]byte, arguments[1]))
		binary.NativeEndian.PutUint64(dl.Bytes(arguments[0], 8), uint64(uintptr(dl.First(l.host[len(l.host)-1]))))
	} else if function == "FunctionSet" {
		text += fmt.Sprint(" ", l.handles[arguments[0]-1], " ", arguments[1], " ", arguments[2])
	} else if function == "FunctionQuery" {
		binary.NativeEndian.PutUint32(dl.Bytes(arguments[0], 4), 1024)
	} else {
		for _, a := range arguments {
			if a == 0 || a > uintptr(len(l.handles)) {
				break
			}
			text += " " + l.handles[a-1]
		}
	}
	if function != "SetCurrent" {
		l.calls = append(l.calls, text)
	}
	if hook := l.hooks[function]; hook != nil {
		hook()
	}
	return uintptr(l.answers[text])
}

// since returns the calls that f makes.
func (l *fakeLibrary) since(f func()) []string {
	n := len(l.calls)
	f()
	return slices.Clone(l.calls[n:])
}

// loaded is the library that the functions are those of: a process has a limited number
// of callbacks, so they are made once.
var loaded *fakeLibrary

var fakeFunctions = sync.OnceValue(func() *Functions {
	c := new(Functions)
	table := reflect.ValueOf(c).Elem()
	for i := range table.NumField() {
		name := table.Type().Field(i).Name
		if name == "GraphCopy1D" { // HIP's
			continue
		}
		callback := purego.NewCallback(func(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o uintptr) uintptr {
			return loaded.call(name, callArguments{a, b, c, d, e, f, g, h, i, j, k, l, m, n, o})
		})
		table.Field(i).SetUint(uint64(callback))
	}
	return c
})

// fakeAPI has what an interface needs for the calls that the tests make; streams finish, as in
// CUDA.
var fakeAPI = API{
	GraphsInOrder: true,
	Nodes: func(int32) Nodes {
		return Nodes{LaunchNode{Function: 0, Grid: 8, Workgroup: 20, Shared: 32, Parameters: 40}, FillNode{To: 0, Value: 16, Element: 20, Width: 24, Height: 32}}
	},
	Name: "fake", Title: "Fake", Results: "result", StaticShared: 48 << 10, Loading: "load", LaunchesAnywhere: true, StreamsFinish: true, Tensors: 90,
	Text:     func(function uintptr, code uint32) string { return "" },
	Image:    func(a *abi.Artefact, _ *kernelcache.Cache) ([]byte, error) { return a.Code, nil },
	Declared: func(code []byte, entry string) int { return -1 },
	Load: func(c *Functions, module *uintptr, image []byte) (uintptr, string) {
		return dl.Call(c.ModuleLoad, uintptr(unsafe.Pointer(module)), uintptr(dl.First(image))), ""
	},
}

func fakeAll() *library {
	return &library{Functions: *fakeFunctions(), api: &fakeAPI, nodes: fakeAPI.Nodes(0)}
}

// openFake opens a device of a new library. Its streams are allocStream, freeStream and the one
// that is returned, its events those of fills, then of the stream: order and idle.
func openFake(t *testing.T) (*fakeLibrary, *device, *stream) {
	t.Helper()
	l := &fakeLibrary{counts: map[string]int{}, answers: map[string]uint32{}, hooks: map[string]func(){}}
	loaded = l
	found := candidate{pools: true, info: driver.Info{Name: "fake", Target: "ptx", Memory: 1 << 30, Profile: 90, WorkgroupBytes: 227 << 10,
		MaxInvocations: 1024, MaxWorkgroup: [3]uint32{1024, 1024, 64}, MaxGrid: [3]uint32{1 << 20, 1, 1}}}
	d, err := openDevice(fakeAll(), found)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return l, d, s.(*stream)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func loadFake(t *testing.T, d *device) driver.Kernel {
	t.Helper()
	k, err := d.Load(drivertest.AxpyPTX())
	check(t, err)
	return k
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s calls\n\t%s\nwant\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestKernelClose closes kernels while a stream is busy: nothing waits, and a module is
// unloaded by a later call, once the work from before the close is done.
func TestKernelClose(t *testing.T) {
	l, d, _ := openFake(t)
	first, second, third := loadFake(t, d), loadFake(t, d), loadFake(t, d)
	for _, event := range []string{"event4", "event5", "event6"} {
		l.answers["EventQuery "+event] = codeNotReady
	}
	retire := func(event string) []string {
		return []string{"EventCreate " + event, "EventRecord event2 stream3", "StreamWait stream2 event2", "EventRecord " + event + " stream2"}
	}
	expect(t, "the first close", l.since(func() { check(t, first.Close()) }), append(retire("event4"), "EventQuery event4")...)
	expect(t, "closing twice", l.since(func() { check(t, first.Close()) }))
	expect(t, "the second close", l.since(func() { check(t, second.Close()) }), append(retire("event5"), "EventQuery event4")...)
	expect(t, "an allocation", l.since(func() {
		_, err := d.Alloc(64)
		check(t, err)
	}), "AllocAsync memory1", "Fill memory1", "EventRecord event1 stream1")

	unloads := 0
	l.hooks["ModuleUnload"] = func() {
		unloads++
		if !d.mutex.TryLock() {
			t.Error("a module is unloaded with the mutex held, which allocations need")
			return
		}
		d.mutex.Unlock()
	}
	l.answers["EventQuery event4"] = 0
	expect(t, "the third close", l.since(func() { check(t, third.Close()) }), append(retire("event6"),
		"EventQuery event4", "EventQuery event5", "ModuleUnload module1", "EventDestroy event4")...)
	l.answers["EventQuery event5"], l.answers["EventQuery event6"] = 0, 0
	expect(t, "a load", l.since(func() { loadFake(t, d) })[:6],
		"EventQuery event5", "EventQuery event6", "ModuleUnload module2", "EventDestroy event5", "ModuleUnload module3", "EventDestroy event6")
	if unloads != 3 {
		t.Errorf("%d modules are unloaded, want 3", unloads)
	}

	delete(l.hooks, "ModuleUnload")
	check(t, d.Close())
}

// TestKernelCloseThenDevice has a device unload what was closed and what was not, once
// each and after all work.
func TestKernelCloseThenDevice(t *testing.T) {
	l, d, _ := openFake(t)
	closed := loadFake(t, d)
	loadFake(t, d)
	l.answers["EventQuery event4"] = codeNotReady
	check(t, closed.Close())
	calls := l.since(func() { check(t, d.Close()) })
	var unloads []string
	for n, c := range calls {
		if strings.HasPrefix(c, "ModuleUnload") {
			unloads = append(unloads, c)
			if slices.Index(calls, "Synchronize") > n || !slices.Contains(calls, "Synchronize") {
				t.Errorf("%s is called before the work is done", c)
			}
		}
	}
	expect(t, "closing the device", unloads, "ModuleUnload module2", "ModuleUnload module1")
	expect(t, "closing a kernel of a closed device", l.since(func() { check(t, closed.Close()) }))
}

// TestMemoryOfClosedKernels: an allocation for which there is no memory waits for all
// work, and unloads what was closed before it tries again.
func TestMemoryOfClosedKernels(t *testing.T) {
	l, d, _ := openFake(t)
	k := loadFake(t, d)
	l.answers["EventQuery event4"] = codeNotReady
	check(t, k.Close())
	l.answers["AllocAsync"] = codeOutOfMemory
	l.hooks["ModuleUnload"] = func() { delete(l.answers, "AllocAsync") }
	expect(t, "an allocation", l.since(func() {
		_, err := d.Alloc(64)
		check(t, err)
	}), "Synchronize", "ModuleUnload module1", "EventDestroy event4", "PoolTrim pool1", "AllocAsync memory1", "Fill memory1", "EventRecord event1 stream1")
	check(t, d.Close())
}

// TestKernelCloseOnLostDevice: the loss that is found by asking is said once.
func TestKernelCloseOnLostDevice(t *testing.T) {
	l, d, _ := openFake(t)
	first, second := loadFake(t, d), loadFake(t, d)
	l.answers["EventQuery event4"] = 719
	if err := first.Close(); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("%v, want that the device is lost", err)
	}
	expect(t, "closing on a lost device", l.since(func() { check(t, second.Close()) }))
	check(t, d.Close())
}

// TestStreamClose closes a stream where destroying one does not let its work finish: nothing waits,
// and it is destroyed by a later call, once its work is done. Where it does, it is destroyed at
// once.
func TestStreamClose(t *testing.T) {
	l, d, s := openFake(t)
	expect(t, "closing a stream that finishes", l.since(func() { check(t, s.Close()) }),
		"EventRecord event2 stream3", "StreamWait stream2 event2", "StreamDestroy stream3", "EventDestroy event2", "EventDestroy event3")
	check(t, d.Close())

	fakeAPI.StreamsFinish = false
	defer func() { fakeAPI.StreamsFinish = true }()
	l, d, s = openFake(t)
	l.answers["EventQuery event4"] = codeNotReady
	expect(t, "closing a stream that would not", l.since(func() { check(t, s.Close()) }),
		"EventCreate event4", "EventRecord event2 stream3", "StreamWait stream2 event2", "EventRecord event4 stream2", "EventQuery event4")
	expect(t, "a load meanwhile", l.since(func() { loadFake(t, d) })[:1], "EventQuery event4")
	l.answers["EventQuery event4"] = 0
	expect(t, "a load behind its work", l.since(func() { loadFake(t, d) })[:5],
		"EventQuery event4", "StreamDestroy stream3", "EventDestroy event2", "EventDestroy event3", "EventDestroy event4")
	calls := l.since(func() { check(t, d.Close()) })
	released, streams := slices.Index(calls, "ModuleUnload module2"), slices.Index(calls, "StreamDestroy stream1")
	if released < 0 || streams < released || !slices.Contains(calls[released:streams], "Synchronize") {
		t.Errorf("closing the device does not wait between what it releases and its streams: %q", calls)
	}
}
