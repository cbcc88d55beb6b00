package neon_test

import (
	"encoding/binary"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// TestContention: what several goroutines do to the same words at once, by each of the locked
// instructions, is done once for each time. Exclusive stores that fail are tried again with what is
// there then.
func TestContention(t *testing.T) {
	if err := execmem.Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	const rounds, workers = 100_000, 4
	shared, left, next, token, one := amd64.RBX, amd64.RCX, amd64.RDX, amd64.R8, amd64.RSI
	number := func(d amd64.Operand, n int64) amd64.Instruction {
		i := amd64.Of(amd64.Mov, amd64.Narrow, d, amd64.Imm)
		i.Immediate = n
		return i
	}
	unequal := func(label int) amd64.Instruction {
		i := amd64.Of(amd64.Jcc, amd64.Wide, amd64.Label(label))
		i.Condition = amd64.NotEqual
		return i
	}
	locked := func(at int32) amd64.Address {
		a := amd64.At(shared, at)
		a.Locked = true
		return a
	}
	less := amd64.Of(amd64.Sub, amd64.Narrow, left, amd64.Imm)
	less.Immediate = 1
	list := []amd64.Instruction{
		at(amd64.Mov, amd64.Wide, amd64.At(amd64.RDI, 0), shared, amd64.Mem),
		at(amd64.Mov, amd64.Narrow, amd64.At(amd64.RDI, 8), token, amd64.Mem),
		number(left, rounds),
		amd64.Of(amd64.Mark, amd64.Wide, amd64.Label(0)),
		at(amd64.Mov, amd64.Narrow, amd64.At(shared, 0), amd64.RAX, amd64.Mem),
		amd64.Of(amd64.Mark, amd64.Wide, amd64.Label(1)),
		at(amd64.Lea, amd64.Narrow, amd64.At(amd64.RAX, 1), next, amd64.Mem),
		at(amd64.CmpXchg, amd64.Narrow, locked(0), amd64.Mem, next),
		unequal(1),
		number(one, 1),
		at(amd64.XAdd, amd64.Wide, locked(64), amd64.Mem, one),
		at(amd64.XChg, amd64.Narrow, amd64.At(shared, 128), amd64.Mem, token),
		less,
		unequal(0),
		at(amd64.Mov, amd64.Narrow, amd64.At(amd64.RDI, 8), amd64.Mem, token),
		amd64.Of(amd64.Ret, amd64.Wide),
	}
	code, err := assembled(list, new(amd64.Pool))
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := execmem.Load("contention", code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	words := make([]byte, 192)
	binary.LittleEndian.PutUint32(words[128:], 1<<workers)
	contexts := make([]struct {
		shared unsafe.Pointer
		token  uint32
	}, workers)
	var group sync.WaitGroup
	for n := range contexts {
		contexts[n].shared, contexts[n].token = unsafe.Pointer(&words[0]), 1<<n
		group.Go(func() { loaded.Call(0, unsafe.Pointer(&contexts[n])) })
	}
	group.Wait()
	runtime.KeepAlive(words)
	all := binary.LittleEndian.Uint32(words[128:])
	for n := range contexts {
		all |= contexts[n].token
	}
	exchanged, added := binary.LittleEndian.Uint32(words), binary.LittleEndian.Uint64(words[64:])
	if exchanged != workers*rounds || added != workers*rounds || all != 2<<workers-1 {
		t.Errorf("%d were added by exchanges and %d at once, of %d; the tokens are %#b", exchanged, added, workers*rounds, all)
	}
}
