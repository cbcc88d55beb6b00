package ptx

// OwnNames are those of PTX's own operations on the machine level.
var OwnNames = machineNames()
