import { useUser } from 'latchkey/react'
import { formatClock } from '../format.ts'
import { useSessionEnd } from '../state/useSessionEnd.ts'

export function SessionCard() {
  const user = useUser()
  const left = useSessionEnd()
  return (
    <section className="card session" aria-labelledby="session">
      <h2 id="session">Signed in by</h2>
      <ul className="list">
        <li>
          <span className="icon" aria-hidden="true">
            ✉
          </span>
          <div>
            <span>{user?.email ?? 'E-mail link'}</span>
            {left !== null && <span className="mono">session ends in {formatClock(left)}</span>}
          </div>
          <span className="pill">Active</span>
        </li>
      </ul>
    </section>
  )
}
