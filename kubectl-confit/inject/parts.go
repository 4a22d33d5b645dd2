package inject

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"confit/kubectl-confit/tree"
)

// What confit has in a pod.
const (
	binVolume        = "confit-bin" // the program
	stateVolume      = "confit-state"
	installContainer = "confit-install"
	linesVariable    = "CONFIT_LINES"

	binDir     = "/.confit"
	stateDir   = "/run/confit"
	viewDir    = stateDir + "/view"
	volumesDir = "/confit"
	seedDir    = "/seed" // in the container that fills it

	program = binDir + "/confit"
	inImage = "/confit" // the program in confit's own image
)

func seedName(index int) string         { return "confit-seed-" + strconv.Itoa(index) }
func linksName(index int) string        { return "confit-links-" + strconv.Itoa(index) }
func keysName(index, volume int) string { return fmt.Sprintf("confit-keys-%d-%d", index, volume) }

// given are the names of volumes and containers that changes bring, but for confit-bin, which says that confit is there.
func given(changes []change) (volumes, containers []string) {
	volumes, containers = append(volumes, stateVolume), append(containers, installContainer)
	for _, c := range changes {
		volumes, containers = append(volumes, seedName(c.index)), append(containers, seedName(c.index), linksName(c.index))
		for j := range c.volumes {
			volumes = append(volumes, keysName(c.index, j))
		}
	}
	return volumes, containers
}

// inMemory is a volume: the cluster autoscaler moves no pod with an emptyDir on disk.
func inMemory(name, limit string) *yaml.Node {
	return tree.Map(tree.Field{Key: "name", Value: tree.Str(name)},
		tree.Field{Key: "emptyDir", Value: tree.Map(tree.Field{Key: "medium", Value: tree.Str("Memory")}, tree.Field{Key: "sizeLimit", Value: tree.Plain(limit)})})
}

// newVolumes are the program's, the state's, those of the seeds and those of the keys.
func (pl *Plan) newVolumes() []*yaml.Node {
	bin := inMemory(binVolume, "16Mi")
	if pl.options.ImageVolume {
		bin = tree.Map(tree.Field{Key: "name", Value: tree.Str(binVolume)}, tree.Field{Key: "image", Value: tree.Strings("reference", pl.options.Image, "pullPolicy", "IfNotPresent")})
	}
	list := []*yaml.Node{bin, inMemory(stateVolume, "64Mi")}
	for _, c := range pl.changes {
		if len(c.dirs) > 0 {
			list = append(list, inMemory(seedName(c.index), "64Mi"))
		}
	}
	for _, c := range pl.changes {
		for j, name := range c.volumes {
			list = append(list, pl.pod.keysVolume(c, keysName(c.index, j), name))
		}
	}
	return list
}

// keysVolume is the original with just the keys that the container mounts, so it can read no more than before.
func (p *Pod) keysVolume(c change, name, original string) *yaml.Node {
	v, index := p.volume(original)
	at := func(key string) *yaml.Node {
		if n := p.at("spec", "volumes", index, v.kind(), key); n != nil {
			return tree.Copy(n)
		}
		return nil
	}
	items := tree.Seq()
	seen := map[string]bool{}
	for _, i := range c.followed {
		if m := c.Mounts[i]; m.Name == original && !seen[m.SubPath] {
			seen[m.SubPath] = true
			items.Content = append(items.Content, p.item(v, index, m.SubPath))
		}
	}
	object := "name"
	if v.ConfigMap == nil {
		object = "secretName"
	}
	return tree.Map(tree.Field{Key: "name", Value: tree.Str(name)}, tree.Field{Key: v.kind(), Value: tree.Map(
		tree.Field{Key: object, Value: at(object)}, tree.Field{Key: "items", Value: items},
		tree.Field{Key: "defaultMode", Value: at("defaultMode")}, tree.Field{Key: "optional", Value: tree.Bool(true)})})
}

// item is the volume's own for a key, of several the last, which is the one that the kubelet writes; or one that says what the
// volume does without items.
func (p *Pod) item(v volume, index int, subPath string) *yaml.Node {
	for i, item := range slices.Backward(v.source().Items) {
		if item.Path == subPath {
			return tree.Copy(p.at("spec", "volumes", index, v.kind(), "items", i))
		}
	}
	return tree.Strings("key", subPath, "path", subPath)
}

// newInitContainers are the one that brings the program, and those that fill the directories.
func (pl *Plan) newInitContainers() (list []*yaml.Node) {
	if first := pl.changes[0]; !pl.options.ImageVolume {
		list = append(list, tree.Map(
			tree.Field{Key: "name", Value: tree.Str(installContainer)},
			tree.Field{Key: "image", Value: tree.Str(pl.options.Image)},
			tree.Field{Key: "command", Value: tree.Words([]string{inImage, "--install", program})},
			tree.Field{Key: "resources", Value: pl.pod.copyOf(first, "resources")},
			tree.Field{Key: "securityContext", Value: pl.pod.copyOf(first, "securityContext")},
			tree.Field{Key: "volumeMounts", Value: tree.Seq(mountAt(binVolume, binDir))}))
	}
	var seeds, links []*yaml.Node
	for _, c := range pl.changes {
		if len(c.dirs) > 0 {
			seeds, links = append(seeds, pl.pod.seedContainer(c)), append(links, pl.pod.linksContainer(c))
		}
	}
	return slices.Concat(list, seeds, links)
}

// seedContainer copies what the image has in the directories that get a mount of their own.
func (p *Pod) seedContainer(c change) *yaml.Node {
	command := []string{program}
	for _, dir := range c.dirs {
		command = append(command, "--seed", dir+"="+seedDir+dir)
	}
	return p.beside(c, seedName(c.index), command, nil, mountAt(seedName(c.index), seedDir))
}

// linksContainer makes the links in these directories, so that the app's container needs no right to write there.
func (p *Pod) linksContainer(c change) *yaml.Node {
	env, nested := tree.Seq(), p.nested(c)
	var more []tree.Field
	if slices.ContainsFunc(nested, func(i int) bool { return c.Mounts[i].SubPathExpr != "" }) {
		env.Content = tree.Items(p.copyOf(c, "env"))
		more = append(more, tree.Field{Key: "envFrom", Value: p.copyOf(c, "envFrom")})
	}
	if c.locked() && below(c.MessagePath, c.dirs...) { // the kubelet mounts a file there
		more = append(more, tree.Field{Key: "terminationMessagePath", Value: p.copyOf(c, "terminationMessagePath")})
	}
	env.Content = append(env.Content, setting(linesVariable, strings.Join(p.links(c, func(m mount) bool { return c.above(m) == nil }), "\n")))
	mounts := c.dirMounts(false)
	for _, i := range nested {
		mounts = append(mounts, tree.Copy(p.at("spec", "containers", c.index, "volumeMounts", i)))
	}
	more = append(more, tree.Field{Key: "env", Value: env})
	return p.beside(c, linksName(c.index), []string{program, "--bake", "--optional"}, more, mounts...)
}

// nested are the mounts of a container below directories that it may not write to. The runtime has to find a place of the same kind for each,
// a file or a directory, so the same is mounted there: of a subPathExpr with the variables that it may name.
func (p *Pod) nested(c change) (list []int) {
	for i, m := range c.Mounts {
		if c.locked() && !slices.Contains(c.followed, i) && below(m.MountPath, c.dirs...) {
			list = append(list, i)
		}
	}
	return list
}

// beside is an init container that may do what the container may, and has its image.
func (p *Pod) beside(c change, name string, command []string, more []tree.Field, mounts ...*yaml.Node) *yaml.Node {
	fields := append([]tree.Field{
		{Key: "name", Value: tree.Str(name)},
		{Key: "image", Value: p.copyOf(c, "image")},
		{Key: "imagePullPolicy", Value: p.copyOf(c, "imagePullPolicy")},
		{Key: "command", Value: tree.Words(command)},
	}, more...)
	return tree.Map(append(
		fields,
		tree.Field{Key: "resources", Value: p.copyOf(c, "resources")},
		tree.Field{Key: "securityContext", Value: p.copyOf(c, "securityContext")},
		tree.Field{Key: "volumeMounts", Value: tree.Seq(append([]*yaml.Node{readOnly(mountAt(binVolume, binDir))}, mounts...)...)},
	)...)
}

// dirMounts are the directories that hold links, at their own paths.
func (c change) dirMounts(locked bool) (list []*yaml.Node) {
	for _, dir := range c.dirs {
		m := mountAt(seedName(c.index), dir)
		if locked {
			m = readOnly(m)
		}
		list = append(list, withSubPath(m, strings.TrimPrefix(dir, "/")))
	}
	return list
}

func setting(name, value string) *yaml.Node {
	return tree.Map(tree.Field{Key: "name", Value: tree.Str(name)}, tree.Field{Key: "value", Value: tree.Str(value)})
}

// copyOf is a field of the container, nil where it has none.
func (p *Pod) copyOf(c change, key string) *yaml.Node {
	if n := p.at("spec", "containers", c.index, key); n != nil {
		return tree.Copy(n)
	}
	return nil
}

func mountAt(name, path string) *yaml.Node { return tree.Strings("name", name, "mountPath", path) }

func readOnly(m *yaml.Node) *yaml.Node {
	m.Content = append(m.Content, tree.Str("readOnly"), tree.Bool(true))
	return m
}

func withSubPath(m *yaml.Node, subPath string) *yaml.Node {
	m.Content = append(m.Content, tree.Str("subPath"), tree.Str(subPath))
	return m
}
