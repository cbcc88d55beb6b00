package gpu_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func failing(t *testing.T) func(error) {
	return func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostBuffers copies from and to parts of host buffers on two streams, of which one works with
// what the other does. All are new or have the memory of earlier ones, and begin with zeros.
func TestHostBuffers(t *testing.T) {
	ctx := context.Background()
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		failed := failing(t)
		random := rand.New(rand.NewPCG(1, 2))
		var streams [2]*gpu.Stream
		for n := range streams {
			var err error
			streams[n], err = d.NewStream()
			failed(err)
		}
		reserved := uint64(0)
		for round := range 20 {
			n := 1 + random.IntN(30_000)
			from, err := gpu.AllocHost[uint16](d, 30_000)
			failed(err)
			to, err := gpu.AllocHost[uint16](d, 30_000)
			failed(err)
			if from.Len() != 30_000 || slices.ContainsFunc(from.Data(), func(v uint16) bool { return v != 0 }) {
				t.Fatal("a new host buffer has no zeros")
			}
			source, target := from.Data()[random.IntN(30_000-n+1):][:n], to.Data()[random.IntN(30_000-n+1):][:n]
			for i := range source {
				source[i] = uint16(random.Uint32())
			}
			b, err := gpu.Alloc[uint16](d, n)
			failed(err)
			written, err := b.WriteAsync(streams[0], source)
			failed(err)
			failed(written.Wait(ctx))
			read, err := b.ReadAsync(streams[1], target)
			failed(err)
			for done := false; !done; runtime.Gosched() {
				done, err = read.Done()
				failed(err)
			}
			if !slices.Equal(source, target) {
				t.Fatalf("round %d: %d elements came back changed", round, n)
			}
			clear(target)
			failed(b.Read(ctx, streams[1], target))
			if !slices.Equal(source, target) {
				t.Fatalf("round %d: %d elements that Read copies came back changed", round, n)
			}
			failed(b.Close())
			failed(from.Close())
			failed(from.Close())
			failed(to.Close())
			if from.Data() != nil {
				t.Error("a closed host buffer has elements")
			}
			for _, s := range streams {
				failed(s.Wait(ctx))
			}
			if round == 2 {
				reserved = d.Memory().Host
			}
		}
		if host := d.Memory().Host; host != reserved || host == 0 {
			t.Errorf("%d bytes of the host are reserved, and were %d after the first rounds", host, reserved)
		}
		failed(d.Trim())
		if host := d.Memory().Host; host != 0 {
			t.Errorf("%d bytes of the host are reserved after Trim", host)
		}
		empty, err := gpu.AllocHost[uint64](d, 0)
		failed(err)
		if len(empty.Data()) != 0 {
			t.Error("an empty host buffer has elements")
		}
		if _, err := gpu.AllocHost[uint64](d, -1); !errors.Is(err, gpu.ErrShape) {
			t.Errorf("-1 elements: got %v, want ErrShape", err)
		}
		if _, err := gpu.AllocHost[uint64](d, 1<<60); !errors.Is(err, gpu.ErrLimit) {
			t.Errorf("2^60 elements: got %v, want ErrLimit", err)
		}
		if _, err := gpu.AllocHost[string](d, 1); !errors.Is(err, gpu.ErrShape) {
			t.Errorf("a string: got %v, want ErrShape", err)
		}
	})
}

// TestAsyncSlices reads into ordinary slices, and has the stream overwrite the buffer before
// anybody waits. What was there at the time of the call is read.
func TestAsyncSlices(t *testing.T) {
	ctx := context.Background()
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		failed := failing(t)
		s, err := d.NewStream()
		failed(err)
		for _, n := range []int{0, 1, 7, 20_000, 900_001, 17<<20 + 5} { // the last in parts
			b, err := gpu.Alloc[byte](d, n)
			failed(err)
			var transfers []*gpu.Transfer
			var results [][]byte
			for round := range 5 {
				data := bytes.Repeat([]byte{byte(round + 1)}, n)
				written, err := b.WriteAsync(s, data)
				failed(err)
				result := make([]byte, n+1)[round%2:][:n]
				read, err := b.ReadAsync(s, result)
				failed(err)
				transfers, results = append(transfers, written, read), append(results, result)
				if round == 3 {
					runtime.GC()
				}
			}
			for i, transfer := range slices.Backward(transfers) {
				failed(transfer.Wait(ctx))
				if done, err := transfer.Done(); !done || err != nil {
					t.Errorf("after Wait: %v %v", done, err)
				}
				if i%2 == 1 && !bytes.Equal(results[i/2], bytes.Repeat([]byte{byte(i/2 + 1)}, n)) {
					t.Fatalf("read %d of %d bytes is wrong", i/2, n)
				}
			}
			if _, err := b.ReadAsync(s, make([]byte, n+1)); !errors.Is(err, gpu.ErrShape) {
				t.Errorf("one element more: got %v, want ErrShape", err)
			}
			if _, err := b.WriteAsync(s, make([]byte, n+1)); !errors.Is(err, gpu.ErrShape) {
				t.Errorf("one element more: got %v, want ErrShape", err)
			}
			_, err = b.ReadAsync(s, make([]byte, n)) // which nobody waits for
			failed(err)
			failed(b.Close())
		}
		ended, end := context.WithCancel(ctx)
		end()
		b, err := gpu.Alloc[byte](d, 100)
		failed(err)
		read, err := b.ReadAsync(s, make([]byte, 100))
		failed(err)
		if err := read.Wait(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a wait whose context has ended: %v", err)
		}
		failed(read.Wait(ctx))
	})
}

// TestTransferWaiters has several goroutines wait for a read of several parts, and ask for it. Each
// finds all of it when it is told so.
func TestTransferWaiters(t *testing.T) {
	const n, waiters = 17<<20 + 5, 4
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		failed := failing(t)
		s, err := d.NewStream()
		failed(err)
		data := bytes.Repeat([]byte("abcdefg"), n/7+1)[:n]
		b, err := gpu.Upload(context.Background(), d, data)
		failed(err)
		result := make([]byte, n)
		read, err := b.ReadAsync(s, result)
		failed(err)
		var group sync.WaitGroup
		for waiter := range waiters {
			group.Go(func() {
				err := error(nil)
				if waiter%2 == 0 {
					err = read.Wait(context.Background())
				} else {
					for done := false; !done && err == nil; runtime.Gosched() {
						done, err = read.Done()
					}
				}
				if err != nil || !bytes.Equal(result, data) {
					t.Errorf("waiter %d: %v, or the bytes are wrong", waiter, err)
				}
			})
		}
		group.Wait()
	})
}

// TestShare has a device use slices of the program, or say that it cannot.
func TestShare(t *testing.T) {
	ctx := context.Background()
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		failed := failing(t)
		alignment := d.ShareAlignment()
		if alignment == 0 {
			_, err := gpu.Share(d, make([]uint32, 1<<16))
			if _, made := gpu.MakeShared[uint32](d, 1); !errors.Is(err, gpu.ErrUnsupported) || !errors.Is(made, gpu.ErrUnsupported) {
				t.Errorf("got %v and %v, want ErrUnsupported", err, made)
			}
			return
		}
		s, err := d.NewStream()
		failed(err)
		other, err := gpu.Alloc[uint32](d, 5000)
		failed(err)
		for round := range 10 {
			n := 1 + round*500
			host, err := gpu.MakeShared[uint32](d, n)
			failed(err)
			if len(host) != n || int(uintptr(unsafe.Pointer(&host[0])))%alignment != 0 {
				t.Fatalf("a slice of %d elements at %p", len(host), host)
			}
			b, err := gpu.Share(d, host)
			failed(err)
			for i := range host {
				host[i] = uint32(i * round)
			}
			part, err := other.Slice(0, n)
			failed(err)
			failed(gpu.Copy(s, part, b))
			got := make([]uint32, n)
			failed(part.Read(ctx, s, got))
			if !slices.Equal(got, host) {
				t.Fatal("the device does not see what the program wrote")
			}
			for i := range got {
				got[i] += 7
			}
			failed(part.Write(s, got))
			failed(gpu.Copy(s, b, part))
			if round%2 == 0 {
				failed(s.Wait(ctx))
				failed(b.Close())
			} else {
				failed(b.Close()) // which waits
			}
			if !slices.Equal(got, host) {
				t.Fatal("the program does not see what the device wrote")
			}
			if err := b.Read(ctx, s, got); !errors.Is(err, gpu.ErrClosed) {
				t.Errorf("a closed buffer: %v", err)
			}
		}
		host, err := gpu.MakeShared[byte](d, 3*alignment)
		failed(err)
		for what, wrong := range map[string][]byte{
			"no elements": host[:0], "a wrong beginning": host[1:], "no room at the end": host[: alignment+1 : alignment+1],
		} {
			if _, err := gpu.Share(d, wrong); !errors.Is(err, gpu.ErrShape) {
				t.Errorf("%s: got %v, want ErrShape", what, err)
			}
		}
		whole, err := gpu.Share(d, host[:alignment:alignment])
		failed(err)
		failed(whole.Close())
		_, err = gpu.Share(d, host) // closed with the device
		failed(err)
		for range 3 { // collected with its slice
			lost, err := gpu.MakeShared[byte](d, 100)
			failed(err)
			_, err = gpu.Share(d, lost)
			failed(err)
			runtime.GC()
		}
	})
}
