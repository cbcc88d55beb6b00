// Host memory that devices reach, and transfers through memory of their own.

package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver"
)

func (f *Fixture) newHost(bytes int) driver.HostMemory {
	f.Helper()
	m, err := f.Device.NewHostMemory(uint64(bytes))
	f.Check(err)
	if len(m.Bytes()) != bytes {
		f.Fatalf("host memory of %d bytes has %d", bytes, len(m.Bytes()))
	}
	return m
}

func randomBytes(random *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

// hostMemory copies parts of host memory both ways, with kernels between, and waits once.
func hostMemory(f *Fixture) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 3, 4, 1000, 70_001, 3<<20 + 5} {
		from, to := f.newHost(size+9), f.newHost(size+9)
		if len(bytes.Trim(from.Bytes(), "\x00")) != 0 {
			f.Error("new host memory is not zero")
		}
		copy(from.Bytes(), randomBytes(random, size+9))
		m := f.Alloc(size + 12)
		for round := range 3 {
			part := driver.Slice{Memory: m, Offset: uint64(4 * round), Bytes: uint64(size)}
			f.Check(f.Stream.WriteFrom(part, from, uint64(3*round)))
			f.Check(f.Stream.ReadTo(to, uint64(2*round), part))
			f.Check(f.Stream.Wait(context.Background()))
			if !bytes.Equal(to.Bytes()[2*round:][:size], from.Bytes()[3*round:][:size]) {
				f.Fatalf("%d bytes came back changed", size)
			}
		}
		part, want, got := driver.Slice{Memory: m, Bytes: uint64(size)}, bytes.Clone(from.Bytes()[:size]), make([]byte, size)
		f.Check(f.Stream.Write(part, from.Bytes()[:size]))
		clear(from.Bytes()) // which has been read
		f.Check(f.Stream.Read(got, part))
		if !bytes.Equal(got, want) {
			f.Errorf("%d bytes of host memory that Write copies came back changed", size)
		}
		f.Check(f.Stream.WriteFrom(driver.Slice{Memory: m}, from, uint64(size+9)))
		for _, err := range []error{
			f.Stream.WriteFrom(driver.Slice{Memory: m, Bytes: uint64(size)}, from, 10),
			f.Stream.ReadTo(to, uint64(size+10), driver.Slice{Memory: m}),
			f.Stream.ReadTo(to, 0, driver.Slice{Memory: m, Offset: 4, Bytes: uint64(size + 12)}),
		} {
			if !errors.Is(err, driver.ErrUnsupported) {
				f.Errorf("a copy beyond the memory: got %v, want ErrUnsupported", err)
			}
		}
		f.Check(m.Free())
		f.Check(from.Free())
		f.Check(to.Free())
		f.Check(to.Free())
		if err := f.Stream.ReadTo(to, 0, driver.Slice{Memory: f.Alloc(4), Bytes: 1}); !errors.Is(err, driver.ErrClosed) {
			f.Errorf("freed host memory: got %v, want ErrClosed", err)
		}
	}
	f.orderedHostMemory()
	left := f.newHost(100)
	f.Check(f.Device.Close())
	f.Check(left.Free())
	if _, err := f.Device.NewHostMemory(100); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("host memory of a closed device: got %v, want ErrClosed", err)
	}
}

// orderedHostMemory has copies and launches follow each other, and looks at the end.
func (f *Fixture) orderedHostMemory() {
	const n, rounds = 5000, 20
	host, results := f.newHost(4*n), f.newHost(4*n*rounds)
	copy(host.Bytes(), Bytes(sequence(n)))
	x, y, one := f.Alloc(4*n), f.Alloc(4*n), f.Upload([]float32{1})
	for round := range rounds {
		f.Check(f.Stream.WriteFrom(Whole(x), host, 0))
		f.Check(f.Stream.Launch(Launch(f.Kernel, x, y, one)))
		f.Check(f.Stream.ReadTo(results, uint64(4*n*round), Whole(y)))
	}
	event, err := f.Stream.Record()
	f.Check(err)
	f.Check(event.Wait(context.Background()))
	f.Check(event.Close())
	for round := range rounds {
		want := sequence(n)
		for i := range want {
			want[i] *= float32(round + 1)
		}
		if !bytes.Equal(results.Bytes()[4*n*round:][:4*n], Bytes(want)) {
			f.Fatalf("the results of launch %d are wrong", round)
		}
	}
	f.Check(host.Free())
	f.Check(results.Free())
}

// largeTransfers copies slices of many sizes on several streams at once, and gives the memory for
// that back meanwhile.
func largeTransfers(f *Fixture) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 4)))
	const streams, rounds, most = 3, 6, 6 << 20
	var group sync.WaitGroup
	failures := make(chan error, streams)
	for n := range streams {
		s, err := f.Device.NewStream()
		f.Check(err)
		m := f.Alloc(most)
		group.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(n)))
			data := randomBytes(random, most)
			got := make([]byte, most)
			for round := range rounds {
				if trimmer, ok := f.Device.(driver.Trimmer); ok && round == rounds/2 {
					if err := trimmer.Trim(); err != nil {
						failures <- err
						return
					}
				}
				size := 1 + random.IntN(most-64)
				part := driver.Slice{Memory: m, Offset: 4 * random.Uint64N(16), Bytes: uint64(size)}
				src := data[random.IntN(64):][:size]
				dst := got[random.IntN(64):][:size]
				err := errors.Join(s.Write(part, src), s.Read(dst, part))
				if err == nil && !bytes.Equal(dst, src) {
					err = fmt.Errorf("%d bytes came back changed", size)
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failures)
	for err := range failures {
		f.Error(err)
	}
}

// transfersDoNotAllocate writes and reads again and again. The processor starts goroutines and
// waits by channels.
func transfersDoNotAllocate(f *Fixture) {
	if RaceEnabled {
		f.Skip("skipped: the race detector allocates; this runs without -race")
	}
	for _, size := range []int{4 << 10, 100 << 10, 5 << 20} {
		m, host := f.Alloc(size), make([]byte, size)
		run := func() {
			f.Check(f.Stream.Write(Whole(m), host))
			f.Check(f.Stream.Read(host, Whole(m)))
		}
		for range 30 {
			run()
		}
		if n := testing.AllocsPerRun(20, run); n > 4 || n > 1 && f.Device.Info().Kind != driver.CPU {
			f.Errorf("a write and a read of %d bytes allocate %v times", size, n)
		}
	}
}

// sharedMemory launches on slices of the host, where the device has the host's memory.
func sharedMemory(f *Fixture) {
	sharer, ok := f.Device.(driver.Sharer)
	if !ok || sharer.ShareAlignment() == 0 {
		if ok {
			if _, err := sharer.Share(make([]byte, 64<<10)); !errors.Is(err, driver.ErrUnsupported) {
				f.Errorf("sharing with a device that has memory of its own: got %v, want ErrUnsupported", err)
			}
		}
		f.Skip("skipped: the device has memory of its own")
	}
	alignment := int(sharer.ShareAlignment())
	for _, n := range []int{1, 1000, 70_000} {
		share := func(values []float32) (driver.Memory, []float32) {
			whole := (4*n + alignment - 1) &^ (alignment - 1)
			data := driver.Aligned(whole, max(alignment, 4))
			copy(data, Bytes(values))
			m, err := sharer.Share(data[:4*n])
			f.Check(err)
			return m, floats(data[:4*n])
		}
		x, hostX := share(sequence(n))
		y, hostY := share(make([]float32, n))
		one := f.Upload([]float32{1})
		for round := range 3 {
			f.Check(f.Stream.Launch(Launch(f.Kernel, x, y, one)))
			f.Check(f.Stream.Wait(context.Background()))
			for i := range hostY[:n-1] {
				if want := float32((round + 1) * (i % 1000)); hostY[i] != want {
					f.Fatalf("element %d is %v on the host, want %v", i, hostY[i], want)
				}
			}
			hostX[n-1]++ // the device sees it
		}
		if want := float32(3*((n-1)%1000) + 1 + 2); hostY[n-1] != want {
			f.Errorf("the last element is %v, want %v", hostY[n-1], want)
		}
		copied := f.Alloc(4 * n)
		f.Check(f.Stream.Copy(Whole(copied), Whole(y)))
		if got := f.Read(copied); !bytes.Equal(Bytes(got), Bytes(hostY)) {
			f.Error("a copy of shared memory differs")
		}
		want := bytes.Clone(Bytes(hostX))
		f.Check(f.Stream.Write(Whole(copied), Bytes(hostX)))
		clear(hostX) // which has been read
		if got := f.Read(copied); !bytes.Equal(Bytes(got), want) {
			f.Error("a write of shared memory differs")
		}
		f.Check(x.Free())
		f.Check(y.Free())
	}
	left, err := sharer.Share(driver.Aligned(alignment, alignment))
	f.Check(err)
	f.Check(f.Device.Close())
	f.Check(left.Free())
	if _, err := sharer.Share(driver.Aligned(alignment, alignment)); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("sharing with a closed device: got %v, want ErrClosed", err)
	}
}
