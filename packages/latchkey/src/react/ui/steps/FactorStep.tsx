import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { AuthStep, CodeEntry } from '../authStep.ts'
import { errorText } from '../errorText.ts'
import { KeyIcon, WaitIcon } from '../Icons.tsx'
import { Message, StepBar } from '../StepParts.tsx'
import { useLanguage } from '../texts/language.ts'
import { CodeForm } from './EmailVerifyStep.tsx'

type FactorStepProps = {
  step: Extract<AuthStep, { type: 'mfa' }>
  titleId: string
  onCode: (code: string) => void
  onBack: () => void
  onClose?: (() => void) | undefined
}

/** Asks for the code of the authenticator app, or for a recovery code. */
export function FactorStep({ step, titleId, onCode, onBack, onClose }: FactorStepProps) {
  const { texts } = useLanguage()
  const [isRecovery, setRecovery] = useState(false)
  const [wasRecovery, setWasRecovery] = useState(false)
  // A refusal belongs to the field whose code was sent.
  const entry = wasRecovery === isRecovery ? step : {}
  const submit = (code: string) => {
    setWasRecovery(isRecovery)
    onCode(code)
  }
  return (
    <>
      <StepBar onBack={onBack} onClose={onClose} />
      <Message icon={<KeyIcon size={30} />} title={texts.mfaTitle} titleId={titleId} hasField>
        <p>{texts.mfaBody}</p>
      </Message>
      {isRecovery ? (
        <RecoveryForm entry={entry} onCode={submit} />
      ) : (
        <CodeForm label={texts.mfaCode} length={6} entry={entry} onSubmit={submit} />
      )}
      <p className="lk-aside">
        <button type="button" className="lk-link" onClick={() => setRecovery(!isRecovery)}>
          {isRecovery ? texts.mfaUseApp : texts.mfaUseRecovery}
        </button>
      </p>
    </>
  )
}

type RecoveryFormProps = Pick<FactorStepProps, 'onCode'> & { entry: CodeEntry }

function RecoveryForm({ entry: { isChecking = false, error }, onCode }: RecoveryFormProps) {
  const language = useLanguage()
  const { texts } = language
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    if (error) setCode('')
  }, [error])
  return (
    <form
      className="lk-code"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (code.trim() && !isChecking) onCode(code)
      }}
    >
      <label htmlFor={id}>{texts.mfaRecovery}</label>
      <input
        ref={field}
        id={id}
        className="lk-input"
        type="text"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-invalid={error !== undefined && code === ''}
        aria-describedby={error && `${id}-error`}
        readOnly={isChecking}
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {error && (
        <p className="lk-hint" id={`${id}-error`} role="alert">
          {errorText(error.cause, language)}
        </p>
      )}
      <button type="submit" className="lk-button lk-button-primary" aria-disabled={isChecking}>
        {isChecking && <WaitIcon />}
        {texts.continue}
      </button>
    </form>
  )
}
