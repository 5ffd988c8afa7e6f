import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useSession } from 'latchkey/react'
import type { Authenticator, User } from 'latchkey/signer'
import { useState } from 'react'
import { formatClock, formatDay } from '../format.ts'
import { Failure } from '../parts/Failure.tsx'
import { KeyIcon } from '../parts/Icons.tsx'
import { Outcome } from '../parts/Outcome.tsx'
import { Question } from '../parts/Question.tsx'
import { Row } from '../parts/Row.tsx'
import { readStored, store } from '../state/storage.ts'
import { useWays } from '../state/useWays.ts'
import { AddressForm } from './AddressForm.tsx'

/** Lists the user's sign-in method, passkeys and browser sessions. */
export function WaysCard({ user, onAdded }: { user: User; onAdded: () => void }) {
  const { secondsLeft } = useSession()
  const isPasskey = user.credentialId !== undefined
  const { toOutcome, listError, ...ways } = useWays(onAdded)
  const { passkeys = [], sessions = [], changing } = ways
  const [leaving, setLeaving] = useState<Authenticator | null>(null)
  const [isLeavingAll, setIsLeavingAll] = useState(false)
  const isOnlyWay = passkeys.length === 1 && user.email === undefined
  const others = sessions.filter(({ isCurrent, expiresAtMs }) => !isCurrent && expiresAtMs !== null).length
  return (
    <Card
      className="ways"
      title="Ways to sign in"
      aside={<SmallButton label="Add a passkey" isBusy={changing === 'addPasskey'} onPress={() => ways.addPasskey()} />}
    >
      <Outcome outcome={toOutcome('addPasskey')} />
      {listError && <Failure title="Could not read the list" error={listError} />}
      {user.email === undefined && passkeys.length < 2 && <SecondWay userId={user.userId} />}
      <ul className="list">
        <Row
          icon={isPasskey ? <KeyIcon /> : '✉'}
          title={isPasskey ? 'Passkey' : (user.email ?? 'E-mail link')}
          detail={secondsLeft === null ? null : `session ends in ${formatClock(secondsLeft)}`}
        >
          <span className="pill">Active</span>
        </Row>
        {isPasskey && user.email !== undefined && (
          <Row icon="✉" title={user.email} detail="mails sign you in, too">
            {null}
          </Row>
        )}
        {passkeys.map((passkey) => (
          <Row key={passkey.id} icon={<KeyIcon />} title={readName(passkey)} detail={describe(passkey)}>
            {isOnlyWay ? (
              <span className="pill">Your only way in</span>
            ) : (
              <SmallButton label="Remove" isBusy={changing === 'removePasskey'} onPress={() => setLeaving(passkey)} />
            )}
          </Row>
        ))}
        {others > 0 && (
          <Row icon="…" title={others === 1 ? '1 other session' : `${others} other sessions`} detail={null}>
            <SmallButton
              label="Sign out elsewhere"
              isBusy={changing === 'endSessions'}
              onPress={() => ways.endSessions()}
            />
          </Row>
        )}
      </ul>
      <Outcome outcome={toOutcome('removePasskey', 'endSessions')} />
      {/* Another address is another form: one that was used is closed. */}
      <AddressForm key={user.email} current={user.email} isBusy={changing === 'setEmail'} onSet={ways.setEmail} />
      <Outcome outcome={toOutcome('setEmail')} />
      {leaving && (
        <Question
          title={`Remove “${readName(leaving)}”?`}
          yes="Remove passkey"
          no="Keep it"
          onYes={() => ways.removePasskey(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          It will no longer open this account. {describeRest(user, passkeys.length - 1)}
        </Question>
      )}
      <div className="ends">
        {isPasskey && !ways.passkeys && <SmallButton label="Show all" isBusy={ways.isLoading} onPress={ways.reload} />}
        <SmallButton
          label="Sign out everywhere"
          isBusy={changing === 'signOutEverywhere'}
          onPress={() => setIsLeavingAll(true)}
        />
      </div>
      <Outcome outcome={toOutcome('signOutEverywhere')} />
      {isLeavingAll && (
        <Question
          title="Sign out everywhere?"
          yes="Sign out of all"
          no="Stay signed in"
          onYes={ways.signOutEverywhere}
          onClose={() => setIsLeavingAll(false)}
        >
          Every browser that is signed in to this account is signed out at once, this one last. Your passkeys stay.
        </Question>
      )}
    </Card>
  )
}

/** Asks a user with a single passkey for a second one, once. */
function SecondWay({ userId }: { userId: string }) {
  const key = `wallet-second-way-asked:${userId}`
  const [isAsked, setIsAsked] = useState(() => readStored(key) !== null)
  if (isAsked) return null
  const close = () => {
    store(key, 'yes')
    setIsAsked(true)
  }
  return (
    <div className="second-way" role="note">
      <p>
        <b>Only this passkey opens your account.</b> Add one of a phone or security key, or an e-mail address: then a
        lost device does not lock you out.
      </p>
      <Button look="small" onClick={close}>
        Not now
      </Button>
    </div>
  )
}

/** Returns its provider, else its given name, else its type. */
function readName({ provider, name }: Authenticator): string {
  return provider ?? (isGivenName(name) ? name : 'Passkey')
}

function describe({ provider, name, createdAtMs, lastUsedAtMs, isCurrent }: Authenticator): string {
  const added = `added ${formatDay(createdAtMs)}`
  const used = isCurrent ? 'in use now' : lastUsedAtMs !== null && `last used ${formatDay(lastUsedAtMs)}`
  const parts = [provider !== null && isGivenName(name) && name, added, used]
  return parts.filter(Boolean).join(' · ')
}

/** Excludes names generated by the signer. */
const isGivenName = (name: string) => !/^passkey-\d+$/.test(name)

/** Returns the user's other sign-in methods. */
function describeRest({ email }: User, passkeys: number): string {
  const ways = [email, passkeys === 1 && 'your other passkey', passkeys > 1 && `your ${passkeys} other passkeys`]
  return `You can still sign in with ${ways.filter(Boolean).join(' or ')}.`
}

function SmallButton({ label, isBusy, onPress }: { label: string; isBusy: boolean; onPress: () => void }) {
  return (
    <Button look="small" isBusy={isBusy} onClick={onPress}>
      {label}
    </Button>
  )
}
