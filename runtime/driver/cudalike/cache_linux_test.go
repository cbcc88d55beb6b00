//go:build !nodrivers && (amd64 || arm64)

package cudalike

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// fullVariable tells the test binary that its files are limited, and the folder of the cache.
const fullVariable = "GPUC_FULL_DISK_TEST"

// TestCacheFullDisk loads kernels where files take no more than 100 bytes, in a process of its own.
// The system refuses to write, as it does on a full disk. The kernel is loaded, the reason is among
// the statistics, and nothing is left in the folder.
func TestCacheFullDisk(t *testing.T) {
	folder := os.Getenv(fullVariable)
	if folder == "" {
		folder = t.TempDir()
		self, err := os.Executable()
		check(t, err)
		command := exec.Command(self, "-test.run=^TestCacheFullDisk$")
		command.Env = append(os.Environ(), fullVariable+"="+folder)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
			t.Errorf("%v is left, %v", files, err)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100}))
	m := &compiler{build: "1"}
	for range 2 {
		linked, loaded, stats := starts(t, m, folder, text("a"), nil)
		if linked != 1 || loaded != "binary" || stats.Stored != 0 || stats.Misses != 1 || !errors.Is(stats.Err, syscall.EFBIG) ||
			!strings.HasPrefix(stats.Err.Error(), "store in the kernel cache: write ") {
			t.Errorf("%d compilations, loads %s, %+v", linked, loaded, stats)
		}
	}
}
