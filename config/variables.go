package config

import "strings"

// Placeholder stands in a hook's command for the candidate's directory.
const Placeholder = "{candidate}"

var hookVariables = []string{
	CandidateVariable, GenerationVariable, ChangedVariable, RenderedVariable, HashVariable, AcceptedVariable,
	LocalVariable, BoundVariable, StartingVariable, OutcomeVariable, StepVariable, ReasonVariable, SourceVariable,
	TrialRunVariable,
}

// The environment variables that confit sets for a hook.
const (
	CandidateVariable  = prefix + "CANDIDATE"  // the directory of the candidate
	RenderedVariable   = prefix + "RENDERED"   // the directory that the renderer fills
	GenerationVariable = prefix + "GENERATION" // its number
	ChangedVariable    = prefix + "CHANGED"    // the keys that have changed, one a line
	HashVariable       = prefix + "HASH"       // of what all replicas share of the candidate
	AcceptedVariable   = prefix + "ACCEPTED"   // the same of the accepted generation
	LocalVariable      = prefix + "LOCAL"      // the keys that differ from replica to replica, one a line
	BoundVariable      = prefix + "BOUND"      // the most seconds from the gate's exit to the outcome
	StartingVariable   = prefix + "STARTING"   // "1": the app waits for the gate to be started
	OutcomeVariable    = prefix + "OUTCOME"    // how a change ended
	StepVariable       = prefix + "STEP"       // what rejected it
	ReasonVariable     = prefix + "REASON"     // and why
	SourceVariable     = prefix + "SOURCE"     // what the app goes on with
	TrialRunVariable   = prefix + "TRIAL_RUN"  // "1": it is for --try, and nothing comes of it
)

// prefix begins the name of each environment variable that is a flag.
const prefix = "CONFIT_"

func variable(name string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
