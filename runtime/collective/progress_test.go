//go:build !nodrivers && linux && amd64

package collective

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// waits returns when the library has been asked whether a call is done.
func (s *shim) waits() {
	for before := s.has("asked"); s.has("asked") < before+3; {
		runtime.Gosched()
	}
}

// quiet stops the polls for errors, which would count as questions.
func (j *job) quiet() {
	for _, c := range j.ranks {
		r := c.ways.(*libraryRank)
		close(r.quit)
		r.polled.Wait()
		r.quit = make(chan struct{})
	}
}

// TestProgress: calls return once their work is enqueued, however often the library says that they
// are in progress. It is not asked about those that are done at once.
func TestProgress(t *testing.T) {
	for _, progress := range []int{0, 1, settleSpins + 3} {
		t.Run(fmt.Sprint(progress), func(t *testing.T) {
			j, s := openLibraryJob(t, 3)
			j.quiet()
			s.fault("progress", progress)
			s.fault("asked", 0)
			buffers := upload(j, zeros[uint32](3, 64))
			values, calls := make([]uint32, 64), 0
			for round := range uint32(2) {
				for mode, call := range modes {
					for rank := range j.ranks {
						for i := range values {
							values[i] = round + uint32(rank)
						}
						j.check(buffers[rank].Write(j.streams[rank], values))
					}
					call(j, func(rank int) error {
						return AllReduce(j.ranks[rank], j.streams[rank], buffers[rank], buffers[rank], Sum)
					})
					calls += map[string]int{"goroutines": 3, "group": 1}[mode]
					for i := range values {
						values[i] = 3*round + 3
					}
					expect(j, mode, buffers, func(int) []uint32 { return values })
				}
			}
			asked := s.has("asked")
			if progress == 0 && asked != 0 || progress > 0 && asked < calls*progress {
				t.Errorf("%d calls have asked %d times", calls, asked)
			}
		})
	}
}

// missing are the ways in which a rank does not come, and ends the ways to end the wait for it.
var (
	missing = map[string]func(j *job, b []*gpu.Buffer[float32]) error{
		"an operation": func(j *job, b []*gpu.Buffer[float32]) error {
			return AllReduce(j.ranks[1], j.streams[1], b[1], b[1], Sum)
		},
		"a group": func(j *job, b []*gpu.Buffer[float32]) error {
			return Group(func() error {
				return errors.Join(AllReduce(j.ranks[1], j.streams[1], b[1], b[1], Sum), AllReduce(j.ranks[0], j.streams[0], b[0], b[0], Sum))
			}, j.ranks[:2]...)
		},
	}
	ends = map[string]func(j *job, cancel context.CancelFunc){
		"abort":               func(j *job, _ context.CancelFunc) { _ = j.ranks[1].Abort() },
		"abort of another":    func(j *job, _ context.CancelFunc) { _ = j.ranks[2].Abort() },
		"the context of Open": func(_ *job, cancel context.CancelFunc) { cancel() },
		"the context of Wait": func(j *job, _ context.CancelFunc) {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			_ = j.ranks[1].Wait(ended, j.streams[1])
		},
	}
)

// TestMissing: a rank that never comes to the operation that connects the ranks holds the call of
// the others until it is ended. Streams, devices and later communicators are as ever.
func TestMissing(t *testing.T) {
	for what, call := range missing {
		for how, end := range ends {
			if what == "a group" && how == "the context of Wait" {
				continue // the operations do not hold their streams, and so it is Wait's usual case
			}
			t.Run(what+" and "+how, func(t *testing.T) {
				s := openShim(t)
				s.fault("lazy", 1)
				j := &job{TB: t}
				j.rocmDevices(3)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ranks, err := Open(ctx, j.group)
				j.check(err)
				j.own(ranks)
				j.quiet()
				buffers := upload(j, zeros[float32](3, 9))
				done := make(chan error)
				go func() { done <- call(j, buffers) }()
				s.waits()
				end(j, cancel)
				if err := <-done; !errors.Is(err, ErrAborted) && !errors.Is(err, ErrRemote) {
					t.Errorf("the call returns %v", err)
				}
				for _, c := range ranks {
					<-c.failed
				}
				j.usable(buffers)
			})
		}
	}
}

// usable checks that devices, streams, and new communicators work.
func (j *job) usable(buffers []*gpu.Buffer[float32]) {
	j.Helper()
	expect(j, "afterwards", buffers, func(int) []float32 { return make([]float32, buffers[0].Len()) })
	again, err := Open(context.Background(), j.group)
	j.check(err)
	j.own(again)
	j.together(func(rank int) error {
		return AllReduce(again[rank], j.streams[rank], buffers[rank], buffers[rank], Max)
	})
	expect(j, "with new communicators", buffers, func(int) []float32 { return make([]float32, buffers[0].Len()) })
}

// TestMissingAtInit: the end of the context ends an initialisation that waits for a rank, and
// nothing of it is left.
func TestMissingAtInit(t *testing.T) {
	for name, open := range map[string]func(ctx context.Context, j *job) error{
		"one process": func(ctx context.Context, j *job) error {
			_, err := Open(ctx, j.group)
			return err
		},
		"processes": func(ctx context.Context, j *job) error {
			root, err := NewRoot(2, Use(RCCL))
			j.check(err)
			defer root.Close()
			results := make(chan error)
			for rank, d := range j.group.Devices() {
				go func() {
					_, err := Join(ctx, d, root.ID(), rank)
					results <- err
				}()
			}
			first, second := <-results, <-results
			if (first == nil) != (second == nil) {
				j.Errorf("of two ranks, one comes: %v, %v", first, second)
			}
			return first
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShim(t)
			s.fault("hang", 1)
			j := &job{TB: t}
			j.rocmDevices(2)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- open(ctx, j) }()
			s.waits()
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) && !errors.Is(err, ErrRemote) {
				t.Errorf("it returns %v", err)
			}
			if live := int32(dl.Call(s.Live)); live != 0 {
				t.Errorf("%d communicators are left", live)
			}
			s.fault("hang", 0)
			j.usable(upload(j, zeros[float32](2, 8)))
		})
	}
}

// TestCloseAfterFailure: Close aborts a communicator that has failed, also where the goroutine that
// aborts it has not come that far. The library would have to finalize it before its operations end.
func TestCloseAfterFailure(t *testing.T) {
	j, s := openLibraryJob(t, 2)
	j.quiet()
	s.fault("lazy", 1)
	buffers := upload(j, zeros[float32](2, 9))
	done := make(chan error)
	go func() { done <- AllReduce(j.ranks[1], j.streams[1], buffers[1], buffers[1], Sum) }()
	s.waits()
	why := error(ErrRemote)
	j.ranks[1].failure.Store(&why)
	j.check(j.ranks[1].Close())
	if err := <-done; !errors.Is(err, ErrRemote) {
		t.Errorf("the call returns %v", err)
	}
	s.fault("lazy", 0)
}

// TestStuckClose: what the library does not finish is ended by an abort or the context.
func TestStuckClose(t *testing.T) {
	for _, aborts := range []bool{false, true} {
		t.Run(fmt.Sprint("aborts: ", aborts), func(t *testing.T) {
			s := openShim(t)
			j := &job{TB: t}
			j.rocmDevices(2)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ranks, err := Open(ctx, j.group)
			j.check(err)
			j.own(ranks)
			j.quiet()
			s.fault("stuck", 1)
			done := make(chan error)
			go func() { done <- ranks[0].Close() }()
			s.waits()
			if aborts {
				j.check(ranks[0].Abort())
			} else {
				cancel()
			}
			j.check(<-done)
			<-ranks[1].failed
			if err := ranks[1].Err(); !errors.Is(err, ErrAborted) && !errors.Is(err, ErrRemote) {
				t.Errorf("the other rank has %v", err)
			}
			s.fault("stuck", 0)
			j.usable(upload(j, zeros[float32](2, 8)))
		})
	}
}

// TestLateErrors: the error of a call in progress is that of the call.
func TestLateErrors(t *testing.T) {
	for what, call := range missing {
		t.Run(what, func(t *testing.T) {
			j, s := openLibraryJob(t, 3)
			j.quiet()
			buffers := upload(j, zeros[float32](3, 9))
			s.fault("late", 2)
			err := call(j, buffers)
			var e *LibraryError
			if !errors.As(err, &e) || e.Code != 2 || e.Call != map[string]string{"an operation": "AllReduce", "a group": "a group"}[what] {
				t.Errorf("the call returns %v", err)
			}
			for _, c := range j.ranks {
				<-c.failed
			}
			j.usable(buffers)
		})
	}
}

// TestFailureInGroup: a communicator that fails or is aborted within a group ends with it.
func TestFailureInGroup(t *testing.T) {
	for name, blocking := range map[string][]Option{"": nil, "blocking": {Blocking()}} {
		for _, aborts := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " aborts: ", aborts), func(t *testing.T) {
				s := openShim(t)
				j := &job{TB: t}
				j.rocmDevices(2)
				ranks, err := Open(t.Context(), j.group, blocking...)
				j.check(err)
				j.own(ranks)
				buffers := upload(j, zeros[float32](2, 8))
				err = Group(func() error {
					if aborts {
						return ranks[0].Abort()
					}
					s.fault("operation", 2)
					return AllReduce(ranks[0], j.streams[0], buffers[0], buffers[0], Sum)
				}, ranks...)
				var e *LibraryError
				if !aborts && !errors.As(err, &e) {
					t.Errorf("the group returns %v", err)
				}
				for rank, c := range ranks {
					<-c.failed
					if err := c.Err(); err == nil {
						t.Errorf("rank %d goes on", rank)
					}
				}
				if depth := dl.Call(s.Depth); int32(depth) != 0 {
					t.Errorf("%d groups are open", int32(depth))
				}
				j.usable(buffers)
			})
		}
	}
}

// TestBlocking runs operations with calls that block: as an option asks for, and of a library that
// has no others.
func TestBlocking(t *testing.T) {
	for name, c := range map[string]struct {
		list []Option
		old  bool
		want string
	}{
		"option": {[]Option{Blocking()}, false, "), whose calls block, as Blocking asks for"},
		"old":    {nil, true, "), whose calls block, as it is older than 2.14: a context does not end those that wait for other ranks"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShim(t)
			lib, err := load(RCCL)
			if err != nil {
				t.Fatal(err)
			}
			if c.old {
				functions := lib.functions
				defer func() { lib.functions = functions }()
				lib.InitConfig, lib.Finalize = 0, 0
			}
			j := &job{TB: t}
			j.rocmDevices(2)
			ranks, err := Open(t.Context(), j.group, c.list...)
			j.check(err)
			j.own(ranks)
			j.quiet()
			s.fault("asked", 0)
			if text := ranks[1].Explain(); !strings.HasSuffix(text, c.want) {
				t.Errorf("the transport is explained by %q", text)
			}
			testReductions(j, func(r *rand.Rand) int32 { return int32(r.IntN(9) - 4) })
			if n := s.has("asked"); n != 0 {
				t.Errorf("the library was asked %d times", n)
			}
			j.all(func(rank int) error { return ranks[rank].Close() })
		})
	}
}
