// The operations, as programs call them.

package collective

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// kind is an operation.
type kind uint8

const (
	allReduce kind = iota
	allGather
	reduceScatter
	broadcast
	send
	receive
)

var kindNames = [...]string{"AllReduce", "AllGather", "ReduceScatter", "Broadcast", "Send", "Recv"}

// operation is a call, without the type of the elements.
type operation struct {
	kind   kind
	scalar scalar // of a reduction, and uint8Type of others
	reduce Reduction
	count  int // scalars of a rank: of each part of AllGather and ReduceScatter
	peer   int // the root, or the other rank
	stream *gpu.Stream
	// dst is nil for Send, src for Recv. For Broadcast both are the same.
	dst, src gpu.Bound
}

// bytes is the size of a rank's part.
func (o *operation) bytes() int { return o.count * scalarBytes[o.scalar] }

func (o *operation) String() string {
	text := fmt.Sprintf("%s of %d bytes", kindNames[o.kind], o.bytes())
	switch o.kind {
	case allReduce, reduceScatter:
		return text + ", " + o.reduce.String()
	case broadcast:
		return fmt.Sprintf("%s from rank %d", text, o.peer)
	}
	return text
}

// AllReduce combines the elements of all ranks' src, which have the same length, and each rank gets
// the results in dst. They may be the same buffer. Elements are numbers of 8, 32 or 64 bits, floats
// of 16, or arrays and structures of one such type; otherwise it is gpu.ErrShape.
func AllReduce[T any](c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[T], by Reduction) error {
	o := operation{kind: allReduce, reduce: by, stream: s, dst: dst, src: src}
	if err := checkLengths(c, &o, dst.Len(), src.Len(), 1, 1); err != nil {
		return err
	}
	return c.reduction(&o, src.Len(), layoutOf(reflect.TypeFor[T]()), reflect.TypeFor[T]())
}

// ReduceScatter combines the elements of all ranks' src, and each rank gets the part of the results
// that is its own in dst: src has Ranks times as many elements. dst may be that part of src.
// Elements are as for AllReduce.
func ReduceScatter[T any](c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[T], by Reduction) error {
	o := operation{kind: reduceScatter, reduce: by, stream: s, dst: dst, src: src}
	if err := checkLengths(c, &o, dst.Len(), src.Len(), c.Ranks(), 1); err != nil {
		return err
	}
	return c.reduction(&o, dst.Len(), layoutOf(reflect.TypeFor[T]()), reflect.TypeFor[T]())
}

// AllGather gives each rank the elements of all ranks' src, in the order of ranks: dst has Ranks
// times as many. src may be the rank's own part of dst.
func AllGather[T any](c *Communicator, s *gpu.Stream, dst, src *gpu.Buffer[T]) error {
	o := operation{kind: allGather, stream: s, dst: dst, src: src}
	if err := checkLengths(c, &o, dst.Len(), src.Len(), 1, c.Ranks()); err != nil {
		return err
	}
	return c.movement(&o, src.Len(), layoutOf(reflect.TypeFor[T]()))
}

// Broadcast gives all ranks the elements of one rank's buffer, the root's.
func Broadcast[T any](c *Communicator, s *gpu.Stream, buffer *gpu.Buffer[T], root int) error {
	o := operation{kind: broadcast, peer: root, stream: s, dst: buffer, src: buffer}
	return c.movement(&o, buffer.Len(), layoutOf(reflect.TypeFor[T]()))
}

// Send gives another rank the elements of src. That rank calls Recv with as many. Ranks that send
// to each other call both in a Group, or SendRecv.
func Send[T any](c *Communicator, s *gpu.Stream, src *gpu.Buffer[T], to int) error {
	o := operation{kind: send, peer: to, stream: s, src: src}
	return c.movement(&o, src.Len(), layoutOf(reflect.TypeFor[T]()))
}

// Recv takes elements that another rank sends.
func Recv[T any](c *Communicator, s *gpu.Stream, dst *gpu.Buffer[T], from int) error {
	o := operation{kind: receive, peer: from, stream: s, dst: dst}
	return c.movement(&o, dst.Len(), layoutOf(reflect.TypeFor[T]()))
}

// SendRecv sends src to one rank, and meanwhile takes dst from another or the same one.
func SendRecv[T any](c *Communicator, s *gpu.Stream, dst *gpu.Buffer[T], from int, src *gpu.Buffer[T], to int) error {
	if !c.valid() {
		return errInvalid
	}
	if c.isBatching() {
		return sendRecv(c, s, dst, from, src, to)
	}
	return Group(func() error { return sendRecv(c, s, dst, from, src, to) }, c)
}

func sendRecv[T any](c *Communicator, s *gpu.Stream, dst *gpu.Buffer[T], from int, src *gpu.Buffer[T], to int) error {
	if err := Send(c, s, src, to); err != nil {
		return err
	}
	return Recv(c, s, dst, from)
}

func (c *Communicator) isBatching() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.batching
}

// checkLengths compares the lengths of buffers, of which each has a number of parts.
func checkLengths(c *Communicator, o *operation, dst, src, dstTimes, srcTimes int) error {
	if !c.valid() {
		return errInvalid
	}
	if dst*dstTimes != src*srcTimes {
		return c.named(fmt.Errorf("%s: %w: %d elements to %d", kindNames[o.kind], gpu.ErrShape, src, dst))
	}
	return nil
}

// reduction does an operation on numbers.
func (c *Communicator) reduction(o *operation, elements int, l *layout, t reflect.Type) error {
	if l.scalar == noScalar {
		return c.named(fmt.Errorf("%s: %w: %v is not made of one type of numbers that can be combined", kindNames[o.kind], gpu.ErrShape, t))
	}
	if int(o.reduce) >= len(reductionNames) {
		return c.named(fmt.Errorf("%s: %w: there is no %v", kindNames[o.kind], gpu.ErrShape, o.reduce))
	}
	o.scalar, o.count = l.scalar, elements*(l.bytes/scalarBytes[l.scalar])
	return c.do(o)
}

// movement does an operation on bytes.
func (c *Communicator) movement(o *operation, elements int, l *layout) error {
	if !c.valid() {
		return errInvalid
	}
	o.scalar, o.count = uint8Type, elements*l.bytes
	if o.peer < 0 || o.peer >= c.ranks {
		return c.named(fmt.Errorf("%s: %w: rank %d of %d", kindNames[o.kind], gpu.ErrShape, o.peer, c.ranks))
	}
	if (o.kind == send || o.kind == receive) && o.peer == c.rank {
		return c.named(fmt.Errorf("%s: %w: a rank has no messages for itself", kindNames[o.kind], gpu.ErrShape))
	}
	return c.do(o)
}

// do does an operation, or keeps it for the end of a batch.
func (c *Communicator) do(o *operation) error {
	if err := c.Err(); err != nil {
		return err
	}
	if o.stream.Device() != c.device {
		return c.named(fmt.Errorf("%s: %w: the stream is nil, or belongs to another device than the rank's", kindNames[o.kind], gpu.ErrShape))
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.batching && c.transport == Host {
		c.batch = append(c.batch, *o)
		return nil
	}
	c.current = *o // so that o need not be on the heap
	err := c.ended(c.ways.run(&c.current))
	c.current = operation{}
	return err
}

// ended returns the error of an operation. The other ranks would wait for one that has failed here,
// so the communicator has failed with it.
func (c *Communicator) ended(err error) error {
	if err == nil {
		return nil
	}
	if c.member != nil && errors.Is(err, ErrRemote) {
		// A connection has broken, and the root may say why.
		select {
		case <-c.failed:
		case <-time.After(noticeTime):
		}
	}
	c.fail(err)
	return c.Err()
}

// Group begins the operations that f calls together, when f returns. It is for goroutines that have
// several ranks, which would otherwise wait for each other, and for messages in both directions.
// The communicators are all that f uses, at least one, and none that another goroutine uses. If f
// fails, they are aborted, as other ranks may wait for what it has not called.
//
// f must not wait for the operations, and they have not begun when it returns. Groups are not
// nested.
func Group(f func() error, of ...*Communicator) error {
	if f == nil || len(of) == 0 {
		return fmt.Errorf("group: %w: it has no function or no communicators", gpu.ErrShape)
	}
	for _, c := range of {
		if !c.valid() {
			return errInvalid
		}
		if c.transport != of[0].transport {
			return fmt.Errorf("group: %w: communicators through %v and %v", gpu.ErrShape, of[0].transport, c.transport)
		}
	}
	for n, c := range of {
		if !c.begin() {
			for _, begun := range of[:n] {
				begun.end()
			}
			return c.named(fmt.Errorf("group: %w: it is in another group, or here twice", gpu.ErrShape))
		}
	}
	completed := false
	defer func() {
		if !completed { // f panics, or ends the goroutine
			abandon(of, ErrAborted)
		}
		for _, c := range of {
			c.end()
		}
	}()
	var err, failure error // of the operations, and of f
	if of[0].transport == Host {
		err, failure = groupByHost(f, of)
	} else {
		err, failure = of[0].ways.(*libraryRank).group(f, of)
	}
	completed = true
	if failure != nil {
		abandon(of, failure)
		return failure
	}
	return err
}

// begin has the communicator's operations kept.
func (c *Communicator) begin() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.batching {
		return false
	}
	c.batching = true
	return true
}

func (c *Communicator) end() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.batching = false
	clear(c.batch)
	c.batch = c.batch[:0]
}

// abandon aborts communicators whose group has failed.
func abandon(of []*Communicator, why error) {
	for _, c := range of {
		c.fail(fmt.Errorf("%w: the function of its group has failed: %w", ErrAborted, why))
	}
}

// groupByHost runs each rank's operations by its own goroutine.
func groupByHost(f func() error, of []*Communicator) (err, failure error) {
	if failure = f(); failure != nil {
		return nil, failure
	}
	if len(of) == 1 {
		return of[0].ended(of[0].ways.runAll(of[0].batch)), nil
	}
	for _, c := range of {
		c.ways.(*hostRank).start(c)
	}
	for _, c := range of {
		if failed := <-c.ways.(*hostRank).finished; failed != nil {
			err = errors.Join(err, c.ended(failed))
		}
	}
	return err, nil
}

// noticeTime is how long a rank waits for the root to say why a connection has broken.
const noticeTime = 300 * time.Millisecond
