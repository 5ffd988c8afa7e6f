import { Address } from '@latchkey/ui/Address'
import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { lazy, useId, useState } from 'react'
import type { Address as AddressValue } from 'viem'
import { formatAmount } from '../amounts.ts'
import { Outcome } from '../parts/Outcome.tsx'
import { Panel } from '../parts/Panel.tsx'
import { findKind, type Holdings, type Kind, kinds } from '../state/account.ts'
import type { Outcome as Value } from '../state/useSending.ts'

const Receive = lazy(async () => ({ default: (await import('./Receive.tsx')).Receive }))

type AccountCardProps = {
  address: AddressValue
  holdings: Holdings | undefined
  isBusy: boolean
  isBlocked: boolean
  outcome: Value | null
  kind: Kind
  onKind: (kind: Kind) => void
  onMint: () => void
}

export function AccountCard({ address, holdings, isBusy, isBlocked, outcome, kind, onKind, onMint }: AccountCardProps) {
  const receiveId = useId()
  const [isReceiving, setIsReceiving] = useState(false)
  return (
    <Card className="account" title="Your account">
      <Address address={address} label="Account address" />
      <output className="balance" aria-label="DEMO balance">
        {holdings ? `${formatAmount(holdings.demo)} DEMO` : '…'}
      </output>
      <p className="sub">
        <output aria-label="ETH balance">{holdings ? `${formatAmount(holdings.eth)} ETH` : '…'}</output> · no network
        fees
      </p>
      <div className="actions">
        <Button look="primary" isBusy={isBusy} isBlocked={isBlocked} onClick={onMint}>
          Mint 100 DEMO
        </Button>
        <Button aria-expanded={isReceiving} aria-controls={receiveId} onClick={() => setIsReceiving(!isReceiving)}>
          Receive
        </Button>
      </div>
      <div id={receiveId}>
        {isReceiving && (
          <Panel className="receive">
            <Receive address={address} />
          </Panel>
        )}
      </div>
      <Outcome outcome={outcome} />
      <details className="more">
        <summary>Details</summary>
        <select
          className="select"
          aria-label="Account type"
          value={kind.name}
          disabled={isBusy || isBlocked}
          onChange={(event) => onKind(findKind(event.target.value) ?? kind)}
        >
          {kinds.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <p className="sub">{describeDeployment(holdings)}</p>
      </details>
    </Card>
  )
}

function describeDeployment(holdings: Holdings | undefined): string {
  if (!holdings) return 'Checking…'
  return holdings.isDeployed ? 'Deployed' : 'Not yet deployed. Your first operation deploys it.'
}
