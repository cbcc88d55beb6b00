// How ranks of several processes find each other, and hear of each other's end.

package collective

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// tokenBytes is the size of the secret that ranks of one job know.
const tokenBytes = 16

// helloTime is how long a caller may take to say who it is.
const helloTime = 10 * time.Second

func helloDeadline() time.Time { return time.Now().Add(helloTime) }

var noDeadline time.Time

// ID is what a process has to know to join the others, as a text without spaces: the transport, the
// number of ranks, where the root listens, and secrets. NewRoot makes it.
type ID string

// idVersion begins an ID, and changes with what ranks say to each other.
const idVersion = "gpuc1"

// identity is an ID, taken apart.
type identity struct {
	transport Transport
	ranks     int
	address   string
	token     [tokenBytes]byte
	unique    *uniqueID // of the library, or nil
}

func (i *identity) text() ID {
	unique := "-"
	if i.unique != nil {
		unique = hex.EncodeToString(i.unique[:])
	}
	return ID(strings.Join([]string{idVersion, i.transport.String(), strconv.Itoa(i.ranks), i.address, hex.EncodeToString(i.token[:]), unique}, "/"))
}

// parse takes an ID apart.
func (id ID) parse() (*identity, error) {
	wrong := func(what string) error {
		return fmt.Errorf("identifier of communicators: %w: %s", gpu.ErrShape, what)
	}
	fields := strings.Split(strings.TrimSpace(string(id)), "/")
	if len(fields) != 6 || fields[0] != idVersion {
		return nil, wrong("it does not begin with " + idVersion + " and have six parts; NewRoot makes it, in the same version of this package")
	}
	i := &identity{transport: Transport(slices.Index(transportNames[:], fields[1])), address: fields[3]}
	if i.transport < Host || int(i.transport) >= len(transportNames) {
		return nil, wrong("no transport")
	}
	var err error
	if i.ranks, err = strconv.Atoi(fields[2]); err != nil || i.ranks < 1 {
		return nil, wrong("no number of ranks")
	}
	if n, err := hex.Decode(i.token[:], []byte(fields[4])[:min(len(fields[4]), 2*tokenBytes)]); err != nil || n != tokenBytes || len(fields[4]) != 2*tokenBytes {
		return nil, wrong("no token")
	}
	if i.transport == Host {
		return i, nil
	}
	i.unique = new(uniqueID)
	if len(fields[5]) != 2*len(i.unique) {
		return nil, wrong("nothing of the library's")
	}
	if _, err := hex.Decode(i.unique[:], []byte(fields[5])); err != nil {
		return nil, wrong("nothing of the library's")
	}
	return i, nil
}

// hello is what a rank says to the root.
type hello struct {
	Token string
	Rank  int
	Mesh  string // where it listens for other ranks
}

// notice is what the root and ranks say later. The root says Mesh once all ranks are there, Refused
// to one that cannot join, and Gone and Why of one that has failed. A rank says Why when it fails,
// and Bye before it goes.
type notice struct {
	Mesh    []string `json:",omitempty"`
	Refused string   `json:",omitempty"`
	Gone    *int     `json:",omitempty"`
	Why     string   `json:",omitempty"`
	Bye     bool     `json:",omitempty"`
}

// Root is where the ranks of several processes meet. It lives in one of them, mostly that of rank
// 0, or in a program that starts them. It tells all ranks when one has failed, so it lives as long
// as they do.
type Root struct {
	id       ID
	of       *identity
	listener net.Listener
	serving  sync.WaitGroup

	mutex   sync.Mutex
	joined  []*json.Encoder // by rank, nil for those that are not there
	conns   []net.Conn      // of all callers
	meshes  []string
	missing int
	present int
	empty   chan struct{} // closed when all ranks were there, and all have gone
	failed  *notice       // of a rank, after which none can join any more
	closed  bool
}

// NewRoot makes an identifier for a number of ranks, and waits for them in the background. Use says
// which transport they will have; the default is Host, as there is no device to ask.
func NewRoot(ranks int, list ...Option) (*Root, error) {
	o, err := chosen(list)
	if err != nil {
		return nil, err
	}
	if ranks < 1 {
		return nil, fmt.Errorf("root of communicators: %w: %d ranks", gpu.ErrShape, ranks)
	}
	i := &identity{transport: max(o.transport, Host), ranks: ranks}
	if i.transport != Host {
		lib, err := load(i.transport)
		if err == nil {
			i.unique, err = lib.newID()
		}
		if err != nil {
			return nil, fmt.Errorf("root of communicators: %w", err)
		}
	}
	if _, err := rand.Read(i.token[:]); err != nil {
		return nil, err
	}
	listener, err := o.listener()
	if err != nil {
		return nil, fmt.Errorf("root of communicators: %w", err)
	}
	i.address = listener.Addr().String()
	r := &Root{id: i.text(), of: i, listener: listener, missing: ranks, empty: make(chan struct{}), joined: make([]*json.Encoder, ranks), meshes: make([]string, ranks)}
	r.serving.Go(r.accept)
	return r, nil
}

// listener listens at the host of the options.
func (o *options) listener() (net.Listener, error) {
	host := o.listen
	if host == "" {
		host = "127.0.0.1"
	}
	return net.Listen("tcp", net.JoinHostPort(host, "0"))
}

// ID is what the ranks join with; "" for a nil or zero Root.
func (r *Root) ID() ID {
	if r == nil {
		return ""
	}
	return r.id
}

// Close ends the root. The communicators of ranks that are still there fail.
func (r *Root) Close() error {
	if r == nil || r.listener == nil {
		return fmt.Errorf("root of communicators: it is nil or none that NewRoot made: %w", gpu.ErrClosed)
	}
	r.mutex.Lock()
	closed := r.closed
	r.closed = true
	conns := r.conns
	r.mutex.Unlock()
	if closed {
		return nil
	}
	err := r.listener.Close()
	for _, c := range conns {
		_ = c.Close()
	}
	r.serving.Wait()
	return err
}

func (r *Root) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return // it is closed
		}
		r.mutex.Lock()
		if r.closed {
			_ = conn.Close()
		}
		r.conns = append(r.conns, conn)
		r.mutex.Unlock()
		r.serving.Go(func() {
			r.serve(conn)
			_ = conn.Close()
		})
	}
}

// serve listens to a rank until it goes.
func (r *Root) serve(conn net.Conn) {
	_ = conn.SetReadDeadline(helloDeadline())
	decoder, encoder := json.NewDecoder(conn), json.NewEncoder(conn)
	var h hello
	if decoder.Decode(&h) != nil || h.Token != hex.EncodeToString(r.of.token[:]) {
		return // it is no rank of ours
	}
	_ = conn.SetReadDeadline(noDeadline)
	if refused := r.admit(&h, encoder); refused != nil {
		_ = encoder.Encode(refused)
		return
	}
	var n notice
	err := decoder.Decode(&n)
	if err == nil && n.Bye {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.gone(h.Rank)
		return
	}
	why := n.Why
	if err != nil {
		why = "its process has ended, or its connection has"
	}
	r.tell(h.Rank, why)
}

// admit adds a rank, and sends all of them where the others are once there are all. It returns what
// a rank is told that cannot join.
func (r *Root) admit(h *hello, encoder *json.Encoder) *notice {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch {
	case h.Rank < 0 || h.Rank >= r.of.ranks:
		return &notice{Refused: fmt.Sprintf("there are ranks 0 to %d", r.of.ranks-1)}
	case r.failed != nil:
		return r.failed
	case r.joined[h.Rank] != nil || r.missing == 0:
		return &notice{Refused: fmt.Sprintf("another process has joined as rank %d", h.Rank)}
	}
	r.joined[h.Rank], r.meshes[h.Rank] = encoder, h.Mesh
	r.present++
	if r.missing--; r.missing == 0 {
		for _, e := range r.joined {
			if e != nil {
				_ = e.Encode(notice{Mesh: r.meshes})
			}
		}
	}
	return nil
}

// tell tells all ranks that one has failed.
func (r *Root) tell(rank int, why string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.gone(rank)
	n := &notice{Gone: &rank, Why: why}
	if r.failed == nil {
		r.failed = n
	}
	if r.closed {
		return
	}
	for _, e := range r.joined {
		if e != nil {
			_ = e.Encode(n)
		}
	}
}

// gone notes that a rank has gone; the mutex is held.
func (r *Root) gone(rank int) {
	r.joined[rank] = nil
	if r.present--; r.present == 0 && r.missing == 0 {
		close(r.empty)
	}
}

// member is a rank's connection to the root.
type member struct {
	conn    net.Conn
	decoder *json.Decoder
	ended   chan struct{} // closed when listen has ended

	mutex   sync.Mutex
	root    *Root // of this process, which ends with the communicator, or nil
	encoder *json.Encoder
	leaving bool
	news    error // that another rank has failed, once that is known
	hears   func(error)
}

// Join makes the communicator of one rank with those of other processes. It waits for all of them:
// ctx bounds that. Later its end aborts the communicator.
func Join(ctx context.Context, d *gpu.Device, id ID, rank int, list ...Option) (*Communicator, error) {
	o, err := chosen(list)
	if err != nil {
		return nil, err
	}
	i, err := id.parse()
	if err != nil {
		return nil, err
	}
	named := func(err error) error { return fmt.Errorf("join as rank %d of %d: %w", rank, i.ranks, err) }
	if rank < 0 || rank >= i.ranks {
		return nil, named(fmt.Errorf("%w: there are ranks 0 to %d", gpu.ErrShape, i.ranks-1))
	}
	if d == nil || d.Info().Driver == "" {
		return nil, named(fmt.Errorf("the device is nil or none that Open made: %w", gpu.ErrClosed))
	}
	why := "through the host, and TCP between processes"
	if i.transport != Host {
		if _, why, err = choose(i.transport, []*gpu.Device{d}); err != nil {
			return nil, named(fmt.Errorf("the root has chosen %v: %w; use collective.Use(collective.Host) for it", i.transport, err))
		}
	}
	c := newCommunicator(d, rank, i.ranks, i.transport, why)
	if err := c.join(ctx, i, &o); err != nil {
		if ctx.Err() != nil {
			err = errors.Join(err, ctx.Err())
		}
		return nil, named(err)
	}
	c.watch(ctx)
	return c, nil
}

func (c *Communicator) join(ctx context.Context, i *identity, o *options) error {
	if o.listen == "" {
		o.listen, _, _ = net.SplitHostPort(i.address)
		if ip := net.ParseIP(o.listen); ip != nil && !ip.IsLoopback() {
			o.listen = outwards(i.address)
		}
	}
	listener, err := o.listener()
	if err != nil {
		return err
	}
	defer listener.Close()
	m, addresses, err := enrol(ctx, i, c.rank, listener.Addr().String())
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.hear(cancel)
	go m.listen()
	if c.transport == Host {
		var conns []net.Conn
		if conns, err = mesh(inner, c.rank, addresses, i.token, listener); err == nil {
			c.ways = newHostRank(c, newTCPLink(c.rank, conns))
		}
	} else {
		err = c.joinLibrary(inner, i.unique, o)
	}
	if err != nil {
		m.tell(err)
		if cause := context.Cause(inner); cause != nil && ctx.Err() == nil {
			return cause
		}
		return err
	}
	c.member = m
	m.hear(c.fail)
	return nil
}

// outwards is this host's address on the way to another one.
func outwards(to string) string {
	conn, err := net.Dial("udp", to) // which sends nothing
	if err != nil {
		return ""
	}
	defer conn.Close()
	host, _, _ := net.SplitHostPort(conn.LocalAddr().String())
	return host
}

// enrol joins at the root, and returns where all ranks listen once they have joined.
func enrol(ctx context.Context, i *identity, rank int, mesh string) (*member, []string, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", i.address)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: the root: %w", ErrRemote, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	m := &member{conn: conn, decoder: json.NewDecoder(conn), encoder: json.NewEncoder(conn), ended: make(chan struct{})}
	var n notice
	if err = m.encoder.Encode(hello{hex.EncodeToString(i.token[:]), rank, mesh}); err == nil {
		err = m.decoder.Decode(&n)
	}
	if !stop() {
		err = errors.Join(fmt.Errorf("wait for the other ranks: %w", ctx.Err()))
	}
	switch {
	case err != nil:
	case n.Refused != "":
		err = fmt.Errorf("%w: %s", gpu.ErrShape, n.Refused)
	case n.Gone != nil:
		err = n.failure()
	case len(n.Mesh) != i.ranks:
		err = fmt.Errorf("%w: the root has said nothing of use", ErrRemote)
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return m, n.Mesh, nil
}

func (n *notice) failure() error { return fmt.Errorf("%w: rank %d: %s", ErrRemote, *n.Gone, n.Why) }

// listen hears of the end of another rank, or of the root.
func (m *member) listen() {
	defer close(m.ended)
	var n notice
	err := m.decoder.Decode(&n)
	if err != nil || n.Gone == nil {
		err = fmt.Errorf("%w: the process with the root has ended, or the connection to it has", ErrRemote)
	} else {
		err = n.failure()
	}
	m.mutex.Lock()
	if m.leaving {
		m.mutex.Unlock()
		return
	}
	m.news = err
	tell := m.hears
	m.mutex.Unlock()
	tell(err)
}

// hear has a function called when another rank ends, or at once if that is known.
func (m *member) hear(f func(error)) {
	m.mutex.Lock()
	m.hears = f
	news := m.news
	m.mutex.Unlock()
	if news != nil {
		f(news)
	}
}

// say sends the root a last notice.
func (m *member) say(n notice) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.leaving {
		return
	}
	m.leaving = true
	_ = m.conn.SetWriteDeadline(helloDeadline())
	_ = m.encoder.Encode(n)
	if m.root == nil {
		_ = m.conn.Close()
	}
}

// tell tells the root that this rank has failed.
func (m *member) tell(why error) { m.say(notice{Why: why.Error()}) }

// own has the member close a root of this process.
func (m *member) own(root *Root) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.root = root
}

// leave says that this rank goes, and no other one waits for it. A root of this process goes with
// the last rank, or once it has told the others that this one has failed.
func (m *member) leave(c *Communicator) error {
	m.say(notice{Bye: true})
	m.mutex.Lock()
	root := m.root
	m.mutex.Unlock()
	if root == nil {
		return nil
	}
	<-m.ended
	if err := c.failure.Load(); err == nil || errors.Is(*err, gpu.ErrClosed) {
		<-root.empty
	}
	return root.Close()
}
