package jit

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
)

// calls are those of code, during which nothing preempts the goroutine, and a collection of garbage
// waits.
type calls struct {
	mutex sync.Mutex
	name  string // of what runs
	count int
	most  int64 // units that one was charged for
	// of the thread's own processor time: what the system runs meanwhile is not in it
	longest time.Duration
	of      string
}

// threadTime is the processor time of this thread.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID, linux/time.h
	var t syscall.Timespec
	if _, _, err := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		panic(err)
	}
	return time.Duration(t.Nano())
}

func (c *calls) around(k *Kernel, w *worker) uint64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	left := func() int64 { return int64(int32(binary.LittleEndian.Uint32(w.memory[contextFuel:]))) }
	budget := left()
	begin := threadTime()
	status := k.executable.Call(0, unsafe.Pointer(&w.memory[0]))
	spent := threadTime() - begin
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.count++
	c.most = max(c.most, budget-left())
	if spent > c.longest {
		c.longest, c.of = spent, c.name
	}
	return status
}

// TestCalls executes all exec kernels and generated programs with the largest budget from the
// beginning. The programs are whole ones and some of each family (400 with -generated 22). No call
// burns more fuel than that and what a block of lanes has. TestCharges shows that no more
// instructions are executed than fuel is burnt. The longest one, in processor time of its thread,
// is told, and is no condition: a clock says how fast the machine is, and what it waited for.
func TestCalls(t *testing.T) {
	needCode(t)
	const overdraft = 1 << 15 // the heaviest charges, of which that of a call may be the last one
	var c calls
	defer func(budget uint32) { around, firstBudget = nil, budget }(firstBudget)
	around, firstBudget = c.around, largestBudget
	kernels, ran := 0, 0
	for n, x := range exectest.Cases() {
		if c.name = x.Name; len(x.Textures) == 0 && testmode.Sampled(n, 3) {
			kernels++
			if err := execute(t, &x, 0); err != nil {
				t.Errorf("%s: %v", x.Name, err)
			}
		}
	}
	run := func(x *difftest.Case) {
		if x.Textures() {
			return
		}
		c.name = x.Name
		switch err := executeCase(t, x, &codegen.Options{Context: new(opt.Context)}); {
		case err == nil:
			ran++
		case !errors.As(err, new(*Refused)):
			t.Errorf("%s: %v", x.Name, err)
		}
	}
	for seed := range generatedCount() {
		x, err := difftest.Generate(seed).Case()
		if err != nil {
			t.Fatal(err)
		}
		run(x)
		for _, f := range difftest.Families {
			run(f.Case(seed))
		}
	}
	t.Logf("%d calls, of %d exec kernels and %d generated programs: at most %d units, and at most %v of the thread's time (%s)", c.count, kernels, ran, c.most, c.longest, c.of)
	if ran < 5*int(generatedCount()) || c.count < 150 && !testing.Short() {
		t.Errorf("that was only %d programs and %d calls", ran, c.count)
	}
	if most := int64(largestBudget) + overdraft; c.most > most {
		t.Errorf("a call was charged for %d units, and %d are the most", c.most, most)
	}
}
