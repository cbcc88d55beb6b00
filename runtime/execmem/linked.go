package execmem

import "sync"

// This file finds code that is a part of the program: it was printed as assembly when the program
// was built, and the package that has it registers it when it is initialised.

// Linked is where code lies that is a part of the program.
type Linked struct{ Address, Size uintptr }

// registered is what is known of code.
type registered struct {
	about string
	code  Linked
}

var (
	registry      = map[string]registered{}
	registryMutex sync.RWMutex
)

// Register makes code known that is a part of the program, under a key and with what its users have
// to know of it. Of code that has the same key the first one counts: it is the same code.
func (l Linked) Register(key, about string) {
	registryMutex.Lock()
	defer registryMutex.Unlock()
	if _, ok := registry[key]; !ok {
		registry[key] = registered{about, l}
	}
}

// AnyRegistered reports whether there is any registered code.
func AnyRegistered() bool {
	registryMutex.RLock()
	defer registryMutex.RUnlock()
	return len(registry) > 0
}

// Registered returns the code with a key, and what is to be known of it; nil if there is none, or
// if the processor lacks something that code may use.
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

// Open makes code callable that is a part of the program. That needs no executable memory from the
// system.
func (l Linked) Open() (*Code, error) {
	if err := callable(); err != nil {
		return nil, err
	}
	return &Code{address: l.Address, size: l.Size}, nil
}
