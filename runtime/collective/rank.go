// Ranks of NCCL and RCCL. Their communicators do not block, where the library can have such: a call
// returns ncclInProgress and is done by another thread, which ncclCommAbort can end at any point.
// Operations connect the ranks when they first need it, and wait for each other then.

package collective

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// libraryRank is a rank of a library's communicator.
type libraryRank struct {
	lib    *library
	of     *Communicator
	others []*Communicator // of this process, with which the rank fails
	handle uintptr         // ncclComm_t
	blocks bool            // calls return when they are done

	// enqueue is enqueueCurrent, made once.
	enqueue func(stream uintptr, addresses []uintptr) error
	current *operation
	batched bool  // current belongs to a group
	state   int32 // of ncclCommGetAsyncError

	// using is held by calls with the handle. The library takes one at a time for a communicator.
	using  sync.Mutex
	gone   atomic.Bool   // the handle is, or is going
	quit   chan struct{} // ends the poll
	polled sync.WaitGroup
	given  chan struct{} // closed when the library has the handle back

	// grouping says that a group collects operations. Its end does what release has left.
	groups   sync.Mutex
	grouping bool
	left     func() error
}

func newLibraryRank(lib *library, c *Communicator, o *options) *libraryRank {
	r := &libraryRank{lib: lib, of: c, quit: make(chan struct{}), given: make(chan struct{}), blocks: o.blocking || lib.InitConfig == 0 || lib.Finalize == 0}
	r.enqueue = r.enqueueCurrent
	switch {
	case o.blocking:
		c.why += ", whose calls block, as Blocking asks for"
	case r.blocks:
		c.why += ", whose calls block, as it is older than 2.14: a context does not end those that wait for other ranks"
	}
	return r
}

// config is the beginning of an ncclConfig_t, which is all that NCCL 2.14 had of it. Newer ones
// take the rest from the size and the version.
type config struct {
	size     uintptr
	magic    uint32 // NCCL_API_MAGIC
	version  uint32
	blocking int32
	_        int32
}

// init calls ncclCommInitRank or ncclCommInitRankConfig. They take the identifier by value: in
// memory, whose address AAPCS passes on arm64, and which the System V ABI has behind the six
// registers for arguments.
func (r *libraryRank) init(id *uniqueID) error {
	function, c := r.lib.InitRank, (*config)(nil)
	if !r.blocks {
		function, c = r.lib.InitConfig, &config{size: unsafe.Sizeof(config{}), magic: 0xcafebeef, version: 2_14_00}
	}
	ranks, rank := uintptr(r.of.ranks), uintptr(r.of.rank)
	var code uintptr
	if runtime.GOARCH == "arm64" {
		code = dl.Call(function, uintptr(unsafe.Pointer(&r.handle)), ranks, uintptr(unsafe.Pointer(id)), rank, uintptr(unsafe.Pointer(c)))
	} else {
		w := (*[16]uintptr)(unsafe.Pointer(id))
		code = dl.Call(function, uintptr(unsafe.Pointer(&r.handle)), ranks, rank, uintptr(unsafe.Pointer(c)), 0, 0,
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15])
	}
	return r.lib.check("join the other ranks", code, 0)
}

// openLibrary makes communicators of this process. All are initialised by this thread, in a group,
// with the context of each device made current by Stream.Enqueue. The end of ctx ends that.
func openLibrary(ctx context.Context, all []*Communicator, o *options) error {
	lib, err := load(all[0].transport)
	if err != nil {
		return err
	}
	if err := openPeers(all); err != nil {
		return err
	}
	id, err := lib.newID()
	if err != nil {
		return err
	}
	ranks := make([]*libraryRank, len(all))
	for n, c := range all {
		ranks[n] = newLibraryRank(lib, c, o)
		ranks[n].using.Lock()
	}
	busy, err := initAll(ranks, id)
	for _, r := range ranks {
		r.using.Unlock()
	}
	stop := context.AfterFunc(ctx, func() {
		for _, r := range ranks {
			_ = r.end()
		}
	})
	for _, r := range ranks {
		if err == nil && busy {
			err = r.settle("join the other ranks")
		}
	}
	if !stop() && (err == nil || errors.Is(err, ErrAborted)) {
		err = fmt.Errorf("%w: %w", ErrAborted, context.Cause(ctx))
	}
	if err != nil {
		for _, r := range ranks {
			_ = r.end()
		}
		return err
	}
	for n, c := range all {
		c.ways = ranks[n]
		ranks[n].others = all
	}
	for _, r := range ranks {
		r.start()
	}
	return nil
}

// initAll begins the initialisation of all ranks of this process.
func initAll(ranks []*libraryRank, id *uniqueID) (busy bool, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	lib := ranks[0].lib
	if err := lib.groupStart(); err != nil {
		return false, err
	}
	var failures []error
	for _, r := range ranks {
		failures = append(failures, onDevice(r.of.device, func() error { return r.init(id) }))
	}
	busy, err = lib.groupEnd()
	return busy, errors.Join(append(failures, err)...)
}

// openPeers lets each device access the memory of the others where they can. The library reads and
// writes the buffers of other ranks in the process, and memory of a pool needs permission for that
// (NCCL_P2P_DIRECT_DISABLE in NCCL's user guide).
func openPeers(all []*Communicator) error {
	for _, a := range all {
		for _, b := range all {
			if a == b {
				continue
			}
			if _, err := a.device.PathTo(b.device); err != nil {
				return err
			}
		}
	}
	return nil
}

// onDevice calls f with a device's context current.
func onDevice(d *gpu.Device, f func() error) error {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	return errors.Join(s.Enqueue(func(uintptr, []uintptr) error { return f() }), s.Close())
}

// joinLibrary makes a rank's communicator with those of other processes. It waits for them until
// ctx ends. A library whose calls block keeps a thread then, until it gives up.
func (c *Communicator) joinLibrary(ctx context.Context, id *uniqueID, o *options) error {
	lib, err := load(c.transport)
	if err != nil {
		return err
	}
	r := newLibraryRank(lib, c, o)
	done := make(chan error, 1)
	go func() {
		r.using.Lock()
		err := ErrAborted
		if !r.gone.Load() {
			err = onDevice(c.device, func() error { return r.init(id) })
		}
		r.using.Unlock()
		if err == nil && !r.blocks {
			err = r.settle("join the other ranks")
		}
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = fmt.Errorf("%w: wait for %v", ErrAborted, c.transport)
		if r.blocks {
			go func() {
				<-done
				_ = r.end()
			}()
			return err
		}
	}
	if err != nil {
		return errors.Join(err, r.end())
	}
	c.ways = r
	r.start()
	return nil
}

// pollInterval is how often the library is asked for errors of its work: of the network, and of
// ranks on other hosts. It is short beside the time that a program takes to go on without them.
const pollInterval = 50 * time.Millisecond

// start asks the library for errors until the communicator is closed.
func (r *libraryRank) start() {
	r.polled.Go(func() {
		ticker := time.NewTicker(pollInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-r.quit:
				return
			}
			if !r.using.TryLock() {
				continue // a call is under way, and has the error
			}
			_, err := r.ask("an operation")
			r.using.Unlock()
			if err != nil && !r.gone.Load() {
				go r.of.fail(err) // which waits for this goroutine
				return
			}
		}
	})
}

// ask asks for the state of the last call, and for errors of work that was enqueued. The caller
// holds using.
func (r *libraryRank) ask(what string) (busy bool, err error) {
	if r.gone.Load() {
		return false, ErrAborted
	}
	code := dl.Call2(r.lib.AsyncError, r.handle, uintptr(unsafe.Pointer(&r.state)))
	if uint32(code) != 0 {
		return false, r.lib.check("ask for errors", code, r.handle)
	}
	switch r.state {
	case 0:
		return false, nil
	case inProgress:
		return true, nil
	}
	return false, r.lib.check(what, uintptr(uint32(r.state)), r.handle)
}

// A call that is in progress takes some tens of microseconds, the time of a thread that starts, or
// as long as another rank. So settle asks at once a few times, and then waits between.
const (
	settleSpins    = 1500 // 0.2 ms
	settleInterval = 50 * time.Microsecond
	settleLongest  = 2 * time.Millisecond
)

// settle waits until the library has done the last call, or the communicator is aborted.
func (r *libraryRank) settle(what string) error {
	pause := settleInterval
	for n := 0; ; n++ {
		r.using.Lock()
		busy, err := r.ask(what)
		r.using.Unlock()
		if !busy {
			return err
		}
		if n >= settleSpins {
			time.Sleep(pause)
			pause = min(2*pause, settleLongest)
		}
	}
}

// run enqueues an operation on its stream.
func (r *libraryRank) run(o *operation) error {
	r.current, r.batched = o, r.of.batching
	var err error
	switch {
	case o.src == nil:
		err = o.stream.Enqueue(r.enqueue, o.dst)
	case o.dst == nil || o.kind == broadcast:
		err = o.stream.Enqueue(r.enqueue, o.src)
	default:
		err = o.stream.Enqueue(r.enqueue, o.src, o.dst)
	}
	r.current = nil
	return err
}

// runAll runs operations in a group of the library.
func (r *libraryRank) runAll(batch []operation) error {
	for n := range batch {
		if err := r.run(&batch[n]); err != nil {
			return err
		}
	}
	return nil
}

// enqueueCurrent calls the library for the current operation, and waits until it is enqueued. In a
// group, the group's end enqueues it, and holds using. The addresses are those of src and dst, or
// of the only buffer.
func (r *libraryRank) enqueueCurrent(stream uintptr, at []uintptr) error {
	what := kindNames[r.current.kind]
	if r.batched {
		return r.lib.check(what, r.call(stream, at[0], at[len(at)-1]), r.handle)
	}
	r.using.Lock()
	if r.gone.Load() {
		r.using.Unlock()
		return ErrAborted
	}
	code := r.call(stream, at[0], at[len(at)-1])
	r.using.Unlock()
	switch uint32(code) {
	case 0:
		return nil
	case inProgress:
		return r.settle(what)
	}
	return r.lib.check(what, code, r.handle)
}

// call calls the library for the current operation.
func (r *libraryRank) call(stream, src, dst uintptr) uintptr {
	lib, o := r.lib, r.current
	count, scalar, peer := uintptr(o.count), uintptr(o.scalar), uintptr(o.peer)
	switch o.kind {
	case allReduce:
		return dl.Call8(lib.AllReduce, src, dst, count, scalar, uintptr(reductionCodes[o.reduce]), r.handle, stream, 0)
	case reduceScatter:
		return dl.Call8(lib.ReduceScatter, src, dst, count, scalar, uintptr(reductionCodes[o.reduce]), r.handle, stream, 0)
	case allGather:
		return dl.Call8(lib.AllGather, src, dst, count, scalar, r.handle, stream, 0, 0)
	case broadcast:
		return dl.Call8(lib.Broadcast, src, dst, count, scalar, peer, r.handle, stream, 0)
	case send:
		return dl.Call8(lib.Send, src, count, scalar, peer, r.handle, stream, 0, 0)
	default:
		return dl.Call8(lib.Recv, dst, count, scalar, peer, r.handle, stream, 0, 0)
	}
}

// reductionCodes are the values of ncclRedOp_t.
var reductionCodes = [...]uint8{Sum: 0, Product: 1, Max: 2, Min: 3, Average: 4}

// group has the library do together what f calls. err is the error of the operations, and failure
// that of f.
func (r *libraryRank) group(f func() error, of []*Communicator) (err, failure error) {
	busy, err, failure := r.gather(f, of)
	if err != nil {
		return r.of.ended(err), failure
	}
	if failure != nil || !busy {
		return nil, failure
	}
	for _, c := range of {
		if failed := c.ways.(*libraryRank).settle("a group"); failed != nil {
			failed = c.ended(firstFailure(of, c, failed))
			if err == nil {
				err = failed
			}
		}
	}
	return err, nil
}

// firstFailure is why a rank's part of a group has failed. That is err, unless another rank has
// failed, which ends the group for all with an error of the library that says less.
func firstFailure(of []*Communicator, c *Communicator, err error) error {
	for _, other := range of {
		if why := other.failure.Load(); why != nil && other != c {
			return fmt.Errorf("%w: rank %d: %w", ErrRemote, other.rank, *why)
		}
	}
	return err
}

// gather is collect, with what release leaves meanwhile.
func (r *libraryRank) gather(f func() error, of []*Communicator) (busy bool, err, failure error) {
	defer func() { // also if f panics
		for _, c := range of {
			if left := c.ways.(*libraryRank).ungroup(); left != nil {
				_ = left()
			}
		}
	}()
	for _, c := range of {
		if !c.ways.(*libraryRank).regroup() {
			return false, cmp.Or(c.Err(), ErrAborted), nil
		}
	}
	return r.collect(f, of)
}

// regroup has releases left to the end of a group. It is false if the handle is gone.
func (r *libraryRank) regroup() bool {
	r.groups.Lock()
	defer r.groups.Unlock()
	r.grouping = !r.gone.Load()
	return r.grouping
}

// closeGroup has releases not left any more.
func (r *libraryRank) closeGroup() {
	r.groups.Lock()
	defer r.groups.Unlock()
	r.grouping = false
}

// ungroup does that, and returns what was left.
func (r *libraryRank) ungroup() func() error {
	r.groups.Lock()
	defer r.groups.Unlock()
	left := r.left
	r.grouping, r.left = false, nil
	return left
}

// collect begins a group, calls f, and ends the group. A group belongs to a thread of the system.
func (r *libraryRank) collect(f func() error, of []*Communicator) (busy bool, err, failure error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range of {
		c.ways.(*libraryRank).using.Lock()
	}
	defer func() {
		for _, c := range of {
			c.ways.(*libraryRank).using.Unlock()
		}
	}()
	if err := r.lib.groupStart(); err != nil {
		return false, err, nil
	}
	defer func() { // also if f panics
		if r.blocks { // and its end may wait for an abort
			for _, c := range of {
				c.ways.(*libraryRank).closeGroup()
			}
		}
		busy, err = r.lib.groupEnd()
	}()
	return false, nil, f()
}

// abort ends the rank's operations on the device, and with them the communicator. Those of the
// other ranks would wait for ever, so they end, too.
func (r *libraryRank) abort(why error) {
	for _, c := range r.others {
		if c != r.of {
			go c.fail(fmt.Errorf("%w: rank %d: %w", ErrRemote, r.of.rank, why))
		}
	}
	_ = r.end()
}

// end aborts the library's communicator.
func (r *libraryRank) end() error { return r.release("abort", r.lib.Abort) }

// close gives the communicator back once its work has finished. An abort ends the wait for that. A
// communicator that has failed is aborted: its work does not finish.
func (r *libraryRank) close() error {
	if r.of.failure.Load() != nil {
		return r.end()
	}
	if r.blocks {
		return r.release("close", r.lib.Destroy)
	}
	r.using.Lock()
	if r.gone.Load() {
		r.using.Unlock()
		return r.end()
	}
	err := r.lib.check("finish", dl.Call1(r.lib.Finalize, r.handle), r.handle)
	r.using.Unlock()
	if err == nil {
		err = r.settle("finish")
	}
	if err != nil {
		if r.gone.Load() || r.of.failure.Load() != nil {
			return r.end() // the failure says why
		}
		return errors.Join(err, r.end())
	}
	return r.release("close", r.lib.Destroy)
}

// release gives the handle back by a function of the library, or waits until another call has done
// so. Calls that do not block take microseconds, and it lets them end. One that blocks, and has not
// ended in a second, waits for another rank, and only an abort ends it.
func (r *libraryRank) release(what string, function uintptr) error {
	if r.gone.Swap(true) {
		if !r.collecting() {
			<-r.given
		}
		return nil
	}
	close(r.quit)
	r.polled.Wait()
	last := func() error {
		defer close(r.given)
		for n := 0; !r.using.TryLock(); n++ {
			if r.blocks && n == 1000 {
				return r.last(what, function)
			}
			time.Sleep(time.Millisecond)
		}
		r.using.Unlock() // who holds it next finds the handle gone
		return r.last(what, function)
	}
	r.groups.Lock()
	if r.grouping {
		r.left = last
		r.groups.Unlock()
		return nil
	}
	r.groups.Unlock()
	return last()
}

// collecting reports whether a group collects operations, whose function may be the caller.
func (r *libraryRank) collecting() bool {
	r.groups.Lock()
	defer r.groups.Unlock()
	return r.grouping
}

// lastTime is how long the library may take to give a communicator back, before the program goes
// on without it.
const lastTime = 10 * time.Second

// last calls the function that gives the handle back.
func (r *libraryRank) last(what string, function uintptr) error {
	if r.handle == 0 {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- r.lib.check(what, dl.Call1(function, r.handle), 0) }()
	select {
	case err := <-done:
		return err
	case <-time.After(lastTime):
		return fmt.Errorf("%s: %v has not done that in %v; it keeps a thread and the communicator's memory", what, r.of.transport, lastTime)
	}
}
