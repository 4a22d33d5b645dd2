// Package entrypoint says whether an app has begun, which means that it has executed its daemon:
// what confit starts is often a script that works before. The package looks at processes and reads
// scripts; it starts nothing, signals nobody, and keeps nothing of confit's state.
//
// What can't be seen is an ordinary answer: without /proc, and of a process that confit may not
// look at, no shell is found.
package entrypoint
