package codeobject

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// This file calls AMD's code object manager, comgr (amd_comgr.h). Its objects are structures of one
// 64-bit number, which a call passes as the number itself.

// functions are those of the library.
type functions struct {
	GetVersion     uintptr `c:"amd_comgr_get_version"`
	StatusString   uintptr `c:"amd_comgr_status_string"`
	CreateData     uintptr `c:"amd_comgr_create_data"`
	ReleaseData    uintptr `c:"amd_comgr_release_data"`
	SetData        uintptr `c:"amd_comgr_set_data"`
	SetDataName    uintptr `c:"amd_comgr_set_data_name"`
	GetData        uintptr `c:"amd_comgr_get_data"`
	CreateDataSet  uintptr `c:"amd_comgr_create_data_set"`
	DestroyDataSet uintptr `c:"amd_comgr_destroy_data_set"`
	DataSetAdd     uintptr `c:"amd_comgr_data_set_add"`
	CreateInfo     uintptr `c:"amd_comgr_create_action_info"`
	DestroyInfo    uintptr `c:"amd_comgr_destroy_action_info"`
	SetISAName     uintptr `c:"amd_comgr_action_info_set_isa_name"`
	SetOptions     uintptr `c:"amd_comgr_action_info_set_option_list"`
	SetLogging     uintptr `c:"amd_comgr_action_info_set_logging"`
	DoAction       uintptr `c:"amd_comgr_do_action"`
	DataCount      uintptr `c:"amd_comgr_action_data_count"`
	DataAt         uintptr `c:"amd_comgr_action_data_get_data"`
}

// Kinds of data (amd_comgr_data_kind_t), the same in all versions.
const (
	kindLog        = 5
	kindBitcode    = 6 // or, by its name, text of LLVM IR
	kindExecutable = 8
)

// actions are what the library is asked to do (amd_comgr_action_kind_t), in the numbers of its
// major versions: the third left out two actions, and those after them moved up.
var actions = [...]struct {
	major          uint64
	generate, link uintptr // CODEGEN_BC_TO_RELOCATABLE, LINK_RELOCATABLE_TO_EXECUTABLE
}{
	{2, 6, 9},
	{3, 4, 7},
}

// comgrLibrary is the library, which is loaded on first use. Its compiler has options that belong
// to the process, so one call is made at a time.
type comgrLibrary struct {
	names []string                        // in tests: other names
	files func(prefixes ...string) string // in tests: dl.Files of others

	mutex          sync.Mutex
	tried          bool
	err            error // errAbsent where there is none
	c              functions
	version        string
	generate, link uintptr
}

// load loads the library once; the mutex is held.
func (l *comgrLibrary) load() error {
	if l.tried {
		return l.err
	}
	l.tried = true
	names := l.names
	if names == nil {
		names = dl.LibraryNames("comgr", runtime.GOOS)
	}
	library, err := dl.Open(names...)
	if errors.Is(err, dl.ErrNoLibrary) {
		err = errAbsent
	}
	if err == nil {
		err = dl.Fill(&l.c, library.Symbol)
	}
	if err == nil {
		var major, minor uint64
		dl.Call(l.c.GetVersion, uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)))
		l.version = fmt.Sprintf("libamd_comgr %d.%d", major, minor)
		err = fmt.Errorf("%s is of no major version that gpuc knows: 2 or 3", l.version)
		for _, a := range actions {
			if a.major == major {
				l.generate, l.link, err = a.generate, a.link, nil
			}
		}
	}
	l.err = err
	return err
}

// build names the build of the library and of LLVM, or is "" if it is not known: other builds have
// the same version. The options of run belong to it.
func (l *comgrLibrary) build() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.load() != nil {
		return ""
	}
	list := dl.Files
	if l.files != nil {
		list = l.files
	}
	files := list("libamd_comgr", "libLLVM", "libclang", "liblld")
	if files == "" {
		return ""
	}
	return l.version + " -O3\n" + files
}

// makeCached is make that looks in a cache first, and adds to it.
func (l *comgrLibrary) makeCached(a *abi.Artefact, cache *kernelcache.Cache) ([]byte, error) {
	if !cache.On() {
		return l.make(a)
	}
	build := l.build()
	if build == "" {
		return l.make(a)
	}
	key := kernelcache.KeyOf([]byte("comgr"), []byte(build), []byte(a.Kernel.Profile), a.Code)
	if object := cache.Load(key); object != nil {
		if check(object, versionOf(a.Code)) == nil {
			return object, nil
		}
		cache.Drop(key)
	}
	object, err := l.make(a)
	if err == nil {
		cache.Store(key, kernelcache.Label{Driver: "rocm", Device: a.Kernel.Profile, Kernel: a.Kernel.Name}, object)
	}
	return object, err
}

// make makes a code object, or returns errAbsent.
func (l *comgrLibrary) make(a *abi.Artefact) ([]byte, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err := l.load(); err != nil {
		return nil, err
	}
	j := &comgrJob{comgrLibrary: l}
	object, err := j.run(a)
	j.end()
	if err == nil {
		err = check(object, versionOf(a.Code))
	}
	if err != nil {
		return nil, failure(l.version, a.Kernel.Profile, err.Error())
	}
	return object, nil
}

// comgrJob is the making of one object. What it creates is given back at its end.
type comgrJob struct {
	*comgrLibrary
	ends [][2]uintptr // functions with their argument
}

// check turns a status into an error with what the library calls it.
func (j *comgrJob) check(what string, status uintptr) error {
	if uint32(status) == 0 {
		return nil
	}
	var text uintptr
	dl.Call(j.c.StatusString, uintptr(uint32(status)), uintptr(unsafe.Pointer(&text)))
	return fmt.Errorf("%s: %s", what, dl.GoString(text))
}

// keep has what was created given back at the end by a function.
func (j *comgrJob) keep(by uintptr, handle uint64) {
	j.ends = append(j.ends, [2]uintptr{by, uintptr(handle)})
}

func (j *comgrJob) end() {
	for n := len(j.ends) - 1; n >= 0; n-- {
		dl.Call(j.ends[n][0], j.ends[n][1])
	}
}

// run generates code of the text, and links it.
func (j *comgrJob) run(a *abi.Artefact) ([]byte, error) {
	info, err := j.information(a.Kernel.Profile)
	if err != nil {
		return nil, err
	}
	var sets [3]uint64 // the text, what is generated, what is linked
	for n := range sets {
		if err := j.check("make a set", dl.Call(j.c.CreateDataSet, uintptr(unsafe.Pointer(&sets[n])))); err != nil {
			return nil, err
		}
		j.keep(j.c.DestroyDataSet, sets[n])
	}
	if err := j.add(sets[0], a.Code); err != nil {
		return nil, err
	}
	if err := j.options(info, "-O3", fmt.Sprintf("-mcode-object-version=%d", versionOf(a.Code))); err != nil {
		return nil, err
	}
	if err := j.act("generate code", j.generate, info, sets[0], sets[1]); err != nil {
		return nil, err
	}
	if err := j.options(info); err != nil {
		return nil, err
	}
	if err := j.act("link", j.link, info, sets[1], sets[2]); err != nil {
		return nil, err
	}
	object, err := j.first(sets[2], kindExecutable)
	if err == nil && object == nil {
		err = errors.New("nothing came out") // as if the text's name says no kind of file
	}
	return object, err
}

// information describes the actions: the processor, and that there is to be a log.
func (j *comgrJob) information(processor string) (uintptr, error) {
	var info uint64
	if err := j.check("describe the action", dl.Call(j.c.CreateInfo, uintptr(unsafe.Pointer(&info)))); err != nil {
		return 0, err
	}
	j.keep(j.c.DestroyInfo, info)
	name := dl.CString("amdgcn-amd-amdhsa--" + processor)
	if uint32(dl.Call(j.c.SetISAName, uintptr(info), uintptr(unsafe.Pointer(name)))) != 0 {
		return 0, errors.New("it does not know the processor")
	}
	return uintptr(info), j.check("ask for a log", dl.Call(j.c.SetLogging, uintptr(info), 1))
}

// options sets the options of the next action.
func (j *comgrJob) options(info uintptr, list ...string) error {
	texts := make([]*byte, len(list), len(list)+1) // one more, so that there is an array
	for n, text := range list {
		texts[n] = dl.CString(text)
	}
	return j.check("set options", dl.Call(j.c.SetOptions, info, uintptr(unsafe.Pointer(unsafe.SliceData(texts))), uintptr(len(list))))
}

// add adds the text to a set, under a name whose end says what it is.
func (j *comgrJob) add(set uint64, text []byte) error {
	var data uint64
	if err := j.check("make data", dl.Call(j.c.CreateData, kindBitcode, uintptr(unsafe.Pointer(&data)))); err != nil {
		return err
	}
	j.keep(j.c.ReleaseData, data)
	err := j.check("set data", dl.Call(j.c.SetData, uintptr(data), uintptr(len(text)), uintptr(dl.First(text))))
	if err == nil {
		err = j.check("name data", dl.Call(j.c.SetDataName, uintptr(data), uintptr(unsafe.Pointer(dl.CString("kernel.ll")))))
	}
	if err == nil {
		err = j.check("add data", dl.Call(j.c.DataSetAdd, uintptr(set), uintptr(data)))
	}
	return err
}

// act performs an action. What the library logs of a failure is in the error.
func (j *comgrJob) act(what string, action, info uintptr, from, to uint64) error {
	err := j.check(what, dl.Call(j.c.DoAction, action, info, uintptr(from), uintptr(to)))
	if err == nil {
		return nil
	}
	if log, _ := j.first(to, kindLog); len(bytes.TrimSpace(log)) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(log)))
	}
	return err
}

// first returns the first data of a kind in a set, or nil.
func (j *comgrJob) first(set uint64, kind uintptr) ([]byte, error) {
	var count, data, size uint64
	err := j.check("count data", dl.Call(j.c.DataCount, uintptr(set), kind, uintptr(unsafe.Pointer(&count))))
	if err != nil || count == 0 {
		return nil, err
	}
	if err := j.check("find data", dl.Call(j.c.DataAt, uintptr(set), kind, 0, uintptr(unsafe.Pointer(&data)))); err != nil {
		return nil, err
	}
	j.keep(j.c.ReleaseData, data)
	err = j.check("measure data", dl.Call(j.c.GetData, uintptr(data), uintptr(unsafe.Pointer(&size)), 0))
	contents := make([]byte, size)
	if err == nil && size > 0 {
		err = j.check("get data", dl.Call(j.c.GetData, uintptr(data), uintptr(unsafe.Pointer(&size)), uintptr(dl.First(contents))))
	}
	return contents, err
}
