// Operations through memory of the host.

package collective

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// link is a rank's way to the others. Each pair of ranks has its own order of messages. A link
// fails as a whole: the error of one call ends all others.
type link interface {
	// post offers a message, which stays as it is until settle has returned.
	post(to int, m *message) error
	// take waits for the next message of a rank, which must be of the same operation, and copies
	// it.
	take(from int, m *message) error
	// settle waits until a message that was posted has been taken, or is on its way.
	settle(to int) error
	// abort ends the calls of all ranks.
	abort(why error)
	close() error
}

// message is a part of an operation's data.
type message struct {
	data []byte
	// of says which operation it belongs to, and total how many bytes a rank's part of that has.
	of    signature
	total uint64
}

// signature is what must be the same for all ranks that take part in an operation.
type signature struct {
	Kind, Scalar, Reduce uint8
	Root                 uint8 // of a broadcast, modulo 256
}

func (o *operation) signature() signature {
	s := signature{Kind: uint8(o.kind), Scalar: uint8(o.scalar), Reduce: uint8(o.reduce)}
	switch o.kind {
	case receive:
		s.Kind = uint8(send)
	case broadcast:
		s.Root = uint8(o.peer)
	}
	return s
}

// String is for people. Names of unknown numbers come from another version of this package.
func (s signature) String() string {
	if int(s.Kind) >= len(kindNames) {
		return "an unknown operation"
	}
	text := kindNames[s.Kind]
	switch kind(s.Kind) {
	case allReduce, reduceScatter:
		return fmt.Sprintf("%s (%v, type %d)", text, Reduction(s.Reduce), s.Scalar)
	case broadcast:
		return fmt.Sprintf("%s from rank %d", text, s.Root)
	}
	return text
}

// mismatch is the error of two ranks that call different operations.
func mismatch(mine, theirs *message, from int) error {
	return fmt.Errorf("%w: this rank calls %v of %d bytes, but rank %d calls %v of %d bytes", gpu.ErrShape,
		mine.of, mine.total, from, theirs.of, theirs.total)
}

func (m *message) fits(other *message) bool { return m.of == other.of && m.total == other.total }

// pieceBytes is how much of a rank's data is under way at once. It is a multiple of all elements'
// sizes and of 4.
const pieceBytes = 4 << 20

// hostRank is a rank whose data goes through the host.
type hostRank struct {
	device      *gpu.Device
	rank, ranks int
	link        link

	// stage has room for a piece of each rank, and is reused.
	stage    *gpu.HostBuffer[byte]
	parts    [][]byte  // of ranks, reused
	messages []message // to ranks, reused
	taking   message   // reused

	work     chan *Communicator // for a goroutine that runs batches
	finished chan error
	working  sync.Once
	// pending are the messages of a batch, by direction and rank.
	pending sync.WaitGroup
}

func newHostRank(c *Communicator, l link) *hostRank {
	return &hostRank{device: c.device, rank: c.rank, ranks: c.ranks, link: l, parts: make([][]byte, c.ranks), messages: make([]message, c.ranks),
		work: make(chan *Communicator), finished: make(chan error, 1)}
}

// start has a goroutine run the batch of a communicator. The result comes in finished.
func (h *hostRank) start(c *Communicator) {
	h.working.Do(func() {
		go func() {
			for c := range h.work {
				h.finished <- h.runAll(c.batch)
			}
		}()
	})
	h.work <- c
}

func (h *hostRank) abort(why error) { h.link.abort(why) }

func (h *hostRank) close() error {
	h.working.Do(func() {})
	close(h.work)
	err := h.link.close()
	if h.stage != nil {
		err = errors.Join(err, h.stage.Close())
	}
	return err
}

// room returns memory of the host for n bytes.
func (h *hostRank) room(n int) ([]byte, error) {
	if h.stage == nil || h.stage.Len() < n {
		if h.stage != nil {
			if err := h.stage.Close(); err != nil {
				return nil, err
			}
		}
		var err error
		if h.stage, err = gpu.AllocHost[byte](h.device, max(n, 64<<10)); err != nil {
			h.stage = nil
			return nil, fmt.Errorf("memory of the host for the operation: %w", err)
		}
	}
	return h.stage.Data()[:n], nil
}

// read copies bytes of a buffer to the host, after the stream's work so far.
func (o *operation) read(offset int, to []byte) error {
	return o.stream.ReadBytes(context.Background(), o.src, uint64(offset), to)
}

func (o *operation) write(offset int, from []byte) error {
	return o.stream.WriteBytes(o.dst, uint64(offset), from)
}

// run does an operation. What fails ends the link, as the other ranks would wait.
func (h *hostRank) run(o *operation) error {
	err := h.steps(o)
	if err != nil {
		h.link.abort(fmt.Errorf("%s: %w", kindNames[o.kind], err))
	}
	return err
}

func (h *hostRank) steps(o *operation) error {
	bytes := o.bytes()
	piece := pieceBytes
	if bytes%4 != 0 && o.kind < broadcast { // parts of ranks do not begin at words
		piece = max(bytes, 1)
	}
	for at := 0; ; at += piece {
		n := min(piece, bytes-at)
		var err error
		switch o.kind {
		case allReduce:
			err = h.allReduce(o, at, n)
		case reduceScatter:
			err = h.reduceScatter(o, at, n)
		case allGather:
			err = h.allGather(o, at, n)
		case broadcast:
			err = h.broadcast(o, at, n)
		default:
			err = h.pass(o, at, n)
		}
		if err != nil {
			return err
		}
		if at+n >= bytes { // operations of no bytes have one piece, too
			return nil
		}
	}
}

// exchange gives each rank its part, gets the parts that others have for this rank, and returns
// when all was taken. A nil part, or to, is not given or got.
func (h *hostRank) exchange(o *operation, give func(rank int) []byte, get func(rank int) []byte) error {
	of, total := o.signature(), uint64(o.bytes())
	for i := 1; i < h.ranks; i++ {
		to := (h.rank + i) % h.ranks
		data := give(to)
		if data == nil {
			continue
		}
		h.messages[to] = message{data, of, total}
		if err := h.link.post(to, &h.messages[to]); err != nil {
			return err
		}
	}
	for i := 1; i < h.ranks; i++ {
		from := (h.rank + h.ranks - i) % h.ranks
		data := get(from)
		if data == nil {
			continue
		}
		h.taking = message{data, of, total}
		if err := h.link.take(from, &h.taking); err != nil {
			return err
		}
	}
	for i := 1; i < h.ranks; i++ {
		if to := (h.rank + i) % h.ranks; h.messages[to].data != nil {
			if err := h.link.settle(to); err != nil {
				return err
			}
			h.messages[to].data = nil
		}
	}
	return nil
}

// split is what a rank reduces of n bytes.
func (h *hostRank) split(o *operation, n, rank int) (start, end int) {
	size := scalarBytes[o.scalar]
	start, end = gpu.Split(n/size, h.ranks, rank)
	return start * size, end * size
}

// allReduce has each rank reduce a share of the piece, and give the results to all.
func (h *hostRank) allReduce(o *operation, at, n int) error {
	start, end := h.split(o, n, h.rank)
	share := end - start
	room, err := h.room(n + h.ranks*share)
	if err != nil {
		return err
	}
	own, others := room[:n], room[n:]
	if err := o.read(at, own); err != nil {
		return err
	}
	for rank := range h.parts {
		h.parts[rank] = others[rank*share:][:share:share]
	}
	h.parts[h.rank] = own[start:end:end]
	shareOf := func(rank int) []byte {
		from, to := h.split(o, n, rank)
		return own[from:to:to]
	}
	if err := h.exchange(o, shareOf, func(rank int) []byte { return h.parts[rank] }); err != nil {
		return err
	}
	combine(own[start:end], h.parts, o.scalar, o.reduce)
	if err := h.exchange(o, func(int) []byte { return own[start:end:end] }, shareOf); err != nil {
		return err
	}
	return o.write(at, own)
}

// reduceScatter has each rank reduce its own part.
func (h *hostRank) reduceScatter(o *operation, at, n int) error {
	room, err := h.room(2 * h.ranks * n)
	if err != nil {
		return err
	}
	own, others := room[:h.ranks*n], room[h.ranks*n:]
	if bytes := o.bytes(); n == bytes {
		err = o.read(0, own)
	} else {
		for rank := 0; rank < h.ranks && err == nil; rank++ {
			err = o.read(rank*bytes+at, own[rank*n:][:n])
		}
	}
	if err != nil {
		return err
	}
	for rank := range h.parts {
		h.parts[rank] = others[rank*n:][:n:n]
	}
	h.parts[h.rank] = own[h.rank*n:][:n:n]
	err = h.exchange(o, func(rank int) []byte { return own[rank*n:][:n:n] }, func(rank int) []byte { return h.parts[rank] })
	if err != nil {
		return err
	}
	result := h.parts[h.rank]
	combine(result, h.parts, o.scalar, o.reduce)
	return o.write(at, result)
}

// allGather gives all ranks a rank's piece.
func (h *hostRank) allGather(o *operation, at, n int) error {
	room, err := h.room(h.ranks * n)
	if err != nil {
		return err
	}
	partOf := func(rank int) []byte { return room[rank*n:][:n:n] }
	if err := o.read(at, partOf(h.rank)); err != nil {
		return err
	}
	if err := h.exchange(o, func(int) []byte { return partOf(h.rank) }, partOf); err != nil {
		return err
	}
	bytes := o.bytes()
	if n == bytes {
		return o.write(0, room)
	}
	for rank := range h.ranks {
		if err := o.write(rank*bytes+at, partOf(rank)); err != nil {
			return err
		}
	}
	return nil
}

// broadcast gives all ranks the root's piece, which writes it, too. Each rank also has a message
// for the next one, without data if it is not the root: ranks that disagree would wait otherwise,
// and two of them are neighbours.
func (h *hostRank) broadcast(o *operation, at, n int) error {
	room, err := h.room(n)
	if err != nil {
		return err
	}
	if h.rank == o.peer {
		if err := o.read(at, room); err != nil {
			return err
		}
	}
	next, previous := (h.rank+1)%h.ranks, (h.rank+h.ranks-1)%h.ranks
	give := func(rank int) []byte {
		switch {
		case h.rank == o.peer:
			return room
		case rank == next:
			return room[:0:0]
		}
		return nil
	}
	get := func(rank int) []byte {
		switch {
		case rank == o.peer:
			return room
		case rank == previous:
			return room[:0:0]
		}
		return nil
	}
	if err := h.exchange(o, give, get); err != nil {
		return err
	}
	return o.write(at, room)
}

// pass sends or takes a piece of a message, with memory of its own: both directions may be under
// way at once, and several ranks.
func (h *hostRank) pass(o *operation, at, n int) error {
	room := passing.Get().(*passingRoom)
	defer passing.Put(room)
	if len(room.data) < n {
		room.data = make([]byte, n)
	}
	m := &room.message
	*m = message{room.data[:n], o.signature(), uint64(o.bytes())}
	if o.kind == receive {
		if err := h.link.take(o.peer, m); err != nil {
			return err
		}
		return o.write(at, m.data)
	}
	if err := o.read(at, m.data); err != nil {
		return err
	}
	if err := h.link.post(o.peer, m); err != nil {
		return err
	}
	return h.link.settle(o.peer)
}

// passingRoom is memory for a piece of a message.
type passingRoom struct {
	data    []byte
	message message
}

var passing = sync.Pool{New: func() any { return new(passingRoom) }}

// runAll does the operations of a batch: those of all ranks in order, and then messages, at once
// for each direction and rank.
func (h *hostRank) runAll(batch []operation) error {
	messages := 0
	for n := range batch {
		if o := &batch[n]; o.kind == send || o.kind == receive {
			messages++
		} else if err := h.run(o); err != nil {
			return err
		}
	}
	if messages == 0 {
		return nil
	}
	if len(batch) == 2 && batch[0].kind != batch[1].kind && max(batch[0].bytes(), batch[1].bytes()) <= pieceBytes {
		return h.swap(&batch[0], &batch[1])
	}
	var mutex sync.Mutex
	var failure error
	for n := range batch {
		if !isFirst(batch, n) {
			continue
		}
		h.pending.Go(func() {
			for k := n; k < len(batch); k++ {
				if batch[k].kind != batch[n].kind || batch[k].peer != batch[n].peer {
					continue
				}
				if err := h.run(&batch[k]); err != nil {
					mutex.Lock()
					defer mutex.Unlock()
					failure = errors.Join(failure, err)
					return
				}
			}
		})
	}
	h.pending.Wait()
	return failure
}

// swap sends one message and takes another, of a piece each.
func (h *hostRank) swap(give, get *operation) error {
	if give.kind == receive {
		give, get = get, give
	}
	err := h.swapPieces(give, get)
	if err != nil {
		h.link.abort(fmt.Errorf("Send and Recv: %w", err))
	}
	return err
}

func (h *hostRank) swapPieces(give, get *operation) error {
	sent, got := give.bytes(), get.bytes()
	room, err := h.room(sent + got)
	if err != nil {
		return err
	}
	m := &h.messages[give.peer]
	*m = message{room[:sent], give.signature(), uint64(sent)}
	h.taking = message{room[sent:], get.signature(), uint64(got)}
	if err := give.read(0, m.data); err != nil {
		return err
	}
	if err := h.link.post(give.peer, m); err != nil {
		return err
	}
	if err := h.link.take(get.peer, &h.taking); err != nil {
		return err
	}
	if err := get.write(0, h.taking.data); err != nil {
		return err
	}
	err = h.link.settle(give.peer)
	m.data = nil
	return err
}

// isFirst reports whether an operation is a batch's first message of its direction and rank.
func isFirst(batch []operation, n int) bool {
	if batch[n].kind != send && batch[n].kind != receive {
		return false
	}
	for k := range n {
		if batch[k].kind == batch[n].kind && batch[k].peer == batch[n].peer {
			return false
		}
	}
	return true
}
