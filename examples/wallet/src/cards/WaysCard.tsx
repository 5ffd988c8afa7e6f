import { useAuthMethods, useAuthModal, useSession } from 'latchkey/react'
import type { User } from 'latchkey/signer'
import type { ReactNode } from 'react'
import { formatClock, formatDay } from '../format.ts'
import { Button } from '../parts/Button.tsx'
import { Failure } from '../parts/Failure.tsx'
import { KeyIcon } from '../parts/Icons.tsx'

/** How the user signed in, their passkeys, and the browsers they are signed in with. */
export function WaysCard({ user, onAdded }: { user: User; onAdded: () => void }) {
  const { secondsLeft } = useSession()
  const isPasskey = user.credentialId !== undefined
  // After a sign-up the dialog may be adding a passkey.
  const { isOpen } = useAuthModal()
  const ways = useAuthMethods({
    isEnabled: isOpen ? false : undefined,
    onSuccess: (_, { type }) => type === 'addPasskey' && onAdded(),
  })
  const { passkeys = [], sessions = [], changing, error } = ways
  const others = sessions.filter(({ isCurrent, expiresAtMs }) => !isCurrent && expiresAtMs !== null).length
  return (
    <section className="card ways" aria-labelledby="ways">
      <h2 id="ways">
        Ways to sign in
        <SmallButton label="Add a passkey" isBusy={changing === 'addPasskey'} onPress={() => ways.addPasskey()} />
      </h2>
      {error && <Failure title="Could not do that" error={error} />}
      <ul className="list">
        <Way
          icon={isPasskey ? <KeyIcon /> : '✉'}
          name={isPasskey ? 'Passkey' : (user.email ?? 'E-mail link')}
          detail={secondsLeft === null ? null : `session ends in ${formatClock(secondsLeft)}`}
        >
          <span className="pill">Active</span>
        </Way>
        {passkeys.map(({ id, createdAtMs }) => (
          <Way key={id} icon={<KeyIcon />} name="Passkey" detail={`added ${formatDay(createdAtMs)}`}>
            <SmallButton label="Remove" isBusy={changing === 'removePasskey'} onPress={() => ways.removePasskey(id)} />
          </Way>
        ))}
        {others > 0 && (
          <Way icon="…" name={others === 1 ? '1 other session' : `${others} other sessions`} detail={null}>
            <SmallButton
              label="Sign out elsewhere"
              isBusy={changing === 'endSessions'}
              onPress={() => ways.endSessions()}
            />
          </Way>
        )}
      </ul>
      {isPasskey && !ways.passkeys && <SmallButton label="Show all" isBusy={ways.isLoading} onPress={ways.reload} />}
    </section>
  )
}

function SmallButton({ label, isBusy, onPress }: { label: string; isBusy: boolean; onPress: () => void }) {
  return (
    <Button look="small" isBusy={isBusy} onPress={onPress}>
      {label}
    </Button>
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
