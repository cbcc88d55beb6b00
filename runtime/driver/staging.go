// Copies of large host slices through memory that a device reaches by itself. Pageable memory
// crosses a bus at a fraction of its speed, and one core copies at a fraction of the bus's. So
// several goroutines fill or empty parts of that memory while the device copies others.

package driver

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Stage is what a driver does for a Staging. Several goroutines call it at once.
type Stage interface {
	// Enter begins the calls of a goroutine, which keeps its thread until Leave.
	Enter() error
	Leave()
	// Copy enqueues the copy between some bytes of the memory, which belong to a slot, and the
	// device's, at an offset of the transfer.
	Copy(slot, at, offset, bytes int) error
	// Await waits until the last copy of a slot has finished, also if that was of an earlier
	// transfer.
	Await(slot int) error
}

// Sizes of transfers, in bytes. They were measured on an H200 with 16 cores. There a goroutine
// copies 5.5 to 6.5 GB/s of memory that is in no cache, twelve of them 57 to 74 GB/s, and the bus
// 55 GB/s.
const (
	// Slots is how many parts the memory of a transfer has at most. The device copies one of them
	// meanwhile, or a few.
	Slots = 8
	// A slot has at least leastSlot bytes.
	leastSlot = 64 << 10
	// A goroutine copies strips of slots, of leastStrip to mostStrip bytes. So each slot is passed
	// to the device as early as all of them can.
	leastStrip = 64 << 10
	mostStrip  = 128 << 10
	// A goroutine for each helperBytes helps, and no more than mostHelpers. Others would compete
	// for the memory, also with the device.
	helperBytes = 256 << 10
	mostHelpers = 11
)

// Pace is what suits a driver's transfers.
type Pace struct {
	// MostSlot is the size of the largest slots in bytes, a power of two.
	MostSlot int
	// Patience is how long goroutines watch what the one finds that asks the device for a slot.
	// Then they ask as well. It is 0 for drivers whose calls do not hold each other up.
	Patience time.Duration
}

// slot is the size of a slot: the whole transfer fits the slots, unless it is larger than all.
func (p *Pace) slot(transfer int) int {
	return min(max(1<<bits.Len(uint(max(transfer-1, 0)/Slots)), leastSlot), p.MostSlot)
}

// Bytes is how much memory a transfer takes: a power of two, of at least half a mebibyte.
func (p *Pace) Bytes(transfer int) int { return Slots * p.slot(transfer) }

// Staging is a transfer under way. It can be used again, and allocates nothing then.
type Staging struct {
	stage  Stage
	pace   *Pace
	toHost bool
	host   []byte
	memory []byte

	size, strip int          // bytes of a slot and of a strip
	next        atomic.Int64 // strip that nobody copies yet
	slots       [Slots]slot
	stopped     atomic.Bool

	mutex   sync.Mutex
	err     error // the first
	helpers sync.WaitGroup
	help    func() // made once, so that a goroutine allocates nothing
}

// slot is the state of a part of the memory. The transfer is cut into chunks; the slot has the
// chunks n, n+Slots and so on.
type slot struct {
	opened  atomic.Int64 // 1 + the chunk that it has; for a read its copy by the device is enqueued
	asked   atomic.Int64 // 1 + the chunk of which a goroutine asks whether the host may copy it
	awaited atomic.Int64 // 1 + the chunk that the host may copy
	left    atomic.Int64 // bytes of it that the host has not copied
}

// Run copies host to the device, or the device's memory to host. The memory is always the same and
// has Pace.Bytes, or more. Run returns when host has been copied; the device may still copy from
// the memory then.
func (s *Staging) Run(stage Stage, pace *Pace, host []byte, toHost bool, memory []byte) error {
	if size := pace.slot(len(host)); size != s.size {
		for n := range Slots { // copies of the last transfer, whose slots lie elsewhere
			if err := stage.Await(n); err != nil {
				return err
			}
		}
		s.size = size
	}
	s.stage, s.pace, s.host, s.toHost, s.memory = stage, pace, host, toHost, memory
	s.err = nil
	s.stopped.Store(false)
	s.next.Store(0)
	s.strip = min(max(s.size/8, leastStrip), mostStrip)
	for n := range s.slots {
		for _, counter := range []*atomic.Int64{&s.slots[n].opened, &s.slots[n].asked, &s.slots[n].awaited} {
			counter.Store(0)
		}
		if !toHost {
			s.open(n, n)
		}
	}
	if s.help == nil {
		s.help = s.helper
	}
	if n := min(mostHelpers, runtime.GOMAXPROCS(0)-1, len(host)/helperBytes-1); n > 0 {
		s.helpers.Add(n)
		for range n {
			go s.help()
		}
	}
	if toHost {
		for n := range s.slots {
			if s.fail(s.ask(n, n)) {
				break
			}
		}
	}
	s.work()
	s.helpers.Wait()
	s.stage, s.host, s.memory = nil, nil, nil
	return s.err
}

// helper is a goroutine that helps.
func (s *Staging) helper() {
	defer s.helpers.Done()
	if s.fail(s.stage.Enter()) {
		return
	}
	defer s.stage.Leave()
	s.work()
}

// bytes is the size of a chunk, 0 behind the last.
func (s *Staging) bytes(chunk int) int {
	return max(min(s.size, len(s.host)-chunk*s.size), 0)
}

// open gives a slot another chunk.
func (s *Staging) open(n, chunk int) {
	s.slots[n].left.Store(int64(s.bytes(chunk)))
	s.slots[n].opened.Store(int64(chunk) + 1)
}

// ask enqueues the device's copy of a chunk that is being read.
func (s *Staging) ask(n, chunk int) error {
	bytes := s.bytes(chunk)
	if bytes == 0 {
		return nil
	}
	if err := s.stage.Await(n); err != nil { // a copy of an earlier transfer
		return err
	}
	if err := s.stage.Copy(n, n*s.size, chunk*s.size, bytes); err != nil {
		return err
	}
	s.open(n, chunk)
	return nil
}

// work copies strips until there are no more.
func (s *Staging) work() {
	for !s.stopped.Load() {
		at := int(s.next.Add(1)-1) * s.strip
		if at >= len(s.host) {
			return
		}
		chunk := at / s.size
		n := chunk % Slots
		if !s.await(n, chunk) {
			return
		}
		host := s.host[at:min(at+s.strip, len(s.host))]
		memory := s.memory[n*s.size+at%s.size:][:len(host)]
		if s.toHost {
			copy(host, memory)
		} else {
			copy(memory, host)
		}
		if s.slots[n].left.Add(-int64(len(host))) == 0 && s.fail(s.copied(n, chunk)) {
			return
		}
	}
}

// copied passes a slot to the device, once the host has copied the chunk.
func (s *Staging) copied(n, chunk int) error {
	if s.toHost {
		return s.ask(n, chunk+Slots)
	}
	if err := s.stage.Copy(n, n*s.size, chunk*s.size, s.bytes(chunk)); err != nil {
		return err
	}
	s.open(n, chunk+Slots)
	return nil
}

// await waits until the host may copy a chunk. It reports false if the transfer has failed.
func (s *Staging) await(n, chunk int) bool {
	slot, number := &s.slots[n], int64(chunk)+1
	if !s.reaches(&slot.opened, number, math.MaxInt64) { // others copy strips of the chunk before
		return false
	}
	if slot.awaited.Load() == number {
		return true
	}
	// One goroutine asks the device, as long as that takes little. In some drivers many at once
	// hold each other up, and those that enqueue copies.
	if slot.asked.Swap(number) == number && s.reaches(&slot.awaited, number, s.pace.Patience) {
		return true
	}
	if s.stopped.Load() || s.fail(s.stage.Await(n)) {
		return false
	}
	slot.awaited.Store(number)
	return true
}

// reaches watches a counter until it has reached a value. It reports false after some time, or if
// the transfer has failed.
func (s *Staging) reaches(counter *atomic.Int64, value int64, most time.Duration) bool {
	for start := time.Now(); counter.Load() < value; {
		if s.stopped.Load() || time.Since(start) >= most {
			return false
		}
		for n := 0; n < 100 && counter.Load() < value; n++ { // less than a microsecond
		}
		runtime.Gosched()
	}
	return true
}

// fail ends the transfer if there is an error.
func (s *Staging) fail(err error) bool {
	if err == nil {
		return false
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.stopped.Store(true)
	return true
}
