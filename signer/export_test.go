package signer

// ErrFault lets tests tell that a code was dropped because it did not verify.
var ErrFault = errFault
