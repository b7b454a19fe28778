package activation_test

import (
	"context"

	"github.com/licet-dev/licet/activation"
)

// scripted is a ledger that fails as it is told; where it is told nothing it is None.
type scripted struct {
	activation.None
	claim   func(context.Context, activation.Claim) (activation.Seat, activation.Outcome, error)
	renew   func(context.Context, activation.Renewal) (activation.Seat, error)
	release func(context.Context, activation.GiveBack) (activation.Seat, error)
}

func (s scripted) Claim(ctx context.Context, c activation.Claim) (activation.Seat, activation.Outcome, error) {
	if s.claim == nil {
		return s.None.Claim(ctx, c)
	}
	return s.claim(ctx, c)
}

func (s scripted) Renew(ctx context.Context, r activation.Renewal) (activation.Seat, error) {
	if s.renew == nil {
		return s.None.Renew(ctx, r)
	}
	return s.renew(ctx, r)
}

func (s scripted) Release(ctx context.Context, g activation.GiveBack) (activation.Seat, error) {
	if s.release == nil {
		return s.None.Release(ctx, g)
	}
	return s.release(ctx, g)
}
