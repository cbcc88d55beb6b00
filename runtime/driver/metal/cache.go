package metal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// This file keeps pipelines on disk, in an MTLBinaryArchive each (macOS 11). That has the device's
// code alone: the text is compiled to a library in any case, if the system's own cache has none.

// SetCache implements driver.Caching.
func (d *device) SetCache(c *kernelcache.Cache) { d.cache.Store(c) }

// archives is what a kernel's archive is made with.
type archives struct {
	*device
	function   uintptr // MTLFunction
	descriptor uintptr // MTLComputePipelineDescriptor
	file       string  // of the archive: those are read and written by name
}

// cachedPipeline makes the pipeline of a function by the archive in the cache, or adds one to it.
// If it cannot, it returns 0, and the caller makes the pipeline without an archive. An autorelease
// pool is entered.
func (d *device) cachedPipeline(function uintptr, name string, code []byte) uintptr {
	cache, m := d.cache.Load(), d.m
	if !cache.On() || !d.hasArchives() {
		return 0
	}
	// "Version 14.5 (Build 23F79)"
	version := m.text(m.send(m.send(m.processInfo, m.s.ProcessInfo), m.s.SystemVersion))
	if version == "" {
		return 0
	}
	folder, err := os.MkdirTemp("", "gpuc")
	if err != nil {
		cache.Note(fmt.Errorf("make a folder for an archive of the kernel cache: %w", err))
		return 0
	}
	defer os.RemoveAll(folder)
	a := &archives{d, function, m.send(m.pipelineDescriptor, m.s.New), filepath.Join(folder, "archive")}
	defer m.release(a.descriptor)
	m.send(a.descriptor, m.s.SetComputeFunction, function)

	key := kernelcache.KeyOf([]byte("metal"), []byte(version), []byte(d.info.Name), []byte(name), code)
	if contents := cache.Load(key); contents != nil {
		if pipeline := a.find(contents); pipeline != 0 {
			return pipeline
		}
		cache.Drop(key)
	}
	pipeline, contents, err := a.make()
	if err != nil {
		cache.Note(fmt.Errorf("make an archive for the kernel cache: %w", err))
	}
	cache.Store(key, kernelcache.Label{Driver: "metal", Device: d.info.Name, Kernel: name}, contents)
	return pipeline
}

// hasArchives reports whether the system has what this file uses.
func (d *device) hasArchives() bool {
	m := d.m
	for _, class := range [...]uintptr{m.arrayClass, m.urlClass, m.processInfo, m.archiveDescriptor, m.pipelineDescriptor} {
		if class == 0 {
			return false
		}
	}
	return m.flag(m.send(d.candidate.device, m.s.RespondsToSelector, m.s.NewArchive))
}

// url makes the NSURL of the file, which the pool releases.
func (a *archives) url() uintptr { return a.m.send(a.m.urlClass, a.m.s.FileURL, a.m.string(a.file)) }

// open makes an MTLBinaryArchive, empty or of the file.
func (a *archives) open(ofFile bool) (uintptr, error) {
	m := a.m
	descriptor := m.send(m.archiveDescriptor, m.s.New)
	defer m.release(descriptor)
	if ofFile {
		m.send(descriptor, m.s.SetURL, a.url())
	}
	var failure uintptr
	archive := dl.Call(m.c.MsgSend, a.candidate.device, m.s.NewArchive, descriptor, uintptr(unsafe.Pointer(&failure)))
	if archive == 0 {
		return 0, errors.New(m.message(failure))
	}
	return archive, nil
}

// pipeline makes the pipeline with an archive.
func (a *archives) pipeline(archive, options uintptr) uintptr {
	m := a.m
	m.send(a.descriptor, m.s.SetArchives, m.send(m.arrayClass, m.s.ArrayWithObject, archive))
	var failure uintptr
	return dl.Call(m.c.MsgSend, a.candidate.device, m.s.NewPipelineByDescriptor, a.descriptor, options, 0, uintptr(unsafe.Pointer(&failure)))
}

// find makes the pipeline of an archive's contents, or returns 0 if it is not in it.
func (a *archives) find(contents []byte) uintptr {
	if os.WriteFile(a.file, contents, 0o600) != nil {
		return 0
	}
	archive, err := a.open(true)
	if err != nil {
		return 0
	}
	defer a.m.release(archive)
	const failOnMiss = 1 << 2 // MTLPipelineOptionFailOnBinaryArchiveMiss
	return a.pipeline(archive, failOnMiss)
}

// make makes the pipeline and the contents of an archive with it. What cannot be made is 0 or nil.
func (a *archives) make() (pipeline uintptr, contents []byte, err error) {
	m := a.m
	archive, err := a.open(false)
	if err != nil {
		return 0, nil, err
	}
	defer m.release(archive)
	var failure uintptr
	if !m.flag(dl.Call(m.c.MsgSend, archive, m.s.AddFunctions, a.descriptor, uintptr(unsafe.Pointer(&failure)))) {
		return 0, nil, errors.New(m.message(failure))
	}
	if pipeline = a.pipeline(archive, 0); pipeline == 0 {
		return 0, nil, nil
	}
	if !m.flag(dl.Call(m.c.MsgSend, archive, m.s.Serialize, a.url(), uintptr(unsafe.Pointer(&failure)))) {
		return pipeline, nil, errors.New(m.message(failure))
	}
	contents, err = os.ReadFile(a.file)
	return pipeline, contents, err
}
