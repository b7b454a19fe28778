package main

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/licet-dev/licet/activation"
	"github.com/licet-dev/licet/activation/limit"
	"github.com/licet-dev/licet/keys/receipt"
)

// never is how a lease without end is written, and none a limit that there is not.
const (
	never     = "never"
	none      = "none"
	unlimited = "unlimited"
)

// maxDuration is the longest time that a setting has: ten years or so.
const maxDuration = 3660 * 24 * time.Hour

// parseDuration reads a time such as 30d, 12h or 1h30m, in whole seconds. Days have 24
// hours; there are no months, whose lengths differ.
func parseDuration(s string) (time.Duration, error) {
	wrong := fmt.Errorf("%q: want a time of at most 3660d in whole seconds, such as 30d, 12h, 90m or 30s", s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil || n > 3660 {
			return 0, wrong
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxDuration || d%time.Second != 0 {
		return 0, wrong
	}
	return d, nil
}

// durationText is what parseDuration reads, in days where that is whole.
func durationText(d time.Duration) string {
	const day = 24 * time.Hour
	if d > 0 && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// parseRate reads a rate such as 60/1m, or none.
func parseRate(s string) (limit.Rate, error) {
	if s == none {
		return limit.Rate{}, nil
	}
	left, right, ok := strings.Cut(s, "/")
	n, err := strconv.ParseUint(left, 10, 31)
	per, perErr := parseDuration(right)
	if !ok || err != nil || perErr != nil || n == 0 || per == 0 {
		return limit.Rate{}, fmt.Errorf("%q: want a number in a time, such as 60/1m, or none", s)
	}
	return limit.Rate{N: int(n), Per: per}, nil
}

func rateText(r limit.Rate) string {
	if r.N == 0 {
		return none
	}
	return fmt.Sprintf("%d/%s", r.N, durationText(r.Per))
}

// limitNames are those of the limits, in the order in which they are shown.
var limitNames = []string{"address", "failures", "account", "device", "code", "forgeries"}

// rateOf returns the limit with a name, or nil.
func rateOf(l *activation.Limits, name string) *limit.Rate {
	switch name {
	case "address":
		return &l.Address
	case "failures":
		return &l.Failures
	case "account":
		return &l.Account
	case "device":
		return &l.Device
	case "code":
		return &l.Code
	case "forgeries":
		return &l.Forgeries
	}
	return nil
}

// entries is the name of how many counts are kept, beside those of the limits.
const entries = "entries"

// setLimit sets one limit.
func setLimit(l *activation.Limits, name, value string) error {
	if name == entries {
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil || n == 0 || n > 1<<30 {
			return fmt.Errorf("%q: want how many counts to keep, 1 to %d", value, 1<<30)
		}
		l.Entries = int(n)
		return nil
	}
	r := rateOf(l, name)
	if r == nil {
		return fmt.Errorf("there is no limit %q: want %s or %s", name, strings.Join(limitNames, ", "), entries)
	}
	var err error
	*r, err = parseRate(value)
	return err
}

// A policy is what is said of a product, or of all that nothing is said of. What is nil
// is left to the policy default, and then to that of the program.
type policy struct {
	kind      *receipt.Kind
	seats     *int64
	lease     *time.Duration // 0 is never
	grace     *time.Duration
	giveBacks *int
	hold      *bool
}

var policyMembers = []string{"kind", "seats", "lease", "grace", "give_backs", "hold"}

// set sets a member.
func (p *policy) set(name, value string) error {
	switch name {
	case "kind":
		k := receipt.Kind(value)
		if k != receipt.Device && k != receipt.Account {
			return fmt.Errorf("%q: want %s or %s", value, receipt.Device, receipt.Account)
		}
		p.kind = &k
	case "seats":
		n, err := strconv.ParseInt(value, 10, 64)
		if value == unlimited {
			n, err = activation.Unlimited, nil
		}
		if err != nil || n < 1 || n > activation.Unlimited {
			return fmt.Errorf("%q: want a number from 1 to %d, or %s", value, activation.Unlimited-1, unlimited)
		}
		p.seats = &n
	case "lease":
		d, err := parseDuration(value)
		if value == never {
			d, err = 0, nil
		} else if err == nil && d < time.Minute {
			err = fmt.Errorf("%q: want 1m or more, or %s", value, never)
		}
		if err != nil {
			return err
		}
		p.lease = &d
	case "grace":
		d, err := parseDuration(value)
		if err != nil {
			return err
		}
		p.grace = &d
	case "give_backs":
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return fmt.Errorf("%q: want how many seats of a licence may be given back in a year, 0 or more", value)
		}
		count := int(n)
		p.giveBacks = &count
	case "hold":
		b, err := parseBool(value)
		if err != nil {
			return err
		}
		p.hold = &b
	default:
		return fmt.Errorf("a policy has no member %q: want %s", name, strings.Join(policyMembers, ", "))
	}
	return nil
}

func parseBool(s string) (bool, error) {
	if s != "true" && s != "false" {
		return false, fmt.Errorf("%q: want true or false", s)
	}
	return s == "true", nil
}

// over returns the policy p with what it leaves open taken from q.
func (p policy) over(q policy) policy {
	return policy{
		kind: first(p.kind, q.kind), seats: first(p.seats, q.seats), lease: first(p.lease, q.lease),
		grace: first(p.grace, q.grace), giveBacks: first(p.giveBacks, q.giveBacks), hold: first(p.hold, q.hold),
	}
}

func first[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// standard is the policy where nothing else is said.
func standard() policy {
	return policy{
		kind: new(receipt.Device), seats: new(int64(1)), lease: new(30 * 24 * time.Hour),
		grace: new(14 * 24 * time.Hour), giveBacks: new(5), hold: new(false),
	}
}

// whole returns a policy in which nothing is open.
func (p policy) whole() activation.Policy {
	p = p.over(standard())
	return activation.Policy{
		Kind: *p.kind, Seats: *p.seats, Lease: activation.Lease{Refresh: *p.lease, Grace: *p.grace},
		GiveBacks: *p.giveBacks, Hold: *p.hold,
	}
}

func policyText(p activation.Policy) string {
	seats := strconv.FormatInt(p.Seats, 10) + " seat"
	switch p.Seats {
	case 1:
	case activation.Unlimited:
		seats = "unlimited seats"
	default:
		seats += "s"
	}
	lease := "lease " + never
	if p.Lease.Refresh > 0 {
		lease = fmt.Sprintf("lease %s, grace %s", durationText(p.Lease.Refresh), durationText(p.Lease.Grace))
	}
	back := fmt.Sprintf("%d give-backs a year", p.GiveBacks)
	if p.Hold {
		back += ", then held"
	}
	return fmt.Sprintf("%s, %s, %s, %s", p.Kind, seats, lease, back)
}

// splitPolicy takes apart a policy of a flag: 7,seats=3,lease=30d.
func splitPolicy(s string) (product string, members [][2]string, err error) {
	product, rest, ok := strings.Cut(s, ",")
	if !ok {
		return "", nil, fmt.Errorf("%q: want a product or default and members, such as 7,seats=3,lease=30d", s)
	}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return "", nil, fmt.Errorf("%q: want members such as seats=3, but found %q", s, part)
		}
		name = strings.ReplaceAll(name, "-", "_")
		if slices.ContainsFunc(members, func(m [2]string) bool { return m[0] == name }) {
			return "", nil, fmt.Errorf("%q: %s occurs twice", s, name)
		}
		members = append(members, [2]string{name, value})
	}
	return product, members, nil
}

// parsePrefix reads a network such as 10.0.0.0/8, or one address.
func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		a, addrErr := netip.ParseAddr(s)
		if addrErr != nil || a.Zone() != "" {
			return p, fmt.Errorf("%q: want an address such as 127.0.0.1, or a network such as 10.0.0.0/8", s)
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	switch {
	case p.Addr().Is4In6():
		return p, fmt.Errorf("%q: write an IPv4 network as one, such as 10.0.0.0/8", s)
	case p != p.Masked():
		return p, fmt.Errorf("%q has bits after its length: want %s", s, p.Masked())
	case p.Bits() == 0:
		return p, errors.New("a network of all addresses would let anybody say who he is: name those of your proxies")
	}
	return p, nil
}
