package api

import (
	"net/http"
	"net/netip"
	"strings"
)

// addresses returns the address of the peer, and the one that a request is counted
// for: the peer, or whom trusted proxies say they speak for. It is the first one from
// the right that is no trusted proxy, for everything to the left of it is the word of a
// stranger. When what a proxy says can't be read, it is the peer.
func (h *handler) addresses(r *http.Request) (peer, client netip.Addr) {
	if port, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		peer = port.Addr().Unmap().WithZone("")
	}
	client = peer
	if !h.isProxy(peer) {
		return peer, client
	}
	fields := r.Header["X-Forwarded-For"]
	for i := len(fields) - 1; i >= 0; i-- {
		rest, more := fields[i], true
		for more {
			var last string
			if comma := strings.LastIndexByte(rest, ','); comma >= 0 {
				rest, last = rest[:comma], rest[comma+1:]
			} else {
				last, more = rest, false
			}
			a, err := netip.ParseAddr(strings.Trim(last, " \t"))
			if err != nil || a.Zone() != "" {
				return peer, peer
			}
			client = a.Unmap()
			if !h.isProxy(client) {
				return peer, client
			}
		}
	}
	return peer, client
}

func (h *handler) isProxy(a netip.Addr) bool {
	for _, p := range h.TrustedProxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
