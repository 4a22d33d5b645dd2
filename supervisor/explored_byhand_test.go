package supervisor

import (
	"slices"
	"strings"
)

// byHand are settings of which all places can be counted, as each has little, or in which just these features matter
// together.
var byHand = [][2]string{
	{"plain", "usr1-or-none kills breaks"},
	{"settle", "settle-short probation-short quits"},
	{"auto", "auto any-handler probation-short zombies"},
	{"before", "validate-before kills hooks-missing spoils"},
	{"after", "validate-after probation-short kills proven"},
	{"render", "render kills spoils"},
	{"verify", "verify probation-short proven"},
	{"gate", "gate kills proven"},
	{"report", "gate report proven"},
	{"adopt", "adopt probation-short leftovers proven"},
	{"splay", "usr1-or-restart splay-short proven"},
	{"touch", "touch probation-short watches kills proven"},
	{"fallback", "verify fallback breaks"},
	{"refusal", "gate fallback not-found"},
	{"same", "fallback-same probation-short kills"},
	{"first", "gate fallback refuses"},
	{"restart", "restart probation-short leftovers no-memory doubtful"},
	{"exec", "exec probation-short hooks-missing watches proven"},
	{"refused", "probation-short refuses kills doubtful"},
	{"unchecked", "validate-before refuses proven"},
	{"returns", "probation-short fallback breaks kills from-fallback"},
	{"ready", "probation-short speaks proven"},
	{"panic", "probation-short panics proven"},
	{"soak", "restart probation-short soak-short fallback kills doubtful"},
	{"soak-reload", "usr1-or-none probation-short soak-short soaked"},
	{"soak-down", "restart probation-short soak-short kills down"},
	{"soak-verify", "verify probation-short soak-short doubtful"},
	{"soak-busy", "soak-short validate-before gate doubtful"},
	{"asks", "restart validate-before probation-short soak-short kills down"},
	{"asks-there", "usr1-or-none validate-after probation-short soak-short down"},
	{"late", "restart probation-short soak-short gate report asked"},
	{"late-again", "restart probation-short soak-short gate report relapsed"},
	{"lost", "restart verify probation-short fallback loses doubtful"},
	{"lost-all", "validate-after loses proven"},
	{"beyond", "usr1-or-restart beyond probation-short proven"},
	{"lost-refused", "validate-before refuses loses proven"},
	{"beyond-soak", "beyond verify probation-short soak-long doubtful"},
	{"marked", "breaks quits probation-short soak-short retry-short stop-timeout-long doubtful"},
	{"unread", "usr1-or-restart gate kills unread proven"},
	{"entry", "restart probation-short enters-long kills proven"},
	{"try", "try render validate-before breaks refuses spoils hooks-missing panics quits"},
}

// settingsByHand are those.
func settingsByHand() (list []setting) {
	for _, s := range byHand {
		list = append(list, settingOf(s[0], strings.Fields(s[1])))
	}
	for _, name := range []string{"soak", "verify", "fallback", "entry"} { // nothing that is gone back to is lost there
		s := settingOf("emptied-"+name, list[slices.IndexFunc(byHand, func(s [2]string) bool { return s[0] == name })].has)
		s.empties = true
		list = append(list, s)
	}
	return list
}
