// The series of the input as a storage that Prometheus' engine reads.

package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// Samples are pairs of a time in seconds and a value.
type series struct {
	Labels  map[string]string `json:"labels"`
	Samples [][2]float64      `json:"samples"`
}

type point struct {
	at    int64
	value float64
}

func (p point) T() int64                      { return p.at }
func (p point) ST() int64                     { return 0 }
func (p point) F() float64                    { return p.value }
func (p point) H() *histogram.Histogram       { return nil }
func (p point) FH() *histogram.FloatHistogram { return nil }
func (p point) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (p point) Copy() chunks.Sample           { return p }

type found struct {
	series []storage.Series
	next   int
}

func (f *found) Next() bool                        { f.next++; return f.next <= len(f.series) }
func (f *found) At() storage.Series                { return f.series[f.next-1] }
func (f *found) Err() error                        { return nil }
func (f *found) Warnings() annotations.Annotations { return nil }

func stored(all []series) storage.Queryable {
	choose := func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		out := &found{}
		for _, one := range all {
			own := labels.FromMap(one.Labels)
			fits := !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(own.Get(m.Name)) })
			if !fits {
				continue
			}
			var samples []chunks.Sample
			for _, sample := range one.Samples {
				samples = append(samples, point{int64(sample[0] * 1000), sample[1]})
			}
			out.series = append(out.series, storage.NewListSeries(own, samples))
		}
		slices.SortFunc(out.series, func(a, b storage.Series) int { return cmp.Compare(a.Labels().String(), b.Labels().String()) })
		return out
	}
	return &queryable{choose}
}

type queryable struct {
	choose func(bool, *storage.SelectHints, ...*labels.Matcher) storage.SeriesSet
}

func (q *queryable) Querier(int64, int64) (storage.Querier, error) {
	return &querier{storage.NoopQuerier(), q.choose}, nil
}

type querier struct {
	storage.Querier
	choose func(bool, *storage.SelectHints, ...*labels.Matcher) storage.SeriesSet
}

func (q *querier) Select(_ context.Context, sort bool, hints *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	return q.choose(sort, hints, matchers...)
}
