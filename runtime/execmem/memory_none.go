//go:build ios || !(amd64 || arm64) || !(linux || freebsd || darwin || windows)

package execmem

import "errors"

var errNone = errors.New("this system has no memory that programs can make executable")

func reserve(size int) ([]byte, error) { return nil, errNone }

func protect(code []byte) error { return errNone }

func revoke(code []byte) {}

func release(slab []byte) {}
