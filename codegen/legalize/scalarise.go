package legalize
