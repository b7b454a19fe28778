package client

import (
	"context"
	"time"
)

// Quick makes a client that does not wait, and returns the pauses that it would have
// made, without jitter.
func (c *Client) Quick() *[]time.Duration {
	var pauses []time.Duration
	c.sleep = func(ctx context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return ctx.Err()
	}
	c.random = func(n time.Duration) time.Duration { return n }
	return &pauses
}

// Random is the jitter.
var Random = random
