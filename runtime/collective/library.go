// NCCL and RCCL, which has the same functions under the same names. The facts are from NCCL's user
// guide and its header nccl.h.

package collective

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// functions are the addresses of the library's functions.
type functions struct {
	Version       uintptr `c:"ncclGetVersion"`
	UniqueID      uintptr `c:"ncclGetUniqueId"`
	InitRank      uintptr `c:"ncclCommInitRank"`
	Destroy       uintptr `c:"ncclCommDestroy"`
	Abort         uintptr `c:"ncclCommAbort"`
	AsyncError    uintptr `c:"ncclCommGetAsyncError"`
	ErrorString   uintptr `c:"ncclGetErrorString"`
	LastError     uintptr `c:"ncclGetLastError?"` // from 2.13 on
	GroupStart    uintptr `c:"ncclGroupStart"`
	GroupEnd      uintptr `c:"ncclGroupEnd"`
	AllReduce     uintptr `c:"ncclAllReduce"`
	AllGather     uintptr `c:"ncclAllGather"`
	ReduceScatter uintptr `c:"ncclReduceScatter"`
	Broadcast     uintptr `c:"ncclBroadcast"`
	Send          uintptr `c:"ncclSend"`
	Recv          uintptr `c:"ncclRecv"`
}

// library is a loaded library.
type library struct {
	functions
	transport Transport
	file      string
	version   int32
}

// Variable is the environment variable with the file of NCCL or RCCL, or the folder that it is in.
// It is needed where the system's loader does not look, as for the wheels of PyTorch.
const Variable = "GPUC_NCCL"

// libraries are those that were loaded, by transport. A library is looked for once.
var libraries [len(transportNames)]struct {
	once sync.Once
	lib  *library
	err  error
}

// load returns a library. The error wraps ErrNoLibrary.
func load(t Transport) (*library, error) {
	l := &libraries[t]
	l.once.Do(func() { l.lib, l.err = open(t) })
	return l.lib, l.err
}

// leastVersion has averages and messages (2.10).
const leastVersion = 2_10_00

func open(t Transport) (*library, error) {
	name := map[Transport]string{NCCL: "nccl", RCCL: "rccl"}[t]
	names := dl.LibraryNames(name, runtime.GOOS)
	given := os.Getenv(Variable)
	if info, err := os.Stat(given); err == nil && info.IsDir() && len(names) > 0 {
		names = []string{filepath.Join(given, names[0])}
	} else if given != "" {
		names = []string{given}
	}
	file, err := dl.Open(names...)
	if err != nil {
		return nil, fmt.Errorf("%w: %v was not found: %w; install it, or set %s to its file or folder", ErrNoLibrary, t, err, Variable)
	}
	lib := &library{transport: t, file: file.Name()}
	if err := dl.Fill(&lib.functions, file.Symbol); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNoLibrary, file.Name(), err)
	}
	if err := lib.check("get the version", dl.Call(lib.Version, uintptr(unsafe.Pointer(&lib.version))), 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoLibrary, err)
	}
	if lib.version < leastVersion {
		return nil, fmt.Errorf("%w: %s is too old; this package takes NCCL 2.10 and newer", ErrNoLibrary, lib.title())
	}
	return lib, nil
}

// title names the library with its version (NCCL_VERSION in nccl.h, which had fewer digits up to
// 2.8).
func (lib *library) title() string {
	v := lib.version
	if v < 10000 {
		return fmt.Sprintf("%v %d.%d.%d (%s)", lib.transport, v/1000, v/100%10, v%100, lib.file)
	}
	return fmt.Sprintf("%v %d.%d.%d (%s)", lib.transport, v/10000, v/100%100, v%100, lib.file)
}

// results are the values of ncclResult_t, and what a program can do about them.
var results = [...]struct{ name, advice string }{
	1: {"ncclUnhandledCudaError", "a call to the device's driver failed; the next Stream.Wait says more"},
	2: {"ncclSystemError", "a call to the system failed, as of sockets or shared memory; NCCL_DEBUG=WARN prints which, and containers need more of /dev/shm"},
	3: {"ncclInternalError", "NCCL_DEBUG=WARN prints more"},
	4: {"ncclInvalidArgument", "NCCL_DEBUG=WARN prints which"},
	5: {"ncclInvalidUsage", "ranks must have different devices, and call the same operations with the same lengths"},
	6: {"ncclRemoteError", "another rank has ended or cannot be reached; make new communicators for those that are left"},
	7: {"ncclInProgress", ""},
}

const (
	inProgress  = 7
	remoteError = 6
	usageError  = 5
)

// LibraryError is the failure of a call of NCCL or RCCL. It wraps ErrRemote if another rank has
// failed, and gpu.ErrShape if the call was wrong.
type LibraryError struct {
	Call   string // what was called for
	Code   int    // of ncclResult_t
	Name   string // "ncclSystemError"
	Text   string // the library's sentences about it
	Advice string
}

// Error returns all of it as one line.
func (e *LibraryError) Error() string {
	if e == nil {
		return "no error of a library"
	}
	text := e.Call + ": " + e.Name
	if e.Text != "" {
		text += ": " + e.Text
	}
	if e.Advice != "" {
		text += " (" + e.Advice + ")"
	}
	return text
}

// Unwrap returns the kind of failure.
func (e *LibraryError) Unwrap() error {
	switch {
	case e == nil:
	case e.Code == remoteError:
		return ErrRemote
	case e.Code == usageError || e.Code == usageError-1:
		return gpu.ErrShape
	}
	return nil
}

// check turns a result into an error. The communicator, or 0, has more text about it.
func (lib *library) check(what string, register, communicator uintptr) error {
	code := uint32(register)
	if code == 0 || code == inProgress {
		return nil
	}
	e := &LibraryError{Call: what, Code: int(code), Name: fmt.Sprintf("ncclResult_t %d", code)}
	if int(code) < len(results) {
		e.Name, e.Advice = results[code].name, results[code].advice
	}
	if lib.ErrorString != 0 {
		e.Text = dl.GoString(dl.Call(lib.ErrorString, register))
	}
	if lib.LastError != 0 {
		if more := dl.GoString(dl.Call(lib.LastError, communicator)); more != "" && more != e.Text {
			e.Text += ": " + more
		}
	}
	return e
}

func (lib *library) groupStart() error {
	return lib.check("begin a group", dl.Call1(lib.GroupStart, 0), 0)
}

func (lib *library) groupEnd() error { return lib.check("end a group", dl.Call1(lib.GroupEnd, 0), 0) }

// uniqueID is an ncclUniqueId.
type uniqueID [128]byte

// newID makes an identifier. This process answers the ranks that join with it.
func (lib *library) newID() (*uniqueID, error) {
	id := new(uniqueID)
	return id, lib.check("make an identifier", dl.Call(lib.UniqueID, uintptr(unsafe.Pointer(id))), 0)
}

// initRank calls ncclCommInitRank, which takes the identifier by value: in memory, whose address
// AAPCS passes on arm64, and which the System V ABI has behind the six registers for arguments.
func (lib *library) initRank(to *uintptr, ranks int, id *uniqueID, rank int) error {
	var code uintptr
	if runtime.GOARCH == "arm64" {
		code = dl.Call(lib.InitRank, uintptr(unsafe.Pointer(to)), uintptr(ranks), uintptr(unsafe.Pointer(id)), uintptr(rank))
	} else {
		w := (*[16]uintptr)(unsafe.Pointer(id))
		code = dl.Call(lib.InitRank, uintptr(unsafe.Pointer(to)), uintptr(ranks), uintptr(rank), 0, 0, 0,
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15])
	}
	return lib.check("join the other ranks", code, 0)
}

// libraryRank is a rank of a library's communicator.
type libraryRank struct {
	lib    *library
	of     *Communicator
	others []*Communicator // of this process, with which the rank fails
	handle uintptr         // ncclComm_t

	// enqueue is enqueueCurrent, made once.
	enqueue func(stream uintptr, addresses []uintptr) error
	current *operation

	using  sync.RWMutex  // held, shared, by calls with the handle
	gone   atomic.Bool   // the handle is, or is going
	quit   chan struct{} // ends the poll
	polled sync.WaitGroup
}

func newLibraryRank(lib *library, c *Communicator) *libraryRank {
	r := &libraryRank{lib: lib, of: c, quit: make(chan struct{})}
	r.enqueue = r.enqueueCurrent
	return r
}

// openLibrary makes communicators of this process. All are initialised by this thread, in a group,
// with the context of each device made current by Stream.Enqueue.
func openLibrary(all []*Communicator) error {
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
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := lib.groupStart(); err != nil {
		return err
	}
	var failures []error
	for n, c := range all {
		ranks[n] = newLibraryRank(lib, c)
		failures = append(failures, onDevice(c.device, func() error {
			return lib.initRank(&ranks[n].handle, len(all), id, n)
		}))
	}
	failures = append(failures, lib.groupEnd())
	if err := errors.Join(failures...); err != nil {
		for _, r := range ranks {
			if r.handle != 0 {
				dl.Call(lib.Abort, r.handle)
			}
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

// joinLibrary makes a rank's communicator with those of other processes. It waits for them.
func joinLibrary(c *Communicator, id *uniqueID) (*libraryRank, error) {
	lib, err := load(c.transport)
	if err != nil {
		return nil, err
	}
	r := newLibraryRank(lib, c)
	return r, onDevice(c.device, func() error { return lib.initRank(&r.handle, c.ranks, id, c.rank) })
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
			if err := r.poll(); err != nil {
				go r.of.fail(err) // which waits for this goroutine
				return
			}
		}
	})
}

// poll returns the error of work that was enqueued.
func (r *libraryRank) poll() error {
	var code int32
	if err := r.lib.check("ask for errors", dl.Call(r.lib.AsyncError, r.handle, uintptr(unsafe.Pointer(&code))), r.handle); err != nil {
		return err
	}
	return r.lib.check("an operation", uintptr(uint32(code)), r.handle)
}

// run enqueues an operation on its stream.
func (r *libraryRank) run(o *operation) error {
	r.using.RLock()
	defer r.using.RUnlock()
	if r.gone.Load() {
		return ErrAborted
	}
	r.current = o
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

// enqueueCurrent calls the library for the current operation. The addresses are those of src and
// dst, or of the only buffer.
func (r *libraryRank) enqueueCurrent(stream uintptr, at []uintptr) error {
	lib, o := r.lib, r.current
	src, dst := at[0], at[len(at)-1]
	count, scalar, peer := uintptr(o.count), uintptr(o.scalar), uintptr(o.peer)
	var code uintptr
	switch o.kind {
	case allReduce:
		code = dl.Call8(lib.AllReduce, src, dst, count, scalar, uintptr(reductionCodes[o.reduce]), r.handle, stream, 0)
	case reduceScatter:
		code = dl.Call8(lib.ReduceScatter, src, dst, count, scalar, uintptr(reductionCodes[o.reduce]), r.handle, stream, 0)
	case allGather:
		code = dl.Call8(lib.AllGather, src, dst, count, scalar, r.handle, stream, 0, 0)
	case broadcast:
		code = dl.Call8(lib.Broadcast, src, dst, count, scalar, peer, r.handle, stream, 0)
	case send:
		code = dl.Call8(lib.Send, src, count, scalar, peer, r.handle, stream, 0, 0)
	case receive:
		code = dl.Call8(lib.Recv, dst, count, scalar, peer, r.handle, stream, 0, 0)
	}
	if uint32(code) == 0 {
		return nil
	}
	return lib.check(kindNames[o.kind], code, r.handle)
}

// reductionCodes are the values of ncclRedOp_t.
var reductionCodes = [...]uint8{Sum: 0, Product: 1, Max: 2, Min: 3, Average: 4}

// abort ends the rank's operations on the device, and with them the communicator. Those of the
// other ranks would wait for ever, so they end, too.
func (r *libraryRank) abort(why error) {
	for _, c := range r.others {
		if c != r.of {
			go c.fail(fmt.Errorf("%w: rank %d: %w", ErrRemote, r.of.rank, why))
		}
	}
	_ = r.release("abort", r.lib.Abort)
}

func (r *libraryRank) close() error { return r.release("close", r.lib.Destroy) }

// release gives the communicator back, once. Calls that enqueue take microseconds, and it lets them
// end. One that has not ended in a second waits for another rank, and only an abort ends it.
func (r *libraryRank) release(what string, function uintptr) error {
	if r.gone.Swap(true) {
		return nil
	}
	close(r.quit)
	r.polled.Wait()
	for range 1000 {
		if r.using.TryLock() {
			defer r.using.Unlock()
			break
		}
		time.Sleep(time.Millisecond)
	}
	return r.lib.check(what, dl.Call(function, r.handle), 0)
}
