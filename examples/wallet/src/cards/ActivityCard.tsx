import { shortHex } from '../format.ts'
import type { Activity } from '../state/activity.ts'

const words = { pending: 'Pending', done: 'Done', failed: 'Failed' } as const

export function ActivityCard({ activity }: { activity: readonly Activity[] }) {
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
                {entry.title.startsWith('Minted') ? '↙' : '↗'}
              </span>
              <div>
                <span>{entry.title}</span>
                <span className="mono" title={entry.userOpHash}>
                  {detail(entry)}
                </span>
              </div>
              <span className={entry.status === 'done' ? 'pill' : `pill ${entry.status}`}>{words[entry.status]}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function detail(entry: Activity): string {
  const parts = [entry.userOpHash ? `op ${shortHex(entry.userOpHash)}` : 'not sent']
  if (entry.block) parts.push(`block ${entry.block}`)
  if (entry.gasUsed) {
    const gas = Number(entry.gasUsed).toLocaleString('en-US')
    parts.push(entry.isSponsored ? `gas 0 paid, ${gas} sponsored` : `gas ${gas} paid`)
  }
  if (entry.note) parts.push(entry.note)
  return parts.join(' · ')
}
