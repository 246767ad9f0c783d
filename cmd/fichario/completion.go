package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"fichario/cmd/fichario/command"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// askedFor is the command by which a shell requests completions from this program.
const askedFor = "__complete"

// completions are short scripts, because the program knows its own words.
var completions = map[string]string{
	"bash": `# Put this into ~/.bashrc: source <(fichario completion bash)
_fichario() {
	local IFS=$'\n'
	COMPREPLY=($("${COMP_WORDS[0]}" ` + askedFor + ` "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _fichario fichario
`,
	"zsh": `#compdef fichario
# Put this into ~/.zshrc, behind compinit: source <(fichario completion zsh)
_fichario() {
	local -a found
	found=("${(@f)$("${words[1]}" ` + askedFor + ` "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -n "${found[1]}" ]]; then compadd -a found; else _files; fi
}
compdef _fichario fichario
`,
	"fish": `# Put this into ~/.config/fish/config.fish: fichario completion fish | source
function __fichario
	set -l line (commandline -opc)
	set -l found (command $line[1] ` + askedFor + ` $line[2..] (commandline -ct) 2>/dev/null)
	if set -q found[1]
		printf '%s\n' $found
	else
		__fish_complete_path (commandline -ct)
	end
end
complete -c fichario -f -a '(__fichario)'
`,
}

// Run prints the script.
func (c *completionCmd) Run(e *command.Environment) error {
	return e.Print(map[string]string{"shell": c.Shell, "script": completions[c.Shell]}, "%s", completions[c.Shell])
}

// cursor is the state at the end of a partial command line.
type cursor struct {
	node *kong.Node
	// open is a flag that still needs its value.
	open *kong.Flag
	// arguments is how many the command has so far.
	arguments int
}

// reach walks the words of a line; false where the program has no such command.
func reach(root *kong.Node, words []string) (at cursor, ok bool) {
	at.node = root
	for _, word := range words {
		name, _, given := strings.Cut(word, "=")
		child := childNamed(at.node, word)
		switch {
		case word == "=": // some shells split a flag from its value
		case at.open != nil:
			at.open = nil
		case strings.HasPrefix(word, "-"):
			if flag := flagNamed(at.node, name); flag != nil && !flag.IsBool() && !given {
				at.open = flag
			}
		case child != nil:
			at.node = child
		case len(at.node.Children) > 0:
			return at, false
		default:
			at.arguments++
		}
	}
	return at, true
}

// complete returns the completions of the last word of a line: commands, flags, and values from a fixed list.
func complete(root *kong.Node, words []string) (found []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	begun := words[len(words)-1]
	at, ok := reach(root, words[:len(words)-1])
	if !ok {
		return nil
	}
	if at.open != nil && begun == "=" {
		begun = ""
	}
	for _, word := range at.choices(begun) {
		if strings.HasPrefix(word, begun) {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	return found
}

// choices are the candidates for a word with this beginning.
func (at cursor) choices(begun string) (all []string) {
	if at.open != nil {
		return values(at.open.Value)
	}
	name, _, given := strings.Cut(begun, "=")
	switch {
	case given && strings.HasPrefix(name, "-"):
		if flag := flagNamed(at.node, name); flag != nil {
			for _, value := range values(flag.Value) {
				all = append(all, name+"="+value)
			}
		}
	case strings.HasPrefix(begun, "-"):
		for _, flags := range at.node.AllFlags(true) {
			for _, flag := range flags {
				all = append(all, "--"+flag.Name)
			}
		}
	default:
		for _, child := range at.node.Children {
			if !child.Hidden {
				all = append(all, child.Name)
			}
		}
		if at.arguments < len(at.node.Positional) {
			all = append(all, values(at.node.Positional[at.arguments])...)
		}
	}
	return all
}

func values(v *kong.Value) []string {
	return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
}

func childNamed(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

func flagNamed(node *kong.Node, name string) *kong.Flag {
	for _, flags := range node.AllFlags(false) {
		for _, flag := range flags {
			if name == "--"+flag.Name || flag.Short != 0 && name == "-"+string(flag.Short) {
				return flag
			}
		}
	}
	return nil
}
