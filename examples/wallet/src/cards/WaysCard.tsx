import { useAddPasskey, useSigner } from 'latchkey/react'
import type { User } from 'latchkey/signer'
import { type ReactNode, useEffect, useState } from 'react'
import { formatClock, formatDay } from '../format.ts'
import { Failure } from '../parts/Failure.tsx'
import { KeyIcon } from '../parts/Icons.tsx'
import { useAccess } from '../state/useAccess.ts'

/** How the user signed in, their passkeys, and the browsers they are signed in with. */
export function WaysCard({ user, onAdded }: { user: User; onAdded: () => void }) {
  const left = useSessionEnd()
  const isPasskey = user.credentialId !== undefined
  // In a passkey session the query prompts: wait until the user asks for it.
  const [isAsked, setIsAsked] = useState(!isPasskey)
  const access = useAccess(isAsked)
  const { addPasskey, isAddingPasskey, error } = useAddPasskey({
    onSuccess: () => {
      onAdded()
      if (isAsked) access.refetch()
    },
  })
  const { passkeys = [], sessions = [] } = access.data ?? {}
  const others = sessions.filter(({ isCurrent, expiresAtMs }) => !isCurrent && expiresAtMs !== null).length
  const failure = error ?? access.error ?? access.remove.error ?? access.signOutElsewhere.error
  return (
    <section className="card ways" aria-labelledby="ways">
      <h2 id="ways">
        Ways to sign in
        <SmallButton label="Add a passkey" isBusy={isAddingPasskey} onPress={() => addPasskey()} />
      </h2>
      {failure && <Failure title="Ways to sign in" error={failure} />}
      <ul className="list">
        <Way
          icon={isPasskey ? <KeyIcon /> : '✉'}
          name={isPasskey ? 'Passkey' : (user.email ?? 'E-mail link')}
          detail={left === null ? null : `session ends in ${formatClock(left)}`}
        >
          <span className="pill">Active</span>
        </Way>
        {passkeys.map(({ id, createdAtMs }) => (
          <Way key={id} icon={<KeyIcon />} name="Passkey" detail={`added ${formatDay(createdAtMs)}`}>
            <SmallButton label="Remove" isBusy={access.remove.isPending} onPress={() => access.remove.mutate(id)} />
          </Way>
        ))}
        {others > 0 && (
          <Way icon="…" name={others === 1 ? '1 other session' : `${others} other sessions`} detail={null}>
            <SmallButton
              label="Sign out elsewhere"
              isBusy={access.signOutElsewhere.isPending}
              onPress={() => access.signOutElsewhere.mutate()}
            />
          </Way>
        )}
      </ul>
      {!isAsked && <SmallButton label="Show all" isBusy={false} onPress={() => setIsAsked(true)} />}
    </section>
  )
}

function SmallButton({ label, isBusy, onPress }: { label: string; isBusy: boolean; onPress: () => void }) {
  return (
    <button type="button" className="button small" disabled={isBusy} aria-busy={isBusy} onClick={onPress}>
      {label}
    </button>
  )
}

type WayProps = { icon: ReactNode; name: string; detail: string | null; children: ReactNode }

function Way({ icon, name, detail, children }: WayProps) {
  return (
    <li>
      <span className="icon" aria-hidden="true">
        {icon}
      </span>
      <div>
        <span>{name}</span>
        {detail !== null && <span className="mono">{detail}</span>}
      </div>
      {children}
    </li>
  )
}

/** Milliseconds until the session ends, updated every second; null when there is none. */
function useSessionEnd(): number | null {
  const signer = useSigner()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const end = signer?.expiresAt ?? null
  return end === null ? null : end - now
}
