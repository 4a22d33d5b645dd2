package linker

import (
	"log/slog"

	"confit/linker/document"
	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
	"confit/linker/seed"
	"confit/linker/volume"
)

// Config is what a [Linker] is made of. It has to come from [Check].
type Config struct {
	Links     []Link
	Volumes   string // where relative sources live, absolute
	Fallback  string // laid out like Volumes: see [Linker.StageFallback]; absolute, or "" for none
	State     string // the state directory, absolute
	View      string // where links see it, absolute; "": as State
	Render    bool   // a hook makes files of the staged keys; see [Linker.Complete]
	AllowDisk bool   // keys of memory-backed volumes may be copied to a disk
	Pod       bool   // this is a pod of Kubernetes
	// how many bytes of variables execve(2) takes beside what confit was started with; 0: not known
	Space int
	Log   *slog.Logger // for what is no decision, such as polling
	// waits before Open reads again what can't be read now; false: for long enough; nil: it doesn't
	Again func() bool

	lines []*lines.Line // what [Check] made of the links
}

// Names of the packages below that a caller needs. Their comments are there.
type (
	Change       = generation.Change
	Damaged      = generation.Damaged
	Environment  = generation.Environment
	Generation   = generation.Generation
	Hash         = files.Hash
	Invalid      = files.Invalid
	Key          = lines.Key
	Sums         = generation.Sums
	Link         = lines.Link
	Fingerprint  = volume.Fingerprint
	SeedPair     = seed.Pair
	Target       = lines.Target
	Use          = lines.Use
	VolumeStatus = volume.Status
	Writing      = volume.Writing
)

// Values of [Use], what stands in a source for the directory that the renderer fills, and values of
// [Writing].
const (
	Linked   = lines.Linked
	Input    = lines.Input
	Variable = lines.Variable
	Rendered = lines.Rendered

	FileByFile = volume.FileByFile
	SwapBySwap = volume.SwapBySwap
	OneSwap    = volume.OneSwap
)

// Errors and functions of the packages below that a caller needs.
var (
	ErrNoFallback    = volume.ErrNoFallback
	ErrNotTried      = volume.ErrNotTried
	ErrWrongDocument = document.ErrWrong

	IsDenied  = files.IsDenied
	IsInvalid = files.IsInvalid
	Reason    = files.Reason
	ParseSeed = seed.Parse
	Seed      = seed.Run
)
