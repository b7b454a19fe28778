package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// requests yields the text of one request after the other, head and body, and the status
// that its reply must have.
type requests func() (text []byte, status int)

// A result is what came out of a run.
type result struct {
	rate     float64 // requests a second
	p50, p99 time.Duration
}

// drive asks a server over so many connections for so long.
func drive(address string, connections int, duration time.Duration, next func(connection int) requests) (result, error) {
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		times []time.Duration
		first error
	)
	begin := time.Now()
	end := begin.Add(duration)
	for n := range connections {
		all.Go(func() {
			own, err := ask(address, end, next(n))
			mu.Lock()
			defer mu.Unlock()
			times = append(times, own...)
			if first == nil {
				first = err
			}
		})
	}
	all.Wait()
	took := time.Since(begin)
	if first != nil || len(times) == 0 {
		return result{}, first
	}
	slices.Sort(times)
	return result{float64(len(times)) / took.Seconds(), times[len(times)/2], times[len(times)*99/100]}, nil
}

// ask sends requests one after the other, and returns how long each took.
func ask(address string, end time.Time, next requests) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 16<<10)
	var times []time.Duration
	for time.Now().Before(end) {
		text, want := next()
		begin := time.Now()
		if _, err := conn.Write(text); err != nil {
			return nil, err
		}
		status, body, err := readReply(in)
		if err != nil {
			return nil, err
		}
		if status != want {
			return nil, fmt.Errorf("status %d, want %d: %s", status, want, body)
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}

// readReply reads as little of HTTP as the servers here speak.
func readReply(in *bufio.Reader) (status int, body []byte, err error) {
	length := 0
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case first && len(line) > 12:
			status, err = strconv.Atoi(string(line[9:12]))
		case len(line) == 0:
			body = make([]byte, length)
			_, err = io.ReadFull(in, body)
			return status, body, err
		case len(line) > 16 && bytes.EqualFold(line[:15], []byte("Content-Length:")):
			length, err = strconv.Atoi(string(bytes.TrimSpace(line[15:])))
		}
		if err != nil {
			return 0, nil, err
		}
	}
}
