// Load measures an activation endpoint beside an empty handler, in one process and in
// turns, over loopback connections that stay open. The clients share the processors
// with the server.
//
//	go run ./activation/internal/load
//	go run ./activation/internal/load -postgres "host=/tmp user=licet dbname=licet"
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/activation/internal/slow"
)

func main() {
	connections := flag.Int("connections", 64, "how many `clients` ask at once")
	duration := flag.Duration("duration", 6*time.Second, "how long each run takes")
	rounds := flag.Int("rounds", 3, "how often each run is repeated; the median counts")
	dir := flag.String("dir", "", "`folder` of the SQLite files (default: a temporary one)")
	postgres := flag.String("postgres", "", "measure a PostgreSQL database too: its `URL`")
	only := flag.String("only", "", "measure only the empty handler and what has `TEXT` in its name")
	flag.Parse()
	if err := run(*connections, *duration, *rounds, *dir, *postgres, *only); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(connections int, duration time.Duration, rounds int, dir, postgres, only string) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "licet-load")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	sync, err := syncTime(dir)
	if err != nil {
		return err
	}
	fmt.Printf("fsync of 4 KiB: %s (median)\n\n%-22s %10s %8s %10s %10s\n", sync, "", "requests/s", "of empty", "p50", "p99")
	e, err := newEndpoint()
	if err != nil {
		return err
	}
	type subject struct {
		name  string
		slow  time.Duration
		serve func() (*server, error)
		paths func(connection int) requests
	}
	file := 0
	subjects := []subject{
		{"empty", 0, serveEmpty, e.previews},
		{"preview", 0, e.serveNone, e.previews},
		{"forged", 0, e.serveNone, e.forgeries},
		{"activate, none", 0, e.serveNone, e.activations},
		{"activate, sqlite", 0, func() (*server, error) { file++; return e.serveSQLite(filepath.Join(dir, fmt.Sprint(file, ".db"))) }, e.activations},
		{"activate, sqlite +2 ms", 2 * time.Millisecond, func() (*server, error) { file++; return e.serveSQLite(filepath.Join(dir, fmt.Sprint(file, ".db"))) }, e.activations},
	}
	if postgres != "" {
		subjects = append(subjects, subject{"activate, postgres", 0, func() (*server, error) { return e.servePostgres(postgres) }, e.activations})
	}
	subjects = slices.DeleteFunc(subjects, func(s subject) bool { return s.name != "empty" && !strings.Contains(s.name, only) })
	results := make([][]result, len(subjects))
	for range rounds {
		for i, s := range subjects {
			slow.Commit = s.slow
			srv, err := s.serve()
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			r, err := drive(srv.address, connections, duration, s.paths)
			if err := srv.close(); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			results[i] = append(results[i], r)
		}
	}
	var empty float64
	for i, s := range subjects {
		r := median(results[i])
		if i == 0 {
			empty = r.rate
		}
		fmt.Printf("%-22s %10.0f %8.2f %10s %10s\n", s.name, r.rate, r.rate/empty, r.p50.Round(10*time.Microsecond), r.p99.Round(10*time.Microsecond))
	}
	return nil
}

// median returns the result with the median rate.
func median(results []result) result {
	slices.SortFunc(results, func(a, b result) int { return int(a.rate - b.rate) })
	return results[len(results)/2]
}

// syncTime returns how long the disk takes to sync a page that was written.
func syncTime(dir string) (time.Duration, error) {
	f, err := os.CreateTemp(dir, "sync")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var times []time.Duration
	for range 200 {
		begin := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
