package home

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Confirm asks on the terminal of the process whether to go on, and reports whether
// the answer is yes, the whole word. Without a terminal the error is [ErrNoTerminal].
func Confirm(ctx context.Context, question string) (bool, error) {
	in, out, err := openTerminal()
	if err != nil {
		return false, err
	}
	defer in.Close()
	defer out.Close()
	fmt.Fprintf(out, "%s Type yes to go on: ", question)
	type reply struct {
		line string
		err  error
	}
	done := make(chan reply, 1)
	go func() { // left behind when a signal comes first, as the program ends then
		line, err := bufio.NewReader(in).ReadString('\n')
		done <- reply{line, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			fmt.Fprintln(out) // no newline was typed
		}
		if r.err != nil && !errors.Is(r.err, io.EOF) {
			return false, fmt.Errorf("failed to read from the terminal: %w", r.err)
		}
		return r.err == nil && strings.TrimSpace(r.line) == "yes", nil
	case <-ctx.Done():
		fmt.Fprintln(out)
		return false, ErrInterrupted
	}
}
