import { useSimulation } from 'latchkey/react'
import { formatAmount } from '../amounts.ts'
import { toSentence } from '../format.ts'
import { useOnline } from '../parts/useOnline.ts'

type Parameters = useSimulation.Parameters
type PreviewProps = {
  title?: string
  client: Parameters['client']
  uo: Parameters['uo'] | null
  account: string
  /** Reason why the operation would be refused, if the page already knows it. */
  refusal?: string | null
}

/** Simulates an operation and shows its changes before the user signs. */
export function Preview({ title = 'Preview', client, uo, account, refusal = null }: PreviewProps) {
  const { changes, error: problem, isSimulating: isAsking } = useSimulation({ client, uo: uo ?? undefined })
  const isOnline = useOnline()
  return (
    <section className="preview" aria-label={title} aria-busy={isAsking} aria-live="polite">
      <div className="row quiet">
        <span>{title}</span>
        <span>{isAsking ? 'checking…' : changes && 'checked just now'}</span>
      </div>
      {refusal ? (
        <p className="hint">This would fail: {refusal}</p>
      ) : problem && !isOnline ? (
        <p className="quiet">The preview appears once you’re back online.</p>
      ) : problem ? (
        <p className="hint">
          {changes ? 'This would fail: ' : 'No preview: '}
          {toSentence(problem)}
        </p>
      ) : (
        sumChanges(changes ?? [], account).map(({ symbol, text, isOut }) => (
          <div className="row" key={symbol}>
            <span>{symbol}</span>
            <span className={isOut ? 'out' : 'in'}>{text}</span>
          </div>
        ))
      )}
      {uo && !refusal && !problem && (
        <div className="row">
          <span>Network fee</span>
          <span className="in">Free</span>
        </div>
      )}
      {!uo && <p className="quiet">Enter a recipient and an amount.</p>}
    </section>
  )
}

type Changes = NonNullable<useSimulation.ReturnType['changes']>

/** Returns one line per asset with the account's gain or loss. */
function sumChanges(changes: Changes, account: string) {
  const own = account.toLowerCase()
  const sums = new Map<string, { amount: bigint; decimals: number }>()
  for (const { changeType, symbol, rawAmount, decimals, from, to } of changes) {
    if (changeType !== 'TRANSFER') continue
    const amount = BigInt(rawAmount ?? 0)
    const before = sums.get(symbol)?.amount ?? 0n
    const gained = to.toLowerCase() === own ? amount : 0n
    const lost = from.toLowerCase() === own ? amount : 0n
    sums.set(symbol, { amount: before + gained - lost, decimals })
  }
  return [...sums]
    .filter(([, { amount }]) => amount !== 0n)
    .map(([symbol, { amount, decimals }]) => {
      const isOut = amount < 0n
      return { symbol, isOut, text: `${isOut ? '−' : '+'} ${formatAmount(isOut ? -amount : amount, decimals)}` }
    })
}
