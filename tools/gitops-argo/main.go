// Command argocheck asks Argo CD's own diff library and runs its health scripts. The first argument
// is the OpenAPI document (version 2) of a cluster; requests come as a JSON list on standard input
// and answers go out as a JSON list in the same order.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/argoproj/gitops-engine/pkg/diff"
	openapi "github.com/google/gnostic-models/openapiv2"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/util/proto"
)

const manager = "argocd-controller"

// request is either a diff (mode, config, live, and predicted for mode "server") or a health check
// (script and live).
type request struct {
	Mode      string         `json:"mode"`
	Config    map[string]any `json:"config"`
	Live      map[string]any `json:"live"`
	Predicted map[string]any `json:"predicted"`
	Script    string         `json:"script"`
}

type answer struct {
	Error     string          `json:"error,omitempty"`
	Modified  bool            `json:"modified"`
	Live      json.RawMessage `json:"live,omitempty"`
	Predicted json.RawMessage `json:"predicted,omitempty"`
	Status    string          `json:"status,omitempty"`
	Message   string          `json:"message,omitempty"`
}

// dryRun stands for the API server, whose answer is known already.
type dryRun struct{ predicted map[string]any }

func (d dryRun) Run(context.Context, *unstructured.Unstructured, string) (string, error) {
	text, err := json.Marshal(d.predicted)
	return string(text), err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	types, err := parser(os.Args[1])
	if err != nil {
		return err
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var requests []request
	if err := json.Unmarshal(text, &requests); err != nil {
		return err
	}
	answers := make([]answer, 0, len(requests))
	for _, request := range requests {
		var found answer
		if request.Script != "" {
			found, err = health(request)
		} else {
			found, err = compare(request, types)
		}
		if err != nil {
			found.Error = err.Error()
		}
		answers = append(answers, found)
	}
	return json.NewEncoder(os.Stdout).Encode(answers)
}

func parser(path string) (*managedfields.GvkParser, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	document, err := openapi.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		return nil, err
	}
	return managedfields.NewGVKParser(models, false)
}

func compare(asked request, types *managedfields.GvkParser) (answer, error) {
	options := []diff.Option{diff.WithGVKParser(types), diff.WithManager(manager)}
	switch asked.Mode {
	case "structured":
		options = append(options, diff.WithStructuredMergeDiff(true))
	case "server":
		options = append(options, diff.WithServerSideDiff(true),
			diff.WithServerSideDryRunner(dryRun{asked.Predicted}))
	}
	config := &unstructured.Unstructured{Object: asked.Config}
	live := &unstructured.Unstructured{Object: asked.Live}
	found, err := diff.Diff(config, live, options...)
	if err != nil {
		return answer{}, err
	}
	return answer{Modified: found.Modified, Live: found.NormalizedLive, Predicted: found.PredictedLive}, nil
}

func health(asked request) (answer, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable, lua.StringLibName: lua.OpenString,
	} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", value(state, asked.Live))
	if err := state.DoString(asked.Script); err != nil {
		return answer{}, err
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return answer{}, fmt.Errorf("the script returned %s", state.Get(-1).Type())
	}
	return answer{
		Status:  table.RawGetString("status").String(),
		Message: table.RawGetString("message").String(),
	}, nil
}

func value(state *lua.LState, from any) lua.LValue {
	switch from := from.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, item := range from {
			table.RawSetString(key, value(state, item))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, item := range from {
			table.Append(value(state, item))
		}
		return table
	case string:
		return lua.LString(from)
	case float64:
		return lua.LNumber(from)
	case bool:
		return lua.LBool(from)
	}
	return lua.LNil
}
