package main

import "strings"

// phrases tell licences apart: all of those of a line stand in its text.
var phrases = []struct {
	id    string
	these []string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy"}},
	{"ISC", []string{"permission to use, copy, modify, and", "distribute this software for any purpose with or without fee"}},
	{"MPL-2.0", []string{"mozilla public license", "version 2.0"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "may be used to endorse or promote products"}},
}

// identify returns the SPDX identifiers of the licences whose text this is. A
// file may hold several, and one that isn't a licence holds none.
func identify(text string) (ids []string) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, p := range phrases {
		found := true
		for _, phrase := range p.these {
			found = found && strings.Contains(text, phrase)
		}
		if found {
			ids = append(ids, p.id)
		}
	}
	if len(ids) == 0 && strings.Contains(text, "redistribution and use in source and binary forms") {
		ids = []string{"BSD-2-Clause"}
	}
	return ids
}
