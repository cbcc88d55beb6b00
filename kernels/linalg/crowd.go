package linalg

import (
	"math"
	"runtime"
	"sync"
	"weak"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// crowd is what launches share whose workgroups wait for each other, and so must all run at the
// same time. A device has one of them, since two such launches could keep each other from running:
// one on another stream begins when the last one is at an end.
type crowd struct {
	mutex sync.Mutex // held while a launch is enqueued
	words *gpu.Buffer[uint64]
	// number is that of the last epoch, and last the stream of the last launch.
	number uint32
	last   weak.Pointer[gpu.Stream]
}

var (
	crowdsMutex sync.Mutex
	crowds      = map[weak.Pointer[gpu.Device]]*crowd{}
)

// crowdOf returns the crowd of a device, which goes with it.
func crowdOf(d *gpu.Device) *crowd {
	key := weak.Make(d)
	crowdsMutex.Lock()
	defer crowdsMutex.Unlock()
	c := crowds[key]
	if c == nil {
		c = new(crowd)
		crowds[key] = c
		runtime.AddCleanup(d, leave, key)
	}
	return c
}

func leave(key weak.Pointer[gpu.Device]) {
	crowdsMutex.Lock()
	defer crowdsMutex.Unlock()
	delete(crowds, key) // words that nothing reaches are freed
}

// crowdGroups is how many workgroups with so many blocks may wait for each other, or one if none
// may. Half of the multiprocessors have room for them beside launches of other programs.
func crowdGroups(s *gpu.Stream, blocks int) int {
	const most = 64 // more exchange more than they compute
	if !waits(s) || s.Capturing() {
		return 1
	}
	return max(min(blocks, most, int(s.Device().Info().Hardware.Units)/2), 1)
}

// launch makes a launch with so many epochs behind number, and words. It reports whether it does:
// not if the last launch was on a stream that captures now.
func (c *crowd) launch(s *gpu.Stream, states int, epochs uint32, f func(number uint32, words *gpu.Buffer[uint64]) error) (does bool, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if last := c.last.Value(); last != nil && last != s {
		if last.Capturing() {
			return false, nil
		}
		// A stream that is closed, or has failed, runs nothing any more.
		if e, err := last.Record(); err == nil {
			if err = first(s.After(e), e.Close()); err != nil {
				return true, err
			}
		}
	}
	if c.number > math.MaxUint32-epochs || c.words != nil && (s.Usable(c.words) != nil || c.words.Len() < firstState+states) {
		c.drop()
	}
	if c.words == nil {
		if c.words, err = gpu.Alloc[uint64](s, firstState+states); err != nil {
			return true, err
		}
	}
	number := c.number
	c.number += epochs
	c.last = weak.Make(s)
	if err = f(number, c.words); err != nil {
		c.drop()
	}
	return true, err
}

// drop makes epochs begin again, with words of zero.
func (c *crowd) drop() {
	if c.words != nil {
		_ = c.words.Close() // which has no error for a buffer that is open
	}
	c.words, c.number = nil, 0
}

// reflectPanel factors a panel, as qrPanel does.
func reflectPanel[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], tau *gpu.Buffer[T], base int, v, g gpu.MatrixBuffer[T]) error {
	if _, ok := any(tau).(*gpu.Buffer[float32]); ok {
		return launchPanelOf[float32, [4]float32, number32](s, as[float32](a), any(tau).(*gpu.Buffer[float32]), base, as[float32](v), as[float32](g))
	}
	return launchPanelOf[float64, [2]float64, number64](s, as[float64](a), any(tau).(*gpu.Buffer[float64]), base, as[float64](v), as[float64](g))
}

// launchPanelOf launches the kernel of several workgroups where these may wait for each other.
func launchPanelOf[T Real, Q quad[T], W interface {
	words[T]
	number32 | number64
}](s *gpu.Stream, a gpu.MatrixBuffer[T], tau *gpu.Buffer[T], base int, v, g gpu.MatrixBuffer[T]) error {
	blocks := (a.Rows + blockRows - 1) / blockRows
	if n := crowdGroups(s, blocks); n > 1 {
		var w W
		does, err := crowdOf(s.Device()).launch(s, 2*(blocks+1)*w.count()*reflected, uint32(rounds*a.Cols), func(number uint32, words *gpu.Buffer[uint64]) error {
			return launchQrPanelOnce[T, Q, W](s, gpu.D1(uint32(n)), a, along(a), tau, base, v, g, number, words)
		})
		if does {
			return err
		}
	}
	return launchQrPanel[T, Q](s, gpu.D1(1), a, along(a), tau, base, v, g)
}
