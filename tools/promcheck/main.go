// Command promcheck reads alerting rules and PromQL expressions as Prometheus itself does, and evaluates them. The first argument is
// a rules file; standard input is a JSON object with "expressions" and, to evaluate, "series" and the time "at" in seconds. Every
// fault is printed on a line of its own, and any fault ends it with status 1. Otherwise it prints what it read, or with series, as
// JSON, the alerts that are active and the labels of each expression's result.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/template"
)

type input struct {
	Expressions []string `json:"expressions"`
	Series      []series `json:"series"`
	At          int64    `json:"at"`
}

type alert struct {
	Alert   string            `json:"alert"`
	Labels  map[string]string `json:"labels"`
	Summary string            `json:"summary"`
}

type output struct {
	Alerts  []alert               `json:"alerts"`
	Results [][]map[string]string `json:"results"`
}

func main() {
	faults := 0
	fault := func(err error) {
		fmt.Println(err)
		faults++
	}
	language := parser.NewParser(parser.Options{})
	groups, errs := rulefmt.ParseFile(os.Args[1], false, model.UTF8Validation, language, slog.New(slog.DiscardHandler))
	for _, err := range errs {
		fault(err)
	}
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fault(err)
	}
	for _, expression := range in.Expressions {
		if _, err := language.ParseExpr(expression); err != nil {
			fault(fmt.Errorf("%s: %w", expression, err))
		}
	}
	if faults > 0 {
		os.Exit(1)
	}
	if in.Series == nil {
		rules := 0
		for _, group := range groups.Groups {
			rules += len(group.Rules)
		}
		fmt.Printf("%d rules and %d expressions\n", rules, len(in.Expressions))
		return
	}
	out, err := evaluated(groups, in)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(out)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func evaluated(groups *rulefmt.RuleGroups, in input) (output, error) {
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1_000_000, Timeout: time.Minute})
	at := time.Unix(in.At, 0)
	ask := func(expression string) (promql.Vector, error) {
		query, err := engine.NewInstantQuery(context.Background(), stored(in.Series), nil, expression, at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", expression, err)
		}
		defer query.Close()
		vector, err := query.Exec(context.Background()).Vector()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", expression, err)
		}
		return vector, nil
	}
	var out output
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			vector, err := ask(rule.Expr)
			if err != nil {
				return out, err
			}
			for _, sample := range vector {
				labels := sample.Metric.Map()
				data := template.AlertTemplateData(labels, nil, "", sample)
				text := "{{$labels := .Labels}}{{$value := .Value}}" + rule.Annotations["summary"]
				expander := template.NewTemplateExpander(context.Background(), text, rule.Alert, data, model.TimeFromUnix(in.At), nil, nil, nil)
				summary, err := expander.Expand()
				if err != nil {
					return out, fmt.Errorf("%s: %w", rule.Alert, err)
				}
				out.Alerts = append(out.Alerts, alert{rule.Alert, labels, summary})
			}
		}
	}
	for _, expression := range in.Expressions {
		vector, err := ask(expression)
		if err != nil {
			return out, err
		}
		found := []map[string]string{}
		for _, sample := range vector {
			found = append(found, sample.Metric.Map())
		}
		out.Results = append(out.Results, found)
	}
	return out, nil
}
