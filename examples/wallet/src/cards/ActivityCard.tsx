import { type ReactNode, useEffect, useState } from 'react'
import { shortHex } from '../format.ts'
import { KeyIcon } from '../parts/Icons.tsx'
import { Outcome } from '../parts/Outcome.tsx'
import type { Activity } from '../state/activity.ts'
import type { Outcome as Value } from '../state/useOperations.ts'

const words = { pending: 'Pending', done: 'Done', failed: 'Failed' } as const

type ActivityCardProps = {
  activity: readonly Activity[]
  outcome: Value | null
  /** Ids of the entries that can be replaced now. */
  replaceable: { has(id: string): boolean } | null
  onReplace: (id: string) => void
}

export function ActivityCard({ activity, outcome, replaceable, onReplace }: ActivityCardProps) {
  return (
    <section className="card activity" aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      {activity.length === 0 ? (
        <p className="sub">Nothing yet. Your first operation will show here.</p>
      ) : (
        <ul className="list">
          {activity.map((entry) => (
            <li key={entry.id}>
              <span className="icon" aria-hidden="true">
                {icon(entry)}
              </span>
              <div>
                <span>{entry.title}</span>
                <span className="mono" title={entry.userOpHash}>
                  {detail(entry)}
                </span>
                {entry.status === 'pending' && replaceable?.has(entry.id) && (
                  <ReplaceButton onPress={() => onReplace(entry.id)} />
                )}
              </div>
              <span className={entry.status === 'done' ? 'pill' : `pill ${entry.status}`}>{words[entry.status]}</span>
            </li>
          ))}
        </ul>
      )}
      <Outcome outcome={outcome} />
    </section>
  )
}

/** How long an operation is pending before a replacement is offered, in milliseconds. */
const replaceAfterMs = 2000

function ReplaceButton({ onPress }: { onPress: () => void }) {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), replaceAfterMs)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return null
  return (
    <button type="button" className="link" onClick={onPress}>
      Replace with a higher fee
    </button>
  )
}

function icon(entry: Activity): ReactNode {
  if (entry.kind === 'passkey') return <KeyIcon />
  return entry.title.startsWith('Minted') ? '↙' : '↗'
}

function detail(entry: Activity): string {
  const parts = entry.userOpHash ? [`op ${shortHex(entry.userOpHash)}`] : []
  if (entry.block) parts.push(`block ${entry.block}`)
  if (entry.gasUsed) {
    const gas = Number(entry.gasUsed).toLocaleString('en-US')
    parts.push(entry.isSponsored ? `gas 0 paid, ${gas} sponsored` : `gas ${gas} paid`)
  }
  if (entry.note) parts.push(entry.note)
  return parts.join(' · ')
}
