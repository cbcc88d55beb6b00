package collective

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// job is the ranks of a test, each with a stream.
type job struct {
	testing.TB
	group   *gpu.Group
	streams []*gpu.Stream
	ranks   []*Communicator
}

// openJob opens the CPU device several times.
func openJob(t testing.TB, n int, list ...Option) *job {
	t.Helper()
	j := &job{TB: t}
	j.devices(n)
	ranks, err := Open(t.Context(), j.group, list...)
	j.check(err)
	j.own(ranks)
	return j
}

func (j *job) devices(n int) {
	j.Helper()
	var err error
	j.group, err = gpu.OpenAll(gpu.Named(gpu.CPU), gpu.Count(n))
	j.check(err)
	j.streams, err = j.group.NewStreams()
	j.check(err)
	j.Cleanup(func() { j.check(j.group.Close()) })
}

// own has the communicators closed at the end: all at once, as that of the root waits for others.
func (j *job) own(ranks []*Communicator) {
	j.ranks = ranks
	j.Cleanup(func() {
		own := &job{TB: j.TB, ranks: ranks} // j may have others by now
		own.all(func(rank int) error { return ranks[rank].Close() })
	})
}

func (j *job) check(err error) {
	j.Helper()
	if err != nil {
		j.Fatal(err)
	}
}

// all calls f for each rank by a goroutine of its own.
func (j *job) all(f func(rank int) error) {
	j.Helper()
	failures := make([]error, len(j.ranks))
	var group sync.WaitGroup
	for rank := range j.ranks {
		group.Go(func() { failures[rank] = f(rank) })
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		j.Fatal(err)
	}
}

// together calls f for each rank in a Group.
func (j *job) together(f func(rank int) error) {
	j.Helper()
	j.check(Group(func() error {
		for rank := range j.ranks {
			if err := f(rank); err != nil {
				return err
			}
		}
		return nil
	}, j.ranks...))
}

// upload gives each rank a buffer.
func upload[T any](j *job, values [][]T) []*gpu.Buffer[T] {
	j.Helper()
	buffers := make([]*gpu.Buffer[T], len(values))
	for rank := range buffers {
		var err error
		buffers[rank], err = gpu.Upload(context.Background(), j.group.Devices()[rank], values[rank])
		j.check(err)
	}
	return buffers
}

// expect compares each rank's buffer.
func expect[T comparable](j *job, what string, buffers []*gpu.Buffer[T], want func(rank int) []T) {
	j.Helper()
	for rank, b := range buffers {
		got := make([]T, b.Len())
		j.check(b.Read(context.Background(), j.streams[rank], got))
		if w := want(rank); !slices.Equal(got, w) {
			j.Fatalf("%s: rank %d has %v, want %v", what, rank, short(got), short(w))
		}
	}
}

func short[T any](values []T) string {
	if len(values) > 8 {
		return fmt.Sprint(values[:8], " …")
	}
	return fmt.Sprint(values)
}

// modes are the ways to call an operation for all ranks.
var modes = map[string]func(j *job, f func(rank int) error){"goroutines": (*job).all, "group": (*job).together}

// scalars runs a test of a type of numbers. Sums are in the order of ranks, so all results are
// exact.
func testReductions[T number](j *job, draw func(r *rand.Rand) T) {
	j.Helper()
	r := rand.New(rand.NewPCG(1, uint64(len(j.ranks))))
	n := len(j.ranks)
	for _, length := range []int{0, 1, 2, 7, 64, 4099} {
		values := make([][]T, n)
		for rank := range values {
			values[rank] = make([]T, n*length)
			for i := range values[rank] {
				values[rank][i] = draw(r)
			}
		}
		src, dst, part := upload(j, values), upload(j, zeros[T](n, n*length)), upload(j, zeros[T](n, length))
		for by := Sum; by <= Average; by++ {
			want := make([]T, n*length)
			for i := range want {
				x := values[0][i]
				for _, v := range values[1:] {
					switch y := v[i]; by {
					case Sum, Average:
						x += y
					case Product:
						x *= y
					case Max:
						x = max(x, y)
					case Min:
						x = min(x, y)
					}
				}
				if by == Average {
					x = average(x, n)
				}
				want[i] = x
			}
			for mode, call := range modes {
				what := fmt.Sprintf("%v of %d %T, %s", by, length, want, mode)
				call(j, func(rank int) error { return AllReduce(j.ranks[rank], j.streams[rank], dst[rank], src[rank], by) })
				expect(j, "all-reduce, "+what, dst, func(int) []T { return want })
				call(j, func(rank int) error {
					return ReduceScatter(j.ranks[rank], j.streams[rank], part[rank], src[rank], by)
				})
				expect(j, "reduce-scatter, "+what, part, func(rank int) []T { return want[rank*length:][:length] })
			}
		}
		// in the buffer itself
		j.all(func(rank int) error {
			return AllReduce(j.ranks[rank], j.streams[rank], src[rank], src[rank], Max)
		})
		j.all(func(rank int) error {
			return AllReduce(j.ranks[rank], j.streams[rank], dst[rank], src[rank], Min)
		})
		expect(j, "in place", dst, func(int) []T {
			want := slices.Clone(values[0])
			for _, v := range values[1:] {
				for i := range want {
					want[i] = max(want[i], v[i])
				}
			}
			return want
		})
	}
}

func zeros[T any](ranks, n int) [][]T {
	list := make([][]T, ranks)
	for rank := range list {
		list[rank] = make([]T, n)
	}
	return list
}

// TestReductions compares all reductions of all numbers with loops.
func TestReductions(t *testing.T) {
	counts := []int{3, 1, 2, 5}
	for _, n := range counts[:testmode.Count(1, 2, 4)] {
		j := openJob(t, n)
		small := func(r *rand.Rand) int { return r.IntN(9) - 4 }
		testReductions(j, func(r *rand.Rand) int8 { return int8(small(r)) })
		testReductions(j, func(r *rand.Rand) uint8 { return uint8(small(r) & 3) })
		testReductions(j, func(r *rand.Rand) int32 { return int32(small(r)) })
		testReductions(j, func(r *rand.Rand) uint32 { return uint32(small(r) & 7) })
		testReductions(j, func(r *rand.Rand) int64 { return int64(small(r)) })
		testReductions(j, func(r *rand.Rand) uint64 { return uint64(small(r) & 7) })
		testReductions(j, func(r *rand.Rand) float64 { return float64(small(r)) })
		testReductions(j, func(r *rand.Rand) float32 { return r.Float32()*2 - 1 })
	}
}

// average divides as Go does: integers towards zero.
func average[T number](x T, n int) T {
	switch x := any(x).(type) {
	case float32:
		return T(x / float32(n))
	case float64:
		return T(x / float64(n))
	}
	return T(math.Trunc(float64(x) / float64(n)))
}

// TestHalves reduces floats of 16 bits: in float32, with one rounding.
func TestHalves(t *testing.T) {
	j := openJob(t, 3)
	r := rand.New(rand.NewPCG(2, 2))
	halves, brains := make([][]gpu.Float16, 3), make([][]gpu.BFloat16, 3)
	const n = 3000
	wantHalf, wantBrain := make([]float32, n), make([]float32, n)
	for rank := range halves {
		for i := range n {
			x := r.Float32()
			halves[rank] = append(halves[rank], gpu.ToFloat16(x))
			brains[rank] = append(brains[rank], gpu.ToBFloat16(x))
			wantHalf[i] += halves[rank][i].Float32()
			wantBrain[i] += brains[rank][i].Float32()
		}
	}
	a, b := upload(j, halves), upload(j, brains)
	j.all(func(rank int) error {
		return errors.Join(AllReduce(j.ranks[rank], j.streams[rank], a[rank], a[rank], Sum), AllReduce(j.ranks[rank], j.streams[rank], b[rank], b[rank], Average))
	})
	expect(j, "halves", a, func(int) []gpu.Float16 { return converted(wantHalf, 1, gpu.ToFloat16) })
	expect(j, "brain floats", b, func(int) []gpu.BFloat16 { return converted(wantBrain, 3, gpu.ToBFloat16) })
}

func converted[T any](x []float32, divisor float32, to func(float32) T) (list []T) {
	for _, v := range x {
		list = append(list, to(v/divisor))
	}
	return list
}

// TestMovements gathers, broadcasts and passes elements of odd sizes.
func TestMovements(t *testing.T) {
	type element struct {
		A uint16
		B [3]uint8
		C uint8
	}
	for _, n := range []int{1, 2, 4} {
		j := openJob(t, n)
		testMovements(j, func(x uint32) element {
			return element{uint16(x), [3]uint8{uint8(x >> 8), uint8(x), 1}, uint8(x >> 3)}
		})
		testMovements(j, func(x uint32) uint8 { return uint8(x) })
		testMovements(j, func(x uint32) uint32 { return x })
	}
}

func testMovements[T comparable](j *job, make1 func(x uint32) T) {
	j.Helper()
	n := len(j.ranks)
	lengths := []int{0, 1, 5, 1000, testmode.Count(3000, 70_001, 3_000_001)}
	for _, length := range lengths {
		values := make([][]T, n)
		var joined []T
		for rank := range values {
			for i := range length {
				values[rank] = append(values[rank], make1(uint32(i*(rank+3))))
			}
			joined = append(joined, values[rank]...)
		}
		src, all, one := upload(j, values), upload(j, zeros[T](n, n*length)), upload(j, values)
		for mode, call := range modes {
			what := fmt.Sprintf("%d %T, %s", length, *new(T), mode)
			call(j, func(rank int) error { return AllGather(j.ranks[rank], j.streams[rank], all[rank], src[rank]) })
			expect(j, "all-gather, "+what, all, func(int) []T { return joined })
			for root := range n {
				j.all(func(rank int) error { return one[rank].Write(j.streams[rank], values[rank]) })
				call(j, func(rank int) error { return Broadcast(j.ranks[rank], j.streams[rank], one[rank], root) })
				expect(j, "broadcast, "+what, one, func(int) []T { return values[root] })
			}
			if n == 1 {
				continue
			}
			// a ring, and its other direction
			j.all(func(rank int) error { return one[rank].Write(j.streams[rank], make([]T, length)) })
			call(j, func(rank int) error {
				return SendRecv(j.ranks[rank], j.streams[rank], one[rank], (rank+n-1)%n, src[rank], (rank+1)%n)
			})
			expect(j, "a ring, "+what, one, func(rank int) []T { return values[(rank+n-1)%n] })
			// from one to all, and then back from the last
			j.all(func(rank int) error { return one[rank].Write(j.streams[rank], make([]T, length)) })
			call(j, func(rank int) (err error) {
				c, s := j.ranks[rank], j.streams[rank]
				if rank > 0 {
					return Recv(c, s, one[rank], 0)
				}
				for to := 1; to < n && err == nil; to++ {
					err = Send(c, s, src[0], to)
				}
				return err
			})
			expect(j, "from one, "+what, one, func(rank int) []T {
				if rank == 0 {
					return make([]T, length)
				}
				return values[0]
			})
		}
	}
}

// TestMismatches: ranks that call different operations get an error that says which, and so do the
// others, which would wait.
func TestMismatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call func(j *job, rank int, b *gpu.Buffer[uint32]) error
		want string
	}{
		"lengths": {func(j *job, rank int, b *gpu.Buffer[uint32]) error {
			if rank == 1 {
				b, _ = b.Slice(0, 6)
			}
			return AllReduce(j.ranks[rank], j.streams[rank], b, b, Sum)
		}, "AllReduce (sum, type 3) of 24 bytes"},
		"reductions": {func(j *job, rank int, b *gpu.Buffer[uint32]) error {
			return AllReduce(j.ranks[rank], j.streams[rank], b, b, Reduction(rank/2))
		}, "AllReduce (product, type 3) of 32 bytes"},
		"operations": {func(j *job, rank int, b *gpu.Buffer[uint32]) error {
			if rank == 1 {
				return Broadcast(j.ranks[rank], j.streams[rank], b, 0)
			}
			return AllReduce(j.ranks[rank], j.streams[rank], b, b, Sum)
		}, "Broadcast from rank 0 of 32 bytes"},
		"roots": {func(j *job, rank int, b *gpu.Buffer[uint32]) error {
			return Broadcast(j.ranks[rank], j.streams[rank], b, rank/2)
		}, "Broadcast from rank 1 of 32 bytes"},
		"one that fails": {func(j *job, rank int, b *gpu.Buffer[uint32]) error {
			if rank == 2 {
				_ = b.Close()
			}
			return AllReduce(j.ranks[rank], j.streams[rank], b, b, Sum)
		}, "already closed"},
		"one that is aborted": {func(j *job, rank int, b *gpu.Buffer[uint32]) error {
			if rank == 2 {
				_ = j.ranks[rank].Abort()
				return j.ranks[rank].Err()
			}
			return AllReduce(j.ranks[rank], j.streams[rank], b, b, Sum)
		}, "the communicator was aborted"},
		"one that closes": {func(j *job, rank int, b *gpu.Buffer[uint32]) error {
			if rank == 2 {
				_ = j.ranks[rank].Close()
				return j.ranks[rank].Err()
			}
			return AllReduce(j.ranks[rank], j.streams[rank], b, b, Sum)
		}, "closed its communicator"},
	} {
		for _, of := range []struct {
			name string
			open func(t testing.TB, n int, list ...Option) *job
		}{{"one process", openJob}, {"processes", joinJob}} {
			t.Run(name+" of "+of.name, func(t *testing.T) {
				j := of.open(t, 3)
				buffers := upload(j, zeros[uint32](3, 8))
				failures := make([]error, 3)
				var group sync.WaitGroup
				for rank := range j.ranks {
					group.Go(func() { failures[rank] = c.call(j, rank, buffers[rank]) })
				}
				group.Wait()
				if text := errors.Join(failures...).Error(); !strings.Contains(text, c.want) {
					t.Errorf("no error has %q:\n%s", c.want, text)
				}
				for rank := range failures { // a rank that had all it needs has its error now
					if err := AllReduce(j.ranks[rank], j.streams[rank], buffers[rank], buffers[rank], Sum); err == nil {
						t.Errorf("rank %d goes on", rank)
					}
				}
				// The devices are as before.
				got := make([]uint32, 8)
				if err := buffers[0].Read(t.Context(), j.streams[0], got); err != nil {
					t.Errorf("device 0: %v", err)
				}
			})
		}
	}
}

// TestContext: the end of a context ends what waits for ranks that do not come.
func TestContext(t *testing.T) {
	j := &job{TB: t}
	j.devices(2)
	ctx, cancel := context.WithCancel(t.Context())
	ranks, err := Open(ctx, j.group)
	j.check(err)
	j.own(ranks)
	buffers := upload(j, zeros[float32](2, 8))
	result := make(chan error)
	go func() { result <- AllReduce(ranks[0], j.streams[0], buffers[0], buffers[0], Sum) }()
	cancel()
	if err := <-result; !errors.Is(err, ErrAborted) && !errors.Is(err, context.Canceled) && !errors.Is(err, ErrRemote) {
		t.Errorf("the error is %v", err)
	}
	for rank, c := range ranks {
		<-c.failed
		if err := c.Err(); !errors.Is(err, context.Canceled) {
			t.Errorf("rank %d has failed with %v", rank, err)
		}
	}
}

// TestHostAllocates nothing once operations have run.
func TestHostAllocates(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	j := openJob(t, 3)
	// Writes of up to 4096 bytes are jobs of the CPU device, and waits for these allocate.
	buffers, parts := upload(j, zeros[float32](3, 6000)), upload(j, zeros[float32](3, 2000))
	next := func(rank int) int { return (rank + 1) % 3 }
	call := func() error {
		for rank, c := range j.ranks {
			s, b, p := j.streams[rank], buffers[rank], parts[rank]
			if err := errors.Join(AllReduce(c, s, b, b, Sum), ReduceScatter(c, s, p, b, Sum), AllGather(c, s, b, p), Broadcast(c, s, b, 1)); err != nil {
				return err
			}
		}
		return nil
	}
	ring := func() error {
		for rank, c := range j.ranks {
			if err := SendRecv(c, j.streams[rank], parts[rank], next(next(rank)), parts[rank], next(rank)); err != nil {
				return err
			}
		}
		return nil
	}
	if n := testing.AllocsPerRun(50, func() { j.check(Group(call, j.ranks...)) }); n > 0 {
		t.Errorf("four operations of three ranks allocate %v times", n)
	}
	if n := testing.AllocsPerRun(50, func() { j.check(Group(ring, j.ranks...)) }); n > 0 {
		t.Errorf("messages of three ranks allocate %v times", n)
	}
}

// TestSignature: frames keep what they have.
func TestSignature(t *testing.T) {
	f := frame{signature{1, 2, 3, 4}, 1 << 40, 1 << 41}
	var b [frameBytes]byte
	f.put(b[:])
	var g frame
	g.get(b[:])
	if g != f || binary.Size(f) != frameBytes {
		t.Errorf("%+v, of %d bytes", g, binary.Size(f))
	}
}
