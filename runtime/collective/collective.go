// Package collective has operations that several devices do together: reductions, gathers,
// broadcasts, and messages from one to another. They run through NCCL on NVIDIA's devices and
// through RCCL on AMD's, whose libraries are found at run time, without cgo. Where there is none,
// and for all other devices, the same calls go through memory of the host.
//
// A Communicator is one device's membership: its rank among several. All ranks call the same
// operations in the same order, each with its own communicator, stream and buffers:
//
//	group, err := gpu.OpenAll()
//	streams, err := group.NewStreams()
//	ranks, err := collective.Open(ctx, group)
//	err = collective.Group(func() error { // all ranks of this goroutine at once
//		for n, c := range ranks {
//			err := collective.AllReduce(c, streams[n], sums[n], parts[n], collective.Sum)
//			if err != nil {
//				return err
//			}
//		}
//		return nil
//	}, ranks...)
//
// Where each rank has a goroutine or a process of its own, there is no need for Group. Processes
// find each other with Meet: by a file, an environment variable, or an address.
//
// # Order
//
// Operations are work of a stream: they come after its work so far, and before its later work.
// Through NCCL and RCCL calls return once the work is enqueued. The first ones connect the ranks,
// and wait until all have come. Through the host they return when the rank's part is done. Numbers
// are added in the order of ranks there, so that results have the same bits in each run, for one
// process and for many.
//
// # Failures
//
// A rank that fails, ends or is aborted takes the communicators of the others with it. Their calls,
// and Communicator.Wait, return an error that says which rank it was and why, and nothing waits for
// ever. Devices, buffers and streams remain as they are. The ranks that are left may make new
// communicators.
package collective

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Transport is the way that data takes between ranks.
type Transport uint8

// The transports.
const (
	Auto Transport = iota // NCCL or RCCL if all devices can use it, and else Host
	Host                  // memory of the host, and TCP between processes
	NCCL                  // NVIDIA's library
	RCCL                  // AMD's library
)

// String returns the name.
func (t Transport) String() string {
	if int(t) >= len(transportNames) {
		return fmt.Sprintf("Transport(%d)", uint8(t))
	}
	return transportNames[t]
}

var transportNames = [...]string{"auto", "host", "NCCL", "RCCL"}

// The kinds of failure, for errors.Is. Errors also wrap those of package gpu.
var (
	// ErrRemote is the failure of another rank, or of the way to it.
	ErrRemote = errors.New("another rank has failed")
	// ErrAborted is what calls return once the communicator was aborted.
	ErrAborted = errors.New("the communicator was aborted")
	// ErrNoLibrary is the lack of NCCL or RCCL where Use has asked for it.
	ErrNoLibrary = errors.New("no such library")
)

// Option changes how communicators are made.
type Option func(*options)

type options struct {
	transport Transport
	listen    string
	blocking  bool
}

// Use takes one transport instead of the best one. If it is not possible there, making
// communicators is ErrNoLibrary or gpu.ErrUnsupported.
func Use(t Transport) Option { return func(o *options) { o.transport = t } }

// Listen has this process listen for other ones at a host's address, with any port. The default is
// 127.0.0.1, which other hosts cannot reach, or the host of Meet's tcp: address. NCCL has settings
// of its own for what it listens at (NCCL_SOCKET_IFNAME).
func Listen(host string) Option { return func(o *options) { o.listen = host } }

// Blocking has NCCL and RCCL do each call on the caller's thread, as they do by themselves.
// Otherwise the library starts a thread for it, which costs time, and which the end of a context or
// Abort ends at any point. With Blocking nothing ends a call that waits for another rank: the first
// ones of each kind, which connect the ranks. All ranks choose the same.
func Blocking() Option { return func(o *options) { o.blocking = true } }

func chosen(list []Option) (options, error) {
	var o options
	for _, option := range list {
		if option == nil {
			return o, fmt.Errorf("communicator: %w: an option is nil", gpu.ErrShape)
		}
		option(&o)
	}
	if int(o.transport) >= len(transportNames) {
		return o, fmt.Errorf("communicator: %w: there is no %v", gpu.ErrShape, o.transport)
	}
	return o, nil
}

// Communicator is one rank of several. Open, Join and Meet make it. Its calls come from one
// goroutine at a time, except Abort, Close, Err and Wait. All ranks make their calls in the same
// order.
type Communicator struct {
	rank, ranks int
	device      *gpu.Device
	transport   Transport
	why         string // the transport, for people
	ways        backend
	member      *member // of several processes, or nil

	mutex    sync.Mutex // of calls
	batching bool       // in Group
	batch    []operation
	current  operation

	closing sync.Once
	failure atomic.Pointer[error]
	failed  chan struct{} // closed with it
	stop    func() bool   // ends the watch on a context
}

// backend does the operations of one rank.
type backend interface {
	// run does an operation, or enqueues it.
	run(o *operation) error
	// runAll does those of a batch. The last operations need not have begun when the next begin.
	runAll(batch []operation) error
	// abort ends what is under way. It is called once, and not after close.
	abort(why error)
	// close gives back what the rank has.
	close() error
}

func newCommunicator(d *gpu.Device, rank, ranks int, t Transport, why string) *Communicator {
	return &Communicator{rank: rank, ranks: ranks, device: d, transport: t, why: why, failed: make(chan struct{})}
}

// Open makes a communicator for each device of a group, in its order, within this process. They are
// aborted when ctx ends: its end is that of all ranks.
func Open(ctx context.Context, g *gpu.Group, list ...Option) ([]*Communicator, error) {
	o, err := chosen(list)
	if err != nil {
		return nil, err
	}
	devices := g.Devices()
	if len(devices) == 0 {
		return nil, fmt.Errorf("open communicators: %w: the group is nil or has no devices", gpu.ErrClosed)
	}
	t, why, err := choose(o.transport, devices)
	if err != nil {
		return nil, fmt.Errorf("open communicators: %w", err)
	}
	all := make([]*Communicator, len(devices))
	for rank, d := range devices {
		all[rank] = newCommunicator(d, rank, len(devices), t, why)
	}
	if t == Host {
		openLocal(all)
	} else if err := openLibrary(ctx, all, &o); err != nil {
		return nil, fmt.Errorf("open communicators: %w", err)
	}
	for _, c := range all {
		c.watch(ctx)
	}
	return all, nil
}

// choose returns the transport for devices, and says why it is that.
func choose(wanted Transport, devices []*gpu.Device) (Transport, string, error) {
	best, why, err := best(devices)
	switch {
	case wanted == Host:
		return Host, "through the host, as Use asks for", nil
	case wanted == Auto && err != nil:
		return Host, "through the host: " + err.Error(), nil
	case err != nil:
		return Host, "", fmt.Errorf("%s: %w", wanted, err)
	case wanted != Auto && wanted != best:
		return Host, "", fmt.Errorf("%w: %v is not for these devices", gpu.ErrUnsupported, wanted)
	}
	return best, why, nil
}

// best returns the library for devices. The error says why there is none.
func best(devices []*gpu.Device) (Transport, string, error) {
	first := devices[0].Info()
	seen := map[int]bool{}
	for _, d := range devices {
		info := d.Info()
		if info.Driver != first.Driver {
			return Host, "", fmt.Errorf("%w: %s and %s have no library in common", gpu.ErrUnsupported, first.ID(), info.ID())
		}
		if seen[info.Index] {
			return Host, "", fmt.Errorf("%w: %s is there twice, and libraries take a device once", gpu.ErrUnsupported, info.ID())
		}
		seen[info.Index] = true
	}
	var t Transport
	switch first.Driver {
	case gpu.CUDA:
		t = NCCL
	case gpu.ROCm:
		t = RCCL
	default:
		return Host, "", fmt.Errorf("%w: there is no library for %s", gpu.ErrUnsupported, first.ID())
	}
	lib, err := load(t)
	if err != nil {
		return Host, "", err
	}
	return t, lib.title(), nil
}

// watch aborts the communicator when a context ends.
func (c *Communicator) watch(ctx context.Context) {
	c.stop = context.AfterFunc(ctx, func() {
		c.fail(fmt.Errorf("%w: its context has ended: %w", ErrAborted, context.Cause(ctx)))
	})
}

// Rank is the communicator's number among the ranks, from 0 on; 0 for a nil Communicator.
func (c *Communicator) Rank() int {
	if c == nil {
		return 0
	}
	return c.rank
}

// Ranks is how many ranks there are, 0 for a nil or zero Communicator.
func (c *Communicator) Ranks() int {
	if c == nil {
		return 0
	}
	return c.ranks
}

// Device returns the rank's device, or nil for a nil or zero Communicator.
func (c *Communicator) Device() *gpu.Device {
	if c == nil {
		return nil
	}
	return c.device
}

// Transport is the way that data takes, Auto for a nil or zero Communicator.
func (c *Communicator) Transport() Transport {
	if c == nil {
		return Auto
	}
	return c.transport
}

// Explain says in words which way the data takes, and why.
func (c *Communicator) Explain() string {
	if !c.valid() {
		return "no communicator"
	}
	return fmt.Sprintf("rank %d of %d on %s: %s", c.rank, c.ranks, c.device.Info().ID(), c.why)
}

func (c *Communicator) valid() bool { return c != nil && c.ways != nil }

// invalidError is the error of a nil or zero Communicator.
type invalidError struct{}

var errInvalid error = invalidError{}

func (invalidError) Error() string {
	return "communicator: it is nil or none that Open, Join or Meet made"
}
func (invalidError) Unwrap() error { return gpu.ErrClosed }

// Err returns why the communicator has failed, or nil if it has not. It asks nobody: a rank's end
// may be seen later.
func (c *Communicator) Err() error {
	if !c.valid() {
		return errInvalid
	}
	if err := c.failure.Load(); err != nil {
		return c.named(*err)
	}
	return nil
}

// Wait waits for a stream's work, as Stream.Wait does. If the communicator fails meanwhile, it
// returns why. If ctx ends, it aborts the communicator: work that waits for another rank would
// never end. So ctx is where a program says how long a rank may take.
func (c *Communicator) Wait(ctx context.Context, s *gpu.Stream) error {
	if !c.valid() {
		return errInvalid
	}
	late := func() { c.fail(fmt.Errorf("%w: its work has not finished in time: %w", ErrAborted, ctx.Err())) }
	if ctx.Done() != nil { // a call that connects ranks may hold the stream
		defer context.AfterFunc(ctx, late)()
	}
	err := s.Wait(ctx)
	if ctx.Err() != nil && err != nil {
		late()
	}
	if failure := c.Err(); failure != nil {
		return errors.Join(failure, err)
	}
	return err
}

// Abort ends the operations under way, and the communicators of all ranks with it. What buffers of
// operations under way hold is undefined.
func (c *Communicator) Abort() error {
	if !c.valid() {
		return errInvalid
	}
	c.fail(ErrAborted)
	return nil
}

// fail ends the communicator for a reason, once.
func (c *Communicator) fail(why error) {
	if !c.failure.CompareAndSwap(nil, &why) {
		return
	}
	close(c.failed)
	if c.member != nil {
		c.member.tell(why) // before connections break
	}
	c.ways.abort(why)
}

// Close gives back what the communicator has. The rank's operations have finished, or it was
// aborted. All ranks close theirs. Abort and the end of the context end a wait for the library.
// With the root that Meet has made, it waits for the others to close theirs, unless the
// communicator has failed. Closing twice is no error.
func (c *Communicator) Close() error {
	if !c.valid() {
		return errInvalid
	}
	var err error
	c.closing.Do(func() {
		err = c.ways.close() // which an end of the context ends
		c.stop()
		closed := error(fmt.Errorf("communicator: %w", gpu.ErrClosed))
		if c.failure.CompareAndSwap(nil, &closed) {
			close(c.failed)
		}
		if c.member != nil {
			err = errors.Join(err, c.member.leave(c))
		}
	})
	return err
}

// named adds the rank to an error.
func (c *Communicator) named(err error) error {
	return fmt.Errorf("rank %d of %d: %w", c.rank, c.ranks, err)
}
