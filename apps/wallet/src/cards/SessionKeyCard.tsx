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

/** Shows this tab's session key, which may send small amounts for a limited time without the owner. */
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
      title: `This tab can now send up to ${most} for an hour`,
      failed: 'Could not allow it',
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
            onClick={() => revoke('Revoked this tab’s key', [session.key])}
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
            Let this tab send up to {most} for one hour without asking you. Your account enforces the limit.
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
        <div className="notice" role="note">
          <p>
            {others.length === 1
              ? 'Another tab also has a key. It may have expired.'
              : `${others.length} other tabs also have keys. Some may have expired.`}
          </p>
          <Button look="small" isBlocked={isBlocked} onClick={() => revoke('Revoked the other tabs’ keys', others)}>
            Revoke others
          </Button>
        </div>
      )}
      {/* The form already describes an active key, so the outcome then shows only errors. */}
      <Outcome outcome={session && outcome?.error === undefined ? null : outcome} />
    </Card>
  )
}
