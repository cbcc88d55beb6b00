package linalg

import (
	"math"
	"runtime"
	"sync"
	"weak"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// chain is what the kernels of one launch share on a stream: words that hold epochs. A launch has
// them for itself, since the next one on the stream begins after it.
type chain struct {
	mutex sync.Mutex // held while a launch is enqueued
	words *gpu.Buffer[uint64]
	// number is that of the last epoch, and tickets how many workgroups have published states since
	// the words were zero.
	number, tickets uint32
}

var (
	chainsMutex sync.Mutex
	chains      = map[weak.Pointer[gpu.Stream]]*chain{}
)

// chainOf returns the chain of a stream, which goes with the stream, if its device has kernels of
// one launch. Of a stream that captures launches it returns nil: replays may run on others.
func chainOf(s *gpu.Stream) *chain {
	if !waits(s) || s.Capturing() {
		return nil
	}
	key := weak.Make(s)
	chainsMutex.Lock()
	defer chainsMutex.Unlock()
	c := chains[key]
	if c == nil {
		c = new(chain)
		chains[key] = c
		runtime.AddCleanup(s, forget, key)
	}
	return c
}

func forget(key weak.Pointer[gpu.Stream]) {
	chainsMutex.Lock()
	defer chainsMutex.Unlock()
	delete(chains, key) // words that nothing reaches are freed
}

// waits reports whether workgroups should wait for others that have begun. CUDA lets these go on,
// and a launch takes as long as some hundred thousand elements. Not all devices have atomics of 64
// bits.
func waits(s *gpu.Stream) bool { return s != nil && s.Device().Info().Target == abi.PTX }

// launch makes a launch with an epoch. It has so many words of states, and its workgroups take so
// many tickets. One that failed has taken none.
func (c *chain) launch(s *gpu.Stream, states int, groups uint32, f func(e epoch) error) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.number == math.MaxUint32 || c.words != nil && (s.Usable(c.words) != nil || c.words.Len() < firstState+states) {
		c.drop()
	}
	if c.words == nil {
		var err error
		if c.words, err = gpu.Alloc[uint64](s, firstState+max(states, most*maxStates)); err != nil {
			return err
		}
	}
	c.number++
	e := epoch{c.number, c.tickets}
	c.tickets += groups
	err := f(e)
	if err != nil {
		c.drop()
	}
	return err
}

// drop makes epochs begin again, with words of zero.
func (c *chain) drop() {
	if c.words != nil {
		_ = c.words.Close() // which has no error for a buffer that is open
	}
	c.words, c.number, c.tickets = nil, 0, 0
}

// The functions of one launch, for vectors with elements. The chain is that of the stream.

func dotOf[T Real](s *gpu.Stream, c *chain, g gpu.Grid, x, y Vector[T], result *gpu.Buffer[T]) error {
	return c.launch(s, most*maxStates, g.X, func(e epoch) error {
		if x, ok := any(x).(Vector[float32]); ok {
			y, to := any(y).(Vector[float32]), any(result).(*gpu.Buffer[float32])
			return launchDotOnce[float32, number32](s, g, x.Len, x.Buffer, x.line(), y.Buffer, y.line(), e, c.words, to)
		}
		x, y, to := any(x).(Vector[float64]), any(y).(Vector[float64]), any(result).(*gpu.Buffer[float64])
		return launchDotOnce[float64, number64](s, g, x.Len, x.Buffer, x.line(), y.Buffer, y.line(), e, c.words, to)
	})
}

func asumOf[T Real](s *gpu.Stream, c *chain, g gpu.Grid, x Vector[T], result *gpu.Buffer[T]) error {
	return c.launch(s, most*maxStates, g.X, func(e epoch) error {
		if x, ok := any(x).(Vector[float32]); ok {
			return launchAsumOnce[float32, number32](s, g, x.Len, x.Buffer, x.line(), e, c.words, any(result).(*gpu.Buffer[float32]))
		}
		x, to := any(x).(Vector[float64]), any(result).(*gpu.Buffer[float64])
		return launchAsumOnce[float64, number64](s, g, x.Len, x.Buffer, x.line(), e, c.words, to)
	})
}

func nrm2Of[T Real](s *gpu.Stream, c *chain, g gpu.Grid, o norm[T], x Vector[T], result *gpu.Buffer[T]) error {
	return c.launch(s, most*maxStates, g.X, func(e epoch) error {
		if x, ok := any(x).(Vector[float32]); ok {
			o, to := any(o).(norm[float32]), any(result).(*gpu.Buffer[float32])
			return launchNrm2Once[float32, squares32](s, g, x.Len, o, x.Buffer, x.line(), e, c.words, to)
		}
		x, o, to := any(x).(Vector[float64]), any(o).(norm[float64]), any(result).(*gpu.Buffer[float64])
		return launchNrm2Once[float64, squares64](s, g, x.Len, o, x.Buffer, x.line(), e, c.words, to)
	})
}

func iamaxOf[T Real](s *gpu.Stream, c *chain, g gpu.Grid, x Vector[T], result *gpu.Buffer[int32]) error {
	return c.launch(s, most*maxStates, g.X, func(e epoch) error {
		if x, ok := any(x).(Vector[float32]); ok {
			return launchIamaxOnce[float32, uint32, magnitude32, ranked32](s, g, x.Len, x.Buffer, x.line(), e, c.words, result)
		}
		x := any(x).(Vector[float64])
		return launchIamaxOnce[float64, uint64, magnitude64, ranked64](s, g, x.Len, x.Buffer, x.line(), e, c.words, result)
	})
}

// gemvOf is Gemv for a matrix whose columns are contiguous, split into parts of so many columns.
func gemvOf[T Real](s *gpu.Stream, c *chain, g gpu.Grid, alpha T, a gpu.MatrixBuffer[T], width int, x Vector[T], beta T, y Vector[T]) error {
	return c.launch(s, 2*int(g.Y)*a.Rows, 0, func(e epoch) error {
		if alpha, ok := any(alpha).(float32); ok {
			a, x, y, beta := as[float32](a), any(x).(Vector[float32]), any(y).(Vector[float32]), any(beta).(float32)
			return launchGemvColumnsOnce[float32, number32](s, g, alpha, a.Buffer, layoutOf(a.MatrixLayout), width, x.Buffer, x.line(), beta, y.Buffer, y.line(), e.Number, c.words)
		}
		alpha, a, x, y, beta := any(alpha).(float64), as[float64](a), any(x).(Vector[float64]), any(y).(Vector[float64]), any(beta).(float64)
		return launchGemvColumnsOnce[float64, number64](s, g, alpha, a.Buffer, layoutOf(a.MatrixLayout), width, x.Buffer, x.line(), beta, y.Buffer, y.line(), e.Number, c.words)
	})
}
