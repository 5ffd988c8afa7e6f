import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useBundlerClient } from 'latchkey/react'
import type { Address } from 'viem'
import { formatAmount } from '../amounts.ts'
import type { WalletConfig } from '../config.ts'
import { toSentence } from '../format.ts'
import { Outcome } from '../parts/Outcome.tsx'
import { useChange } from '../state/useChange.ts'
import type { Client } from '../state/useSending.ts'
import { grantSessionKey, limit, revokeSessionKeys, useSessionKeys } from '../state/useSessionKey.ts'
import { SessionKeyForm } from './SessionKeyForm.tsx'

type SessionKeyCardProps = {
  config: WalletConfig
  client: Client | undefined
  account: Address
  isDeployed: boolean
}

/** Shows a key of this tab that may send small amounts for a limited time without the owner. */
export function SessionKeyCard({ config, client, account, isDeployed }: SessionKeyCardProps) {
  const reader = useBundlerClient()
  const place = { config, account, isDeployed }
  const { data, error } = useSessionKeys(place)
  const { session = null, others = [] } = data ?? {}
  const { change, isChanging, outcome } = useChange()
  const isBlocked = !client || !data || isChanging
  const most = `${formatAmount(limit)} DEMO`

  const grant = () =>
    client &&
    change({
      title: `The key of this tab may send ${most} for an hour`,
      failed: 'Could not allow the key',
      send: () => grantSessionKey(client, reader, place),
    })
  const revoke = (title: string, keys: readonly Address[]) =>
    client && change({ title, failed: 'Could not revoke it', send: () => revokeSessionKeys(client, keys) })

  return (
    <Card
      className="session-key"
      title="Session key"
      aside={
        session && (
          <Button
            look="small"
            isBusy={isChanging}
            isBlocked={isBlocked}
            onClick={() => revoke('The key of this tab is revoked', [session.key])}
          >
            Revoke
          </Button>
        )
      }
    >
      {session ? (
        <SessionKeyForm {...{ place, session }} />
      ) : (
        <>
          <p className="sub">
            A key of this tab that sends up to {most} within an hour, and does nothing else. The account itself sees to
            that: you need not sign again, and a thief of the key gets no more.
          </p>
          <div className="actions">
            <Button isBusy={isChanging} isBlocked={isBlocked} onClick={grant}>
              Allow {most} for an hour
            </Button>
          </div>
        </>
      )}
      {error && <p className="sub">{toSentence(error)}</p>}
      {others.length > 0 && (
        <div className="second-way" role="note">
          <p>
            {others.length === 1 ? 'A key of another tab is' : `${others.length} keys of other tabs are`} allowed, too,
            also if its time is over.
          </p>
          <Button look="small" isBlocked={isBlocked} onClick={() => revoke('Keys of other tabs are revoked', others)}>
            Revoke others
          </Button>
        </div>
      )}
      {/* The form describes what the key may do. */}
      <Outcome outcome={session && outcome?.error === undefined ? null : outcome} />
    </Card>
  )
}
