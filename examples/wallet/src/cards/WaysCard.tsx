import { useAddPasskey } from 'latchkey/react'
import type { User } from 'latchkey/signer'
import type { ReactNode } from 'react'
import { formatClock, formatDay } from '../format.ts'
import { Failure } from '../parts/Failure.tsx'
import { KeyIcon } from '../parts/KeyIcon.tsx'
import { addActivity, useActivity, waysKey } from '../state/activity.ts'
import { useSessionEnd } from '../state/useSessionEnd.ts'

/** How this person signed in, and the passkeys added on this device. */
export function WaysCard({ user, onAdded }: { user: User; onAdded: () => void }) {
  const left = useSessionEnd()
  const key = waysKey(user.orgId)
  const passkeys = useActivity(key)
  const { addPasskey, isAddingPasskey, error } = useAddPasskey({
    onSuccess: ([id]) => {
      addActivity(key, { id: id ?? crypto.randomUUID(), title: 'Passkey', status: 'done', at: Date.now() })
      onAdded()
    },
  })
  const isPasskey = user.credentialId !== undefined
  return (
    <section className="card ways" aria-labelledby="ways">
      <h2 id="ways">
        Ways to sign in
        <button
          type="button"
          className="button small"
          disabled={isAddingPasskey}
          aria-busy={isAddingPasskey}
          onClick={() => addPasskey()}
        >
          Add a passkey
        </button>
      </h2>
      {error && <Failure title="Add a passkey" error={error} />}
      <ul className="list">
        <Way
          icon={isPasskey ? <KeyIcon /> : '✉'}
          name={isPasskey ? 'Passkey' : (user.email ?? 'E-mail link')}
          detail={left === null ? null : `session ends in ${formatClock(left)}`}
          isActive
        />
        {passkeys.map(({ id, title, at }) => (
          <Way key={id} icon={<KeyIcon />} name={title} detail={`added ${formatDay(at)}`} />
        ))}
      </ul>
    </section>
  )
}

type WayProps = { icon: ReactNode; name: string; detail: string | null; isActive?: boolean }

function Way({ icon, name, detail, isActive = false }: WayProps) {
  return (
    <li>
      <span className="icon" aria-hidden="true">
        {icon}
      </span>
      <div>
        <span>{name}</span>
        {detail !== null && <span className="mono">{detail}</span>}
      </div>
      {isActive && <span className="pill">Active</span>}
    </li>
  )
}
