package main

import "github.com/spf13/cobra"

func newRevokeRenew(a *app) *cobra.Command {
	f := listFlags{always: true}
	cmd := &cobra.Command{
		Use:   "renew",
		Short: "Issue the list anew before it is due, with the states of all keys",
		Long: `Issue the revocation list anew: with the next sequence number, the time of now, a new
due time, and the states that keys have in the ring since licet key close or
withdraw. What is revoked stays the same. Where there is no list yet, it is one that
revokes nothing.

A list that was signed with a list key which is withdrawn now is signed anew with
another.

A state of a key that the list has and the ring no longer has stays in the list,
unless --restore says that the ring is right.

With --sequence the list gets a number higher than the next: for when programs have
seen a higher one, signed by the thief of a list key, or by a home whose latest lists
are lost. A program that has seen a number refuses all lower ones, and no number is
higher than 9007199254740991, so go no higher than you must.`,
		Example: "  licet revoke renew\n  licet revoke renew --due 2027-07-01\n  licet revoke renew --sequence 1000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.reviseList(cmd.Context(), f, func(r *revision) error {
				if f.restore {
					for _, k := range r.home.Ring.Keys() {
						delete(r.draft.KeyStates, k.ID())
					}
				}
				return nil
			})
		},
	}
	f.add(a, cmd)
	cmd.Flags().Var(&f.sequence, "sequence", "number of the list, higher than that of the list at hand (default: the next)")
	f.addRestore(cmd, "take back states of keys that the ring does not have")
	return cmd
}
