// Command promcheck reads alerting rules and PromQL expressions as Prometheus itself does. The first
// argument is a rules file; expressions come as a JSON list of strings on standard input. Every fault
// is printed on a line of its own, and any fault ends it with status 1.
package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

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
	var expressions []string
	if err := json.NewDecoder(os.Stdin).Decode(&expressions); err != nil {
		fault(err)
	}
	for _, expression := range expressions {
		if _, err := language.ParseExpr(expression); err != nil {
			fault(fmt.Errorf("%s: %w", expression, err))
		}
	}
	if faults > 0 {
		os.Exit(1)
	}
	rules := 0
	for _, group := range groups.Groups {
		rules += len(group.Rules)
	}
	fmt.Printf("%d rules and %d expressions\n", rules, len(expressions))
}
