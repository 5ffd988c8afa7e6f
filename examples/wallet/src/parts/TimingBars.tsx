/** Milliseconds of each stage of one operation, in order. */
export type Timings = { prepare: number; sign: number; send: number; included: number }

export function TimingBars({ timings }: { timings: Timings }) {
  const stages = Object.entries(timings)
  const total = stages.reduce((sum, [, ms]) => sum + ms, 0) || 1
  let start = 0
  return (
    <dl className="timings" aria-label="Time of the last operation">
      {stages.map(([name, ms]) => {
        const left = (start / total) * 100
        start += ms
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="track">
              <i style={{ left: `${left}%`, width: `${(ms / total) * 100}%` }} />
            </dd>
            <dd>{Math.round(ms).toLocaleString('en-US')} ms</dd>
          </div>
        )
      })}
    </dl>
  )
}
