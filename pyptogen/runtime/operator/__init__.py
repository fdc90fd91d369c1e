"""An operator that can be called: its contract with the caller, the checks of a call, its compiled form."""
