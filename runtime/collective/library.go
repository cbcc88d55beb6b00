// NCCL and RCCL, which has the same functions under the same names. The facts are from NCCL's user
// guide and its header nccl.h.

package collective

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// functions are the addresses of the library's functions.
type functions struct {
	Version       uintptr `c:"ncclGetVersion"`
	UniqueID      uintptr `c:"ncclGetUniqueId"`
	InitRank      uintptr `c:"ncclCommInitRank"`
	InitConfig    uintptr `c:"ncclCommInitRankConfig?"` // from 2.14 on
	Finalize      uintptr `c:"ncclCommFinalize?"`       // from 2.14 on
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

// check returns the error of a result code, or nil. The communicator, or 0, has more text about it.
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

// groupEnd ends a group. busy says that another thread does what it has collected.
func (lib *library) groupEnd() (busy bool, err error) {
	code := dl.Call1(lib.GroupEnd, 0)
	return uint32(code) == inProgress, lib.check("end a group", code, 0)
}

// uniqueID is an ncclUniqueId.
type uniqueID [128]byte

// newID makes an identifier. This process answers the ranks that join with it.
func (lib *library) newID() (*uniqueID, error) {
	id := new(uniqueID)
	return id, lib.check("make an identifier", dl.Call(lib.UniqueID, uintptr(unsafe.Pointer(id))), 0)
}
