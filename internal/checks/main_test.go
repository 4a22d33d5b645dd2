// Package checks holds what is true of the whole repository: which package may import which, how large files and
// functions are, that the pages fit the program, and that all messages are listed. Architecture, imports, circles, size
// and writers are about the code; docs, hacking, pages, examples, reference and messages about what people read;
// workflows about what CI runs.
package checks

// root is the repository. Each test goes there first, as all files are named as seen from it. TestMain couldn't do so
// for them: Go would look for these files here when it asks whether a result may be cached.
const root = "../.."
