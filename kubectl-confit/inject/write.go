package inject

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"confit/kubectl-confit/tree"
)

// writeContainer puts confit in front of the container's command, and links in the place of its mounts.
func (p *Pod) writeContainer(c change) {
	at := []any{"spec", "containers", c.index}
	p.writeCommand(c, append(slices.Clone(at), "command")...)
	p.appendTo([]*yaml.Node{setting(linesVariable, p.lines(c))}, append(slices.Clone(at), "env")...)
	mounts := p.ownList(append(slices.Clone(at), "volumeMounts")...)
	kept, comments := p.withoutFollowed(mounts, c)
	mounts.Content = inStyle(mounts, kept, c.newMounts(comments))
}

// writeCommand writes in the style that is there.
func (p *Pod) writeCommand(c change, steps ...any) {
	command := p.ownList(steps...)
	words := tree.Words(append([]string{program, "--"}, c.command...))
	if c.command != nil {
		command.Content, command.Style = words.Content, words.Style
		return
	}
	if first := command.Content[0]; first.Kind == yaml.ScalarNode {
		for _, w := range words.Content {
			w.Style |= first.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
		}
	}
	command.Content = append(words.Content, command.Content...)
}

// links are the container's link lines, or some of them, and through what links lead: nobody writes there.
func (p *Pod) links(c change, picks func(mount) bool) (list []string) {
	for _, i := range c.followed {
		m := c.Mounts[i]
		if !picks(m) {
			continue
		}
		line := "link " + m.Name + "/" + m.SubPath + " " + m.MountPath
		if v, _ := p.volume(m.Name); v.source().Optional {
			line += " optional"
		}
		list = append(list, line)
	}
	return append(list, "view "+viewDir)
}

// lines is the value of CONFIT_LINES. The kubelet expands it as it does a command.
func (p *Pod) lines(c change) string {
	list := p.links(c, func(mount) bool { return true })
	return strings.Join(append(list, p.optionLines(c.container)...), "\n")
}

// optionLines are those that annotations say, as the kubelet expands them.
func (p *Pod) optionLines(c container) (list []string) {
	for _, name := range options {
		if text := p.option(c, name); text != "" {
			list = append(list, doubled(name+" "+text))
		}
	}
	return list
}

// withoutFollowed are the mounts that stay, and what is said of the others, by their volume.
func (p *Pod) withoutFollowed(mounts *yaml.Node, c change) (kept []*yaml.Node, comments map[string]string) {
	comments = map[string]string{}
	for i, m := range mounts.Content {
		if !slices.Contains(c.followed, i) {
			kept = append(kept, m)
			continue
		}
		for _, comment := range tree.Comments(m) {
			name := c.Mounts[i].Name
			comments[name] = strings.TrimPrefix(comments[name]+"\n"+comment, "\n")
		}
	}
	return kept, comments
}

// newMounts are the keys, the program, the state and the directories that hold links.
func (c change) newMounts(comments map[string]string) (list []*yaml.Node) {
	for j, name := range c.volumes {
		m := readOnly(mountAt(keysName(c.index, j), volumesDir+"/"+name))
		m.HeadComment = comments[name]
		list = append(list, m)
	}
	list = append(list, readOnly(mountAt(binVolume, binDir)), withSubPath(mountAt(stateVolume, stateDir), c.Name),
		withSubPath(readOnly(mountAt(stateVolume, viewDir)), c.Name))
	return append(list, c.dirMounts(c.locked())...)
}

// note writes down the image that a command was read from, so that somebody can see when it is another one's.
func (p *Pod) note(container, digest string) {
	slot := p.own("metadata", "annotations", noteName(container))
	*slot = *tree.Str(digest)
}

func noteName(container string) string { return container + ".confit/entrypoint-of" }
