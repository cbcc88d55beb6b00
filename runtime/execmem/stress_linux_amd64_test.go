package execmem_test

import (
	"bytes"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// job is the context of the code that the stress calls.
type job struct {
	steps  uint64
	seed   uint64
	result uint64
}

// want is what the code computes: steps of Marsaglia's xorshift.
func (j *job) want() uint64 {
	x := j.seed
	for range j.steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// greedy returns code that uses all that code may use. It changes all registers, writes the whole
// stack and reads it back, and computes a number of xorshift steps.
func greedy(t testing.TB) []byte {
	t.Helper()
	var a amd64.Assembler
	code, err := a.Assemble(nil, greedyList(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func greedyList() (list []amd64.Instruction) {
	add := func(o amd64.Op, w amd64.Width, operands ...amd64.Operand) *amd64.Instruction {
		list = append(list, amd64.Of(o, w, operands...))
		return &list[len(list)-1]
	}
	const wide = amd64.Wide
	general := func(n int) amd64.Operand { return amd64.General(n) }
	field := func(n int32) amd64.Address { return amd64.At(amd64.RDI, 8*n) }
	add(amd64.Mov, wide, amd64.RCX, amd64.Mem).Address = field(0)
	add(amd64.Mov, wide, amd64.RAX, amd64.Mem).Address = field(1)
	add(amd64.Push, wide, amd64.RDI)
	// the lowest word that may be written is StackBytes below where RSP was
	add(amd64.Mov, wide, amd64.Mem, amd64.RAX).Address = amd64.At(amd64.RSP, 8-execmem.StackBytes)
	add(amd64.Mark, wide, amd64.Label(0))
	for _, step := range []struct {
		op     amd64.Op
		amount int64
	}{{amd64.Shl, 13}, {amd64.Shr, 7}, {amd64.Shl, 17}} {
		add(amd64.Mov, wide, amd64.RDX, amd64.RAX)
		add(step.op, wide, amd64.RDX, amd64.Imm).Immediate = step.amount
		add(amd64.Xor, wide, amd64.RAX, amd64.RDX)
	}
	add(amd64.Dec, wide, amd64.RCX)
	add(amd64.Jcc, wide, amd64.Label(0)).Condition = amd64.NotEqual
	add(amd64.Mov, wide, general(11), amd64.Mem).Address = amd64.At(amd64.RSP, 8-execmem.StackBytes)
	add(amd64.Pop, wide, amd64.RDI)
	// the seed has to be there still: the result is spoilt if it is not
	add(amd64.Xor, wide, general(11), amd64.Mem).Address = field(1)
	add(amd64.Xor, wide, amd64.RAX, general(11))
	add(amd64.Mov, wide, amd64.Mem, amd64.RAX).Address = field(2)
	for n := range 16 {
		if r := general(n); r != amd64.RSP && r != amd64.RAX {
			add(amd64.MovAbs, wide, r, amd64.Imm).Immediate = -0x0123456789ABCDEF
		}
		add(amd64.VPCmpEqD, wide, amd64.Vector(n), amd64.Vector(n), amd64.Vector(n))
	}
	add(amd64.Ret, wide)
	return list
}

// TestStress calls code from 8 goroutines for a few seconds, while they collect garbage again and
// again and the CPU profiler interrupts. Goroutines end and begin, so that stacks are small and
// grow. GPUC_STRESS has it last longer, as Go writes durations.
func TestStress(t *testing.T) {
	if err := execmem.Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	length := time.Duration(testmode.Count(250, 2000, 2000)) * time.Millisecond
	if text := os.Getenv("GPUC_STRESS"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	code, err := execmem.Load("greedy", greedy(t))
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Logf("without the profiler: %v", err)
	}
	var end atomic.Bool
	var calls, loads, collections atomic.Int64
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for iteration := uint64(1); !end.Load(); iteration++ {
				done := make(chan bool)
				go func() { // on its own stack
					j := &job{steps: 1 + iteration*7919%50000, seed: iteration<<8 | uint64(worker) + 1}
					status := code.Call(0, unsafe.Pointer(j))
					done <- status == j.result && j.result == j.want()
				}()
				if !<-done {
					t.Error("a result is wrong")
					end.Store(true)
				}
				calls.Add(1)
				if iteration%16 == 0 {
					runtime.GC()
					collections.Add(1)
				}
				if iteration%64 == 0 { // code comes and goes meanwhile
					other, err := execmem.Load("greedy", greedy(t))
					if err != nil {
						t.Error(err)
						return
					}
					j := &job{steps: 3, seed: 5}
					if other.Call(0, unsafe.Pointer(j)); j.result != j.want() {
						t.Error("a result of code that was loaded meanwhile is wrong")
					}
					other.Close()
					loads.Add(1)
				}
			}
		})
	}
	time.AfterFunc(length, func() { end.Store(true) })
	group.Wait()
	pprof.StopCPUProfile()
	t.Logf("%d calls, %d times loaded, %d collections, %d bytes of profile", calls.Load(), loads.Load(), collections.Load(), profile.Len())
}

// TestStack: the stack is aligned as it is said to be.
func TestStack(t *testing.T) {
	if err := execmem.Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	var a amd64.Assembler
	text, err := a.Assemble(nil, []amd64.Instruction{amd64.Of(amd64.Mov, amd64.Wide, amd64.RAX, amd64.RSP), amd64.Of(amd64.Ret, amd64.Wide)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	code, err := execmem.Load("stack", text)
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	if code.Address()%64 != 0 {
		t.Errorf("code lies at %#x", code.Address())
	}
	var deeper func(depth int)
	deeper = func(depth int) {
		if rsp := code.Call(0, nil); (rsp+8)%64 != 0 {
			t.Errorf("the stack is at %#x", rsp)
		}
		if depth > 0 {
			deeper(depth - 1)
		}
	}
	deeper(100)
}
