package execmem

import "sync"

// This file finds code that is linked into the program: assembly that `gpuc gen -native` wrote,
// whose package registers it at initialisation.

// Linked is code that is linked into the program: its address, and its size in bytes.
type Linked struct{ Address, Size uintptr }

// registered is linked code with its description.
type registered struct {
	about string
	code  Linked
}

var (
	registry      = map[string]registered{}
	registryMutex sync.RWMutex
)

// Register registers linked code under a key, with what its users have to know of it. The first
// code of a key counts; others are the same.
func (l Linked) Register(key, about string) {
	registryMutex.Lock()
	defer registryMutex.Unlock()
	if _, ok := registry[key]; !ok {
		registry[key] = registered{about, l}
	}
}

// AnyRegistered reports whether any code is registered.
func AnyRegistered() bool {
	registryMutex.RLock()
	defer registryMutex.RUnlock()
	return len(registry) > 0
}

// Registered returns the code of a key and its description, or nil if there is none, or if the
// processor lacks a feature that code may use.
func Registered(key string) (about string, code *Code) {
	registryMutex.RLock()
	r, ok := registry[key]
	registryMutex.RUnlock()
	if !ok {
		return "", nil
	}
	code, err := r.code.Open()
	if err != nil {
		return "", nil
	}
	return r.about, code
}

// Open makes linked code callable, which needs no executable memory from the system. The error is
// that of Available.
func (l Linked) Open() (*Code, error) {
	if err := callable(); err != nil {
		return nil, err
	}
	return &Code{address: l.Address, size: l.Size}, nil
}
