import { Button } from '@latchkey/ui/Button'
import { BaseError, type RotationProgress } from 'latchkey/accounts'
import { type useOwners, useSigner } from 'latchkey/react'
import { useState } from 'react'
import { createWebAuthnCredential, toWebAuthnAccount } from 'viem/account-abstraction'
import { Failure } from '../parts/Failure.tsx'

type BackupKeyProps = { owners: useOwners.ReturnType; isBlocked: boolean }

const containerId = 'paper-key'

/** Adds a passkey or a paper key as an owner on every network, and verifies on each that it works. */
export function BackupKey({ owners, isBlocked }: BackupKeyProps) {
  const { chains = [], rotate, rotateAsync, isRotating, plan, dismissPlan, progress, error } = owners
  const signer = useSigner()
  const [failure, setFailure] = useState<Error | null>(null)
  const [writing, setWriting] = useState<AbortController | null>(null)
  const isPaused = plan !== null && !isRotating
  const isDone = progress.length > 0 && !isRotating && !plan && !error

  const begin = (act: () => Promise<unknown>) => {
    setFailure(null)
    act().catch((cause: unknown) => setFailure(cause instanceof Error ? cause : new TypeError(String(cause))))
  }
  const addPasskey = async () => {
    // Otherwise the device would keep a passkey that owns nothing.
    if (!navigator.onLine) throw new BaseError('You are offline. Nothing was sent.', { code: 'NETWORK_UNREACHABLE' })
    const credential = await createWebAuthnCredential({
      name: 'Latchkey backup key',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    await rotateAsync({ to: toWebAuthnAccount({ credential }), keep: 'all' })
  }
  const addPaperKey = async () => {
    const writing = new AbortController()
    setWriting(writing)
    try {
      const key = await signer?.createPaperKey({ iframeContainerId: containerId, signal: writing.signal })
      if (key) await rotateAsync({ to: key.owner, keep: 'all' }).finally(key.close)
    } catch (cause) {
      if (!writing.signal.aborted) throw cause
    } finally {
      setWriting(null)
    }
  }

  return (
    <section className="backup" aria-label="Backup key">
      <p className="sub" role="status">
        {isRotating && 'Adding your key. Keep this open, or come back later: nothing is lost.'}
        {isPaused && 'Your passkey is not on every network yet. Your other keys still work.'}
        {isDone && 'Your new key works. Any one of these keys can use the account.'}
        {!isRotating && !isPaused && !isDone && 'A second key still opens your account if the first is lost.'}
      </p>
      {(isRotating || isDone) &&
        chains.map(({ chainId, name }) => <Steps key={chainId} {...{ chainId, name, progress }} />)}
      <div id={containerId} hidden={writing === null} />
      <div className="actions">
        {isPaused && (
          <>
            <Button look="small" isBlocked={isBlocked} onClick={() => rotate({})}>
              Continue
            </Button>
            <Button look="small" onClick={dismissPlan}>
              Stop here
            </Button>
          </>
        )}
        {!isPaused && writing && !isRotating && (
          <Button look="small" onClick={() => writing.abort()}>
            Cancel
          </Button>
        )}
        {!isPaused && !(writing && !isRotating) && (
          <>
            <Button look="small" isBusy={isRotating} isBlocked={isBlocked} onClick={() => begin(addPasskey)}>
              Add a passkey
            </Button>
            <Button look="small" isBlocked={isBlocked || isRotating} onClick={() => begin(addPaperKey)}>
              Add a paper key
            </Button>
          </>
        )}
      </div>
      {failure && !isPaused && !isRotating && <Failure title="The key was not added" error={failure} />}
      {error && isPaused && <Failure title="The passkey is not ready yet" error={error} />}
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
