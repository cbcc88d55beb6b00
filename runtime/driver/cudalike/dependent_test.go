//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// TestDependentLaunch: a kernel that can wait is launched with the attribute, and another one is
// not.
func TestDependentLaunch(t *testing.T) {
	defer func(least uint32, wait func([]byte, string) []byte) { fakeAPI.Dependent, fakeAPI.Wait = least, wait }(fakeAPI.Dependent, fakeAPI.Wait)
	waits := true
	fakeAPI.Dependent, fakeAPI.Wait = 90, func(image []byte, entry string) []byte {
		if !waits || entry != "axpy" {
			return nil
		}
		return append(slices.Clip(image), " waits\x00"...)
	}
	l, d, s := openFake(t)
	var image []byte
	l.onCall = func(function string, all *callArguments) {
		if function == "ModuleLoad" {
			image = []byte(dl.GoString(all[1]) + "\x00")
		}
	}
	k := loadFake(t, d).(*kernel)
	if !bytes.HasSuffix(image, []byte(" waits\x00")) {
		t.Errorf("the kernel is loaded without a wait")
	}
	waits = false
	other := loadFake(t, d)
	x, err := d.Alloc(400)
	check(t, err)
	part := func(bytes uint64) driver.Slice { return driver.Slice{Memory: x, Bytes: bytes} }
	bindings := []driver.Slice{part(400), part(400), part(4)}
	launch := func(k driver.Kernel) []string {
		return l.since(func() { check(t, s.Launch(&driver.Launch{Kernel: k, Bindings: bindings, Grid: [3]uint32{7, 1, 1}})) })
	}
	var config launchConfig
	var attribute launchAttribute
	l.onCall = func(function string, all *callArguments) {
		if function == "LaunchDependent" {
			config = *structure[launchConfig](all[0])
			attribute = *structure[launchAttribute](config.attributes)
			l.launch = *all
		}
	}
	launch(k)
	if config.grid != [3]uint32{7, 1, 1} || config.workgroup != [3]uint32{64, 1, 1} || config.stream != s.handle || config.count != 1 || config.shared != 0 {
		t.Errorf("the configuration is %+v", config)
	}
	if attribute.id != 6 || attribute.value[0] != 1 || l.launch[1] != k.addresses.function || l.launch[3] != 0 {
		t.Errorf("the attribute is %+v, and the arguments are %v", attribute, l.launch)
	}
	config = launchConfig{}
	if calls := launch(other); config.count != 0 || !slices.ContainsFunc(calls, func(c string) bool { return c[:6] == "Launch" }) {
		t.Errorf("a kernel that does not wait has the calls %q", calls)
	}
	check(t, d.Close())
}
