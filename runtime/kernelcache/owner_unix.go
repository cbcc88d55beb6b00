//go:build unix

package kernelcache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner refuses files and folders that somebody else could change.
func checkOwner(info fs.FileInfo) error {
	const othersWrite = 0o022
	if mode := info.Mode().Perm(); mode&othersWrite != 0 {
		return fmt.Errorf("can be written by others (permissions %04o); chmod %04o makes it private", mode, mode&^0o077)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	return nil
}
