import { useEffect, useState } from 'react'
import type { Address } from 'viem'
import { formatAmount } from '../format.ts'
import { Button } from '../parts/Button.tsx'
import { Outcome } from '../parts/Outcome.tsx'
import { findKind, type Holdings, type Kind, kinds } from '../state/account.ts'
import type { Outcome as Value } from '../state/useOperations.ts'

type AccountCardProps = {
  address: Address
  holdings: Holdings | undefined
  isBusy: boolean
  isBlocked: boolean
  outcome: Value | null
  kind: Kind
  onKind: (kind: Kind) => void
  onMint: () => void
}

export function AccountCard({ address, holdings, isBusy, isBlocked, outcome, kind, onKind, onMint }: AccountCardProps) {
  return (
    <section className="card" aria-labelledby="account">
      <h2 id="account">
        Smart account
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
      </h2>
      <output className="address" aria-label="Account address" title={address}>
        <span>{address}</span>
      </output>
      <p className="sub">{describeDeployment(holdings)}</p>
      <output className="balance" aria-label="DEMO balance">
        {holdings ? `${formatAmount(holdings.demo)} DEMO` : '…'}
      </output>
      <p className="sub">
        <output aria-label="ETH balance">{holdings ? `${formatAmount(holdings.eth)} ETH` : '…'}</output> · operations
        are sponsored
      </p>
      <div className="actions">
        <Button look="primary" isBusy={isBusy} isBlocked={isBlocked} onPress={onMint}>
          Mint 100 DEMO
        </Button>
        <CopyButton text={address} />
      </div>
      <Outcome outcome={outcome} />
    </section>
  )
}

function describeDeployment(holdings: Holdings | undefined): string {
  if (!holdings) return 'Asking the chain…'
  return holdings.isDeployed ? 'Deployed' : 'Not yet deployed, your first operation deploys it'
}

/** How long the result of a press stays, in milliseconds. */
const copiedMs = 2000

function CopyButton({ text }: { text: string }) {
  const [result, setResult] = useState<string | null>(null)

  useEffect(() => {
    if (result === null) return
    const timer = setTimeout(() => setResult(null), copiedMs)
    return () => clearTimeout(timer)
  }, [result])

  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult('Copied'),
      () => setResult('Not allowed by the browser'),
    )

  return (
    <button type="button" className="button" aria-live="polite" onClick={copy}>
      {result ?? 'Copy address'}
    </button>
  )
}
