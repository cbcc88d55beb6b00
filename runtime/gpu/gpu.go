// Package gpu runs compiled kernels on the devices of this machine, and has what kernels written in
// Go are made of. Devices are GPUs through CUDA or Vulkan, by name also through Metal or ROCm, and
// the processor. Drivers are found at run time, without cgo. In browsers (GOOS=js) the GPU is that
// of WebGPU.
//
// # Devices, buffers and launches
//
//	device, err := gpu.Open()                     // a GPU, or an error
//	if err != nil { … }
//	defer device.Close()
//	kernel, err := device.Load(artefact)          // what gpuc compiled for this device
//	x, err := gpu.Upload(ctx, device, []float32{1, 2, 3, 4})
//	y, err := gpu.Alloc[float32](device, 4)       // zeros; also of a stream or an Arena
//
//	args := kernel.Args()                         // laid out once, used often
//	err = args.Set(0, x)
//	err = args.Set(1, y)
//
//	stream, err := device.NewStream()
//	err = stream.Launch(args, kernel.Cover(4, 1, 1))
//	result := make([]float32, 4)
//	err = y.Read(ctx, stream, result)             // waits for the launch
//
// Textures and samplers are set by their index in the kernel's Handles:
//
//	image, err := device.NewTexture(gpu.TextureDescription{…})
//	err = image.Write(0, texels)
//	err = args.SetTexture(kernel.HandleIndex("image"), image, 0)
//
// Work is asynchronous and ordered within a stream. Different streams are independent: order them
// with Event.Wait or Stream.Wait. Closing a buffer, kernel or stream is always allowed; work under
// way finishes first. All values may be used by several goroutines at once.
//
// Errors wrap one of the variables Err…, which errors.Is tells apart.
//
// What a driver compiles is kept on disk, so that a program's next start does not compile its
// kernels again (KernelCache). Device.Preload loads kernels while the program does something else.
// An Auto chooses a device, or plain Go, by the size of the work.
//
// # Kernels written in Go
//
// A kernel is a function of an Item, as its documentation shows. It uses this package's functions
// (Sqrt, Clamp, Pack4x8Unorm, AtomicMax, SubgroupAdd), vectors and matrices (Vec3f, Mat4f).
// `gpuc gen` compiles kernels and writes functions that launch them, with the kernels' own
// parameters. Each and EachGroup run kernels as plain Go on the host, for tests and debuggers; all
// functions compute the same there.
//
// # Generated code
//
// The functions that `gpuc gen` writes use Embedded, and package gen for what programs need not
// call themselves.
package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// The names of the drivers, for Prefer and Named.
const (
	WebGPU = "webgpu" // in browsers
	CUDA   = "cuda"
	Vulkan = "vulkan"
	Metal  = "metal"
	ROCm   = "rocm"
	CPU    = "cpu"
)

// The kinds of failure, for errors.Is.
var (
	ErrNoDevice = errors.New("no such device")
	// sizes, counts or element types do not fit
	ErrShape       = errors.New("wrong shape")
	ErrLimit       = errors.New("beyond the device's limit") // grid, buffer size or alignment
	ErrAlias       = errors.New("overlapping bindings")      // one of which is written
	ErrCapture     = errors.New("not possible in a capture") // see Stream.Capture
	ErrClosed      = driver.ErrClosed
	ErrOutOfMemory = driver.ErrOutOfMemory
	ErrDeviceLost  = driver.ErrDeviceLost
	ErrUnsupported = driver.ErrUnsupported
	ErrCoarse      = tuning.ErrCoarse // a clock that cannot tell apart what is compared
	ErrBudget      = tuning.ErrBudget // less time than a comparison takes
)

// Info describes a device. Its ID ("vulkan:1") is a name for Named.
type Info = driver.Info

// Devices lists the devices of all drivers. A driver that is not installed has none. If a driver
// fails, its error is returned beside the devices of the others.
func Devices() ([]Info, error) { return devices(drivers) }

func devices(drivers []driver.Driver) ([]Info, error) {
	var list []Info
	var failures []error
	for _, d := range drivers {
		infos, err := d.Devices()
		list = append(list, infos...)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", d.Name(), err))
		}
	}
	return list, errors.Join(failures...)
}

// Option chooses a device for Open.
type Option func(*choice)

// choice is what the options say.
type choice struct {
	outside  []driver.Driver // best first
	prefer   []string
	allowCPU bool
	named    string
	count    int     // of devices for OpenAll, or 0 for all
	cache    *string // the folder, or nil for what the environment says
}

// Prefer gives the drivers to try, best first. The default is CUDA before Vulkan, and WebGPU in
// browsers; Metal and ROCm have to be named.
func Prefer(drivers ...string) Option {
	return func(c *choice) { c.prefer = drivers }
}

// Driver adds a driver that is not part of this package. Its devices come before those of others,
// in the order of such options, unless Prefer names drivers. Named finds them by the driver's name;
// a driver of this package that has the same name is not used.
func Driver(d driver.Driver) Option {
	return func(c *choice) { c.outside = append(c.outside, d) }
}

// AllowCPU lets Open fall back to the processor if there is no GPU. Without it Open fails then:
// kernels run far slower on a processor, which should not go unnoticed.
func AllowCPU() Option {
	return func(c *choice) { c.allowCPU = true }
}

// Named selects one device: a driver's name for its best device ("cpu", "vulkan"), or with a device
// number ("vulkan:1"). It is the only way to open a software device such as lavapipe. A name
// without a device is ErrNoDevice.
func Named(name string) Option {
	return func(c *choice) { c.named = name }
}

// KernelCache has compiled kernels kept for the next start in a folder, an absolute path. "off"
// turns that off. Without this option the environment variable GPUC_CACHE has the folder or "off".
// By default it is gpuc in the user's cache folder (os.UserCacheDir). Device.CacheStats has the
// errors of the disk, and of a folder that is not used.
func KernelCache(folder string) Option {
	return func(c *choice) { c.cache = &folder }
}

// Open opens a device: the first GPU of the preferred drivers unless options say otherwise. It is
// ErrNoDevice if there is none.
func Open(options ...Option) (*Device, error) { return open(drivers, options) }

func open(drivers []driver.Driver, options []Option) (*Device, error) {
	c, drivers, err := choose(drivers, options)
	if err != nil {
		return nil, err
	}
	if c.named != "" {
		return openNamed(drivers, &c)
	}
	var failures []error
	var missing [][2]string // drivers, and what they miss
	for _, name := range c.prefer {
		d, err := find(drivers, name)
		if err != nil {
			return nil, err
		}
		infos, err := d.Devices()
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", name, err))
		} else if why := absence(d); why != "" {
			missing = append(missing, [2]string{name, why})
		}
		for _, info := range infos {
			if info.Kind == driver.Software && !c.isOutside(name) {
				continue
			}
			device, err := openDevice(d, info, &c)
			if err == nil {
				return device, nil
			}
			failures = append(failures, err)
		}
	}
	if len(failures) > 0 {
		return nil, errors.Join(failures...)
	}
	why := ""
	if len(missing) > 0 {
		why = " (" + joined(missing) + ")"
	}
	return nil, fmt.Errorf("%w: no GPU found through %s%s; install its driver, or pass AllowCPU to run on the processor",
		ErrNoDevice, strings.Join(c.prefer, " or "), why)
}

// isOutside reports whether a driver with this name was given. Its devices are meant, even those of
// software.
func (c *choice) isOutside(name string) bool {
	return slices.ContainsFunc(c.outside, func(d driver.Driver) bool { return d.Name() == name })
}

// drivers returns all drivers, those from outside first, and has them preferred unless others are.
func (c *choice) drivers(own []driver.Driver) ([]driver.Driver, error) {
	for _, d := range c.outside {
		if d == nil {
			return nil, fmt.Errorf("open a device: %w: a driver is nil", ErrShape)
		}
	}
	if c.prefer == nil {
		for _, d := range c.outside {
			c.prefer = append(c.prefer, d.Name())
		}
		c.prefer = append(c.prefer, preferred...)
	}
	list := slices.Clone(c.outside)
	for _, d := range own {
		if !c.isOutside(d.Name()) {
			list = append(list, d)
		}
	}
	return list, nil
}

// choose returns what options say, and the drivers to look in.
func choose(own []driver.Driver, options []Option) (c choice, drivers []driver.Driver, err error) {
	for _, option := range options {
		if option == nil {
			return c, nil, fmt.Errorf("open a device: %w: an option is nil", ErrShape)
		}
		option(&c)
	}
	if err = startAsAsked(); err != nil {
		return c, nil, fmt.Errorf("open a device: %w", err)
	}
	if drivers, err = c.drivers(own); err != nil {
		return c, nil, err
	}
	if c.allowCPU && !slices.Contains(c.prefer, CPU) {
		c.prefer = append(slices.Clone(c.prefer), CPU)
	}
	return c, drivers, nil
}

// joined lists what each driver is missing, once if it is the same for all.
func joined(missing [][2]string) string {
	if !slices.ContainsFunc(missing, func(m [2]string) bool { return m[1] != missing[0][1] }) {
		return missing[0][1]
	}
	var list []string
	for _, m := range missing {
		list = append(list, m[0]+": "+m[1])
	}
	return strings.Join(list, "; ")
}

// absence says what a driver that found no library is missing, or "".
func absence(d driver.Driver) string {
	if a, ok := d.(driver.Absent); ok {
		if err := a.Absent(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// openNamed opens the device that Named selects.
func openNamed(drivers []driver.Driver, c *choice) (*Device, error) {
	d, infos, index, err := findNamed(drivers, c.named)
	if err != nil {
		return nil, err
	}
	return openDevice(d, infos[index], c)
}

// findNamed returns the driver of the device with a name, the driver's devices, and which it is.
func findNamed(drivers []driver.Driver, name string) (d driver.Driver, infos []Info, index int, err error) {
	driverName, number, numbered := strings.Cut(name, ":")
	if d, err = find(drivers, driverName); err != nil {
		return nil, nil, 0, err
	}
	if infos, err = d.Devices(); err != nil {
		return nil, nil, 0, fmt.Errorf("%s: %w", driverName, err)
	}
	if len(infos) == 0 {
		if why := absence(d); why != "" {
			return nil, nil, 0, fmt.Errorf("%w: %s has no devices here: %s", ErrNoDevice, driverName, why)
		}
		return nil, nil, 0, fmt.Errorf("%w: %s has no devices here", ErrNoDevice, driverName)
	}
	if labelled := slices.IndexFunc(infos, func(i Info) bool { return i.Label != "" && i.Label == number }); labelled >= 0 {
		index = labelled
	} else if numbered {
		if index, err = strconv.Atoi(number); err != nil || index < 0 || index >= len(infos) {
			return nil, nil, 0, fmt.Errorf("%w: %q, but %s has devices 0 to %d", ErrNoDevice, name, driverName, len(infos)-1)
		}
	} else if i := slices.IndexFunc(infos, func(i Info) bool { return i.Kind != driver.Software }); i >= 0 {
		index = i
	}
	return d, infos, index, nil
}

// find returns the driver with this name.
func find(drivers []driver.Driver, name string) (driver.Driver, error) {
	names := make([]string, len(drivers))
	for i, d := range drivers {
		if names[i] = d.Name(); names[i] == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("%w: no driver %q, there are %s", ErrNoDevice, name, strings.Join(names, ", "))
}
