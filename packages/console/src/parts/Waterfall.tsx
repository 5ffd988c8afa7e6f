import type { AdminOperation } from 'latchkey-protocol/admin'
import { toDuration } from '../format.ts'

type Step = AdminOperation['timeline'][number]

/** Shows an operation's steps by duration, from its first state to the last. */
export function Waterfall({ timeline }: { timeline: readonly Step[] }) {
  const spans = toSpans(timeline)
  const total = spans.reduce((sum, { ms }) => sum + ms, 0)
  const words = spans.map(({ name, ms }) => `${name} ${toDuration(ms)}`).join(', ')
  if (spans.length === 0) return <span className="quiet">–</span>
  return (
    <svg className="waterfall" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={words}>
      <title>{words}</title>
      {spans.map(({ name, ms, begin }) => (
        <rect
          key={name}
          className={`span-${name}`}
          x={total > 0 ? (begin / total) * 100 : 0}
          width={total > 0 ? Math.max((ms / total) * 100, 1) : 100}
          height="6"
        />
      ))}
    </svg>
  )
}

/** `name`: the state that ends a span. Later confirmations are left out. */
export function toSpans(timeline: readonly Step[]): { name: string; ms: number; begin: number }[] {
  const steps = timeline.filter(({ state }) => state !== 'confirmed')
  const first = steps[0]
  if (!first) return []
  return steps.slice(1).map(({ state, at }, index) => {
    const before = Date.parse(steps[index]?.at ?? first.at)
    return { name: state, ms: Math.max(Date.parse(at) - before, 0), begin: before - Date.parse(first.at) }
  })
}
