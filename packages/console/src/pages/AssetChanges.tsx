import { Card } from '@latchkey/ui/Card'
import type { AdminAssetChange } from 'latchkey-protocol/admin'
import { shorten, toEther } from '../format.ts'
import { Hex } from '../parts/Figures.tsx'

export declare namespace AssetChanges {
  type Props = { title: string; changes: readonly AdminAssetChange[]; note: string }
}

export function AssetChanges({ title, changes, note }: AssetChanges.Props) {
  return (
    <Card title={title}>
      <ul className="rows">
        {changes.map((change, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same.
          <li key={index} className="inset">
            <p>
              <b>{change.kind === 'transfer' ? 'Transfer' : 'Approval'}</b> of {toAmount(change)}
              {change.contract && (
                <>
                  {' '}
                  of <Hex value={change.contract} short={shorten(change.contract)} />
                </>
              )}{' '}
              from <Hex value={change.from} short={shorten(change.from)} /> to{' '}
              <Hex value={change.to} short={shorten(change.to)} />
            </p>
          </li>
        ))}
      </ul>
      <p className="quiet inset">{note}</p>
    </Card>
  )
}

/** Larger approvals count as unlimited. */
const unlimited = 2n ** 255n

function toAmount({ kind, standard, amount, tokenId }: AdminAssetChange): string {
  if (standard === 'native') return toEther(BigInt(amount ?? 0))
  const piece = tokenId === null ? '' : `token #${tokenId}`
  if (amount === null) return piece === '' ? `all tokens (${standard})` : `${piece} (${standard})`
  if (kind === 'approval' && amount === '0') return `0, revoked (${standard})`
  if (kind === 'approval' && BigInt(amount) >= unlimited) return `unlimited (${standard})`
  const unit = standard === 'ERC-20 or ERC-721' ? 'units, or the token with that ID' : 'units'
  return `${amount} ${unit}${piece && ` of ${piece}`} (${standard})`
}
