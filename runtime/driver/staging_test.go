package driver

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// testPaces have goroutines ask the device all at once, or one of them.
var testPaces = [...]Pace{{MostSlot: 1 << 20}, {MostSlot: 1 << 20, Patience: time.Millisecond}}

// fakeStage is a device that copies later, in the order of the calls.
type fakeStage struct {
	memory, device []byte
	toHost         bool
	work           chan func()
	enqueued       [Slots]atomic.Int64 // copies of each slot
	mutex          sync.Mutex
	done           sync.Cond
	finished       [Slots]int64
	calls, failing atomic.Int64 // the call with the number failing fails
	entered        atomic.Int64
}

var errStage = errors.New("the device fails")

func newFakeStage(device []byte) *fakeStage {
	f := &fakeStage{device: device, work: make(chan func(), 1000)}
	f.done.L = &f.mutex
	go func() {
		for job := range f.work {
			job()
		}
	}()
	return f
}

func (f *fakeStage) call() error {
	if f.calls.Add(1) == f.failing.Load() {
		return errStage
	}
	return nil
}

func (f *fakeStage) Enter() error {
	err := f.call()
	if err == nil {
		f.entered.Add(1)
	}
	return err
}

func (f *fakeStage) Leave() { f.entered.Add(-1) }

func (f *fakeStage) Copy(slot, at, offset, bytes int) error {
	if err := f.call(); err != nil {
		return err
	}
	f.enqueued[slot].Add(1)
	f.work <- func() {
		if f.toHost {
			copy(f.memory[at:][:bytes], f.device[offset:])
		} else {
			copy(f.device[offset:][:bytes], f.memory[at:])
		}
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.finished[slot]++
		f.done.Broadcast()
	}
	return nil
}

func (f *fakeStage) Await(slot int) error {
	if err := f.call(); err != nil {
		return err
	}
	f.await(slot)
	return nil
}

func (f *fakeStage) await(slot int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for enqueued := f.enqueued[slot].Load(); f.finished[slot] < enqueued; {
		f.done.Wait()
	}
}

func (f *fakeStage) drain() {
	for slot := range Slots {
		f.await(slot)
	}
}

func fill(random *rand.Rand, data []byte) {
	for i := range data {
		data[i] = byte(random.Uint32())
	}
}

// TestStaging copies slices of many sizes both ways with different numbers of goroutines.
func TestStaging(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	random := rand.New(rand.NewPCG(1, 2))
	const most = 5 << 20
	host, device := make([]byte, most), make([]byte, most)
	stage := newFakeStage(device)
	defer close(stage.work)
	stage.memory = make([]byte, testPaces[0].Bytes(most))
	staging := new(Staging)
	fill(random, host)
	for round := range 60 {
		runtime.GOMAXPROCS(1 + round%5)
		n := []int{1, 65535, 65536, 65537, 512 << 10, 512<<10 + 1, most}[round%7]
		if round >= 14 {
			n = 1 + random.IntN(most)
		}
		at := random.IntN(most - n + 1)
		stage.device, stage.toHost = device[at:][:n], round%2 == 1
		from := host[at:][:n]
		if stage.toHost {
			fill(random, stage.device[:min(n, 1000)])
		}
		if err := staging.Run(stage, &testPaces[round/2%2], from, stage.toHost, stage.memory); err != nil {
			t.Fatal(err)
		}
		stage.drain()
		if !bytes.Equal(from, stage.device) {
			t.Fatalf("round %d: %d bytes at %d, to the host %v: they differ", round, n, at, stage.toHost)
		}
	}
	if stage.entered.Load() != 0 {
		t.Error("Enter without Leave")
	}
}

// TestStagingSmallMemory has transfers wait for slots that they have used before.
func TestStagingSmallMemory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	n := testPaces[0].Bytes(1<<40)*2 + 4321
	host, device := make([]byte, n), make([]byte, n)
	fill(random, host[:1<<20])
	copy(host[n/2:], host[:1<<20])
	copy(host[n-4321:], host[:4321])
	stage := newFakeStage(device)
	defer close(stage.work)
	stage.memory = make([]byte, testPaces[0].Bytes(n))
	staging := new(Staging)
	for round := range 4 {
		toHost := round%2 == 1
		clear(map[bool][]byte{false: device, true: host}[toHost])
		stage.toHost = toHost
		if err := staging.Run(stage, &testPaces[round/2], host, toHost, stage.memory); err != nil {
			t.Fatal(err)
		}
		stage.drain()
		if !bytes.Equal(host, device) {
			t.Errorf("to the host %v: they differ", toHost)
		}
	}
}

// TestStagingErrors has each call fail once. The transfer ends with the error, and the next one
// is right.
func TestStagingErrors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	random := rand.New(rand.NewPCG(1, 2))
	const n = 3 << 20
	host, device := make([]byte, n), make([]byte, n)
	fill(random, host)
	stage := newFakeStage(device)
	defer close(stage.work)
	stage.memory = make([]byte, testPaces[0].Bytes(n))
	staging := new(Staging)
	for failing := range int64(24) {
		stage.toHost = failing%2 == 1
		stage.calls.Store(0)
		stage.failing.Store(failing/2 + 1)
		if err := staging.Run(stage, &testPaces[0], host, stage.toHost, stage.memory); !errors.Is(err, errStage) && stage.calls.Load() > failing/2 {
			t.Errorf("call %d fails, and the transfer has the error %v", failing/2+1, err)
		}
		stage.drain()
		if stage.entered.Load() != 0 {
			t.Fatal("Enter without Leave")
		}
		stage.failing.Store(0)
		stage.toHost = false
		if err := staging.Run(stage, &testPaces[0], host, false, stage.memory); err != nil {
			t.Fatal(err)
		}
		stage.drain()
		if !bytes.Equal(host, device) {
			t.Fatal("the transfer after the error is wrong")
		}
	}
}

// lazyStage is a device that copies no earlier than somebody waits.
type lazyStage struct {
	nullStage
	memory, device []byte
	queue          []func()
	last           [Slots]int // length of the queue after the last copy of each slot
	mutex          sync.Mutex
}

func (f *lazyStage) Copy(slot, at, offset, bytes int) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	device := f.device[offset:][:bytes]
	f.queue = append(f.queue, func() { copy(device, f.memory[at:]) })
	f.last[slot] = len(f.queue)
	return nil
}

func (f *lazyStage) Await(slot int) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.finish(f.last[slot])
	return nil
}

// finish does the first copies of the queue.
func (f *lazyStage) finish(count int) {
	for n, job := range f.queue[:count] {
		if job != nil {
			job()
		}
		f.queue[n] = nil
	}
}

// TestStagingSizes has transfers follow each other whose slots have different sizes. None writes
// memory that the device still copies for an earlier one.
func TestStagingSizes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	stage := &lazyStage{memory: make([]byte, testPaces[0].Bytes(1<<30))}
	staging := new(Staging)
	var hosts, devices [][]byte
	for _, n := range []int{512 << 10, 5 << 20, 9 << 20, 512 << 10, 1 << 20, 9 << 20} {
		host := make([]byte, n)
		fill(random, host)
		stage.device = make([]byte, n)
		hosts, devices = append(hosts, host), append(devices, stage.device)
		if err := staging.Run(stage, &testPaces[0], host, false, stage.memory); err != nil {
			t.Fatal(err)
		}
	}
	stage.finish(len(stage.queue))
	for n := range hosts {
		if !bytes.Equal(hosts[n], devices[n]) {
			t.Errorf("transfer %d of %d bytes: they differ", n, len(hosts[n]))
		}
	}
}

// nullStage does nothing.
type nullStage struct{}

func (nullStage) Enter() error                  { return nil }
func (nullStage) Leave()                        {}
func (nullStage) Copy(_, _, _, bytes int) error { return nil }
func (nullStage) Await(int) error               { return nil }

// TestStagingAllocates finds no allocation in the second use.
func TestStagingAllocates(t *testing.T) {
	host := make([]byte, 2<<20)
	memory := make([]byte, testPaces[0].Bytes(len(host)))
	staging := new(Staging)
	var stage Stage = nullStage{}
	if n := testing.AllocsPerRun(20, func() {
		if err := staging.Run(stage, &testPaces[0], host, true, memory); err != nil {
			t.Fatal(err)
		}
	}); n > 0.5 {
		t.Errorf("%v allocations", n)
	}
}
