import { Address } from '@latchkey/ui/Address'
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
import { useProviders } from '../state/useProviders.ts'
import { useSignInMethods } from '../state/useSignInMethods.ts'
import { AddressForm } from './AddressForm.tsx'
import { ProviderRows } from './ProviderRows.tsx'

/** Lists the user's e-mail address, passkeys, accounts at identity providers and browser sessions. */
export function SignInMethodsCard({ user, onAdded }: { user: User; onAdded: () => void }) {
  const { secondsLeft } = useSession()
  const isPasskey = user.credentialId !== undefined
  const { toOutcome, listError, ...methods } = useSignInMethods(onAdded)
  const { passkeys = [], sessions = [], changing } = methods
  const [leaving, setLeaving] = useState<Authenticator | null>(null)
  const social = useProviders()
  const { providers = [] } = social
  const isOnlyMethod = passkeys.length + providers.length === 1 && user.email === undefined
  const showAll = () => {
    methods.reload()
    social.reload()
  }
  const others = sessions.filter(({ isCurrent, expiresAtMs }) => !isCurrent && expiresAtMs !== null).length
  return (
    <Card
      className="sign-in-methods"
      title="Sign-in methods"
      aside={
        <SmallButton label="Add a passkey" isBusy={changing === 'addPasskey'} onPress={() => methods.addPasskey()} />
      }
    >
      <Outcome outcome={toOutcome('addPasskey')} />
      {listError && <Failure title="Could not read the list" error={listError} />}
      {social.listError && <Failure title="Could not read the list" error={social.listError} />}
      {user.email === undefined && passkeys.length < 2 && providers.length === 0 && <BackupHint userId={user.userId} />}
      <ul className="list">
        <Row
          icon={isPasskey ? <KeyIcon /> : '✉'}
          title={isPasskey ? 'Passkey' : (user.email ?? 'Social sign-in')}
          detail={secondsLeft === null ? null : `session ends in ${formatClock(secondsLeft)}`}
        >
          <span className="pill">Active</span>
        </Row>
        {isPasskey && user.email !== undefined && (
          <Row icon="✉" title={user.email} detail="can also sign you in">
            {null}
          </Row>
        )}
        {passkeys.map((passkey) => (
          <Row key={passkey.id} icon={<KeyIcon />} title={readName(passkey)} detail={describe(passkey)}>
            {isOnlyMethod ? (
              <span className="pill">Only sign-in method</span>
            ) : (
              <SmallButton label="Remove" isBusy={changing === 'removePasskey'} onPress={() => setLeaving(passkey)} />
            )}
          </Row>
        ))}
        <ProviderRows
          providers={providers}
          isOnlyMethod={isOnlyMethod}
          isRemoving={social.changing === 'removeProvider'}
          onRemove={social.removeProvider}
        />
        {others > 0 && (
          <Row icon="…" title={others === 1 ? '1 other session' : `${others} other sessions`} detail={null}>
            <SmallButton
              label="Sign out elsewhere"
              isBusy={changing === 'endSessions'}
              onPress={() => methods.endSessions()}
            />
          </Row>
        )}
      </ul>
      {/* Owner key, as shown in confirmation e-mails and on confirmation pages. */}
      <p className="sub owner-key">
        Owner key <Address address={user.address} />
      </p>
      <Outcome outcome={toOutcome('removePasskey', 'endSessions')} />
      <Outcome outcome={social.outcome} />
      {/* The key changes with the address, which resets and closes the form. */}
      <AddressForm key={user.email} current={user.email} isBusy={changing === 'setEmail'} onSet={methods.setEmail} />
      <Outcome outcome={toOutcome('setEmail')} />
      {leaving && (
        <Question
          title={`Remove “${readName(leaving)}”?`}
          yes="Remove passkey"
          no="Keep it"
          onYes={() => methods.removePasskey(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          You can no longer sign in with it. {describeRest(user, passkeys.length - 1, providers.length)}
        </Question>
      )}
      <div className="ends">
        {isPasskey && !methods.passkeys && (
          <SmallButton label="Show all" isBusy={methods.isLoading} onPress={showAll} />
        )}
        <SmallButton
          label="Add social sign-in"
          isBusy={social.changing === 'addProvider'}
          onPress={() => social.addProvider('dev')}
        />
        <SignOutEverywhere isBusy={changing === 'signOutEverywhere'} onYes={methods.signOutEverywhere} />
      </div>
      <Outcome outcome={toOutcome('signOutEverywhere')} />
    </Card>
  )
}

function SignOutEverywhere({ isBusy, onYes }: { isBusy: boolean; onYes: () => void }) {
  const [isAsked, setIsAsked] = useState(false)
  return (
    <>
      <SmallButton label="Sign out everywhere" isBusy={isBusy} onPress={() => setIsAsked(true)} />
      {isAsked && (
        <Question
          title="Sign out everywhere?"
          yes="Sign out everywhere"
          no="Stay signed in"
          onYes={onYes}
          onClose={() => setIsAsked(false)}
        >
          You'll be signed out in every browser, including this one. Your passkeys stay.
        </Question>
      )}
    </>
  )
}

/** Suggests a second passkey to users with only one, until they dismiss the hint. */
function BackupHint({ userId }: { userId: string }) {
  const key = `wallet-second-way-asked:${userId}`
  const [isAsked, setIsAsked] = useState(() => readStored(key) !== null)
  if (isAsked) return null
  const close = () => {
    store(key, 'yes')
    setIsAsked(true)
  }
  return (
    <div className="notice" role="note">
      <p>
        <b>This passkey is your only way to sign in.</b> Add another passkey or an email address, so that a lost device
        does not lock you out.
      </p>
      <Button look="small" onClick={close}>
        Not now
      </Button>
    </div>
  )
}

/** Returns the name of a passkey: its provider, otherwise its given name, otherwise its type. */
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
function describeRest({ email }: User, passkeys: number, providers: number): string {
  const methods = [
    email,
    passkeys === 1 && 'your other passkey',
    passkeys > 1 && `your ${passkeys} other passkeys`,
    providers > 0 && 'social sign-in',
  ]
  return `You can still use ${methods.filter(Boolean).join(' or ')}.`
}

function SmallButton({ label, isBusy, onPress }: { label: string; isBusy: boolean; onPress: () => void }) {
  return (
    <Button look="small" isBusy={isBusy} onClick={onPress}>
      {label}
    </Button>
  )
}
