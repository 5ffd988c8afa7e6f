import { Button } from '@latchkey/ui/Button'
import type { RotationProgress } from 'latchkey/accounts'
import type { useOwners } from 'latchkey/react'
import { useState } from 'react'
import { createWebAuthnCredential, toWebAuthnAccount } from 'viem/account-abstraction'
import { Failure } from '../parts/Failure.tsx'

type BackupKeyProps = { owners: useOwners.ReturnType; isBlocked: boolean }

/** Adds a passkey as an owner on every network, and lets it prove there that it works. */
export function BackupKey({ owners, isBlocked }: BackupKeyProps) {
  const { chains = [], rotate, isRotating, plan, dismissPlan, progress, error } = owners
  const [failure, setFailure] = useState<Error | null>(null)
  const isPaused = plan !== null && !isRotating
  const isDone = progress.length > 0 && !isRotating && !plan && !error

  const begin = async () => {
    setFailure(null)
    try {
      const credential = await createWebAuthnCredential({
        name: 'Latchkey backup key',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      rotate({ to: toWebAuthnAccount({ credential }), keep: 'all' })
    } catch (cause) {
      setFailure(cause instanceof Error ? cause : new TypeError(String(cause)))
    }
  }

  return (
    <section className="backup" aria-label="Backup key">
      <p className="sub" role="status">
        {isRotating && 'Adding your passkey. Keep this open, or come back later: nothing is lost.'}
        {isPaused && 'Your passkey is not on every network yet. Your other keys still work.'}
        {isDone && 'Your passkey works. Any one of these keys can use the account.'}
        {!isRotating && !isPaused && !isDone && 'A second key still opens your account if the first is lost.'}
      </p>
      {(isRotating || isDone) &&
        chains.map(({ chainId, name }) => <Steps key={chainId} {...{ chainId, name, progress }} />)}
      <div className="actions">
        {isPaused ? (
          <>
            <Button look="small" isBlocked={isBlocked} onClick={() => rotate({})}>
              Continue
            </Button>
            <Button look="small" onClick={dismissPlan}>
              Stop here
            </Button>
          </>
        ) : (
          <Button look="small" isBusy={isRotating} isBlocked={isBlocked} onClick={begin}>
            Add a passkey
          </Button>
        )}
      </div>
      {failure && <Failure title="The passkey was not created" error={failure} />}
      {error && !isRotating && isPaused && <Failure title="The passkey is not ready yet" error={error} />}
    </section>
  )
}

const steps = [
  { step: 'add', name: 'Add' },
  { step: 'prove', name: 'Prove' },
] as const

type StepsProps = { chainId: number; name: string; progress: readonly RotationProgress[] }

function Steps({ chainId, name, progress }: StepsProps) {
  const stateOf = (step: RotationProgress['step']) =>
    progress.find((one) => one.chainId === chainId && one.step === step)?.state
  return (
    <div className="plan">
      <p>{name}</p>
      <ol>
        {steps.map(({ step, name }) => {
          const state = stateOf(step)
          return (
            <li key={step} className={state} aria-current={state === 'pending' ? 'step' : undefined}>
              {name}
            </li>
          )
        })}
      </ol>
    </div>
  )
}
