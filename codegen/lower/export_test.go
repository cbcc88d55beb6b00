package lower

// The rules of passes, for tests.
var (
	ExpandI64Rules  = expandI64Rules
	Transcendentals = transcendentals
)

// DeferredDepth is how much depth deferred products have at most.
var DeferredDepth = &deferredDepth
