package main

import (
	"net"
	"net/netip"
	"sync"
)

// A limitedListener bounds how many connections are open, in all and of one address
// (IPv6: of one /64). One more is closed at once: whoever holds many open does not keep
// others waiting, and memory is bounded. Trusted proxies have no bound of their own.
type limitedListener struct {
	net.Listener
	total, perAddress int
	proxies           []netip.Prefix
	refused           func()

	mu   sync.Mutex
	open map[netip.Addr]int
	all  int
}

func limitListener(l net.Listener, c *config, refused func()) *limitedListener {
	return &limitedListener{
		Listener: l, total: c.connections, perAddress: c.connectionsPerAddress, proxies: c.proxies,
		refused: refused, open: map[netip.Addr]int{},
	}
}

// Accept waits for the next connection that is within the bounds.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		a := l.addressOf(conn)
		if l.admit(a) {
			return &limitedConn{Conn: conn, release: func() { l.release(a) }}, nil
		}
		conn.Close()
		l.refused()
	}
}

// addressOf returns what a connection is counted by. The zero address is for those that
// have none of their own to count.
func (l *limitedListener) addressOf(conn net.Conn) netip.Addr {
	port, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	a := port.Addr().Unmap().WithZone("")
	for _, p := range l.proxies {
		if p.Contains(a) {
			return netip.Addr{}
		}
	}
	if a.Is6() {
		p, _ := a.Prefix(64)
		a = p.Addr()
	}
	return a
}

func (l *limitedListener) admit(a netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= l.total || a.IsValid() && l.open[a] >= l.perAddress {
		return false
	}
	l.all++
	l.open[a]++
	return true
}

func (l *limitedListener) release(a netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.open[a]--; l.open[a] == 0 {
		delete(l.open, a)
	}
}

type limitedConn struct {
	net.Conn
	once    sync.Once
	release func()
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}
