import { type FormEvent, useEffect, useId, useState } from 'react'
import type { AuthStep, CodeEntry } from '../authStep.ts'
import { errorText } from '../errorText.ts'
import { MailIcon, WaitIcon } from '../Icons.tsx'
import { ErrorBanner, Message, StepBar } from '../StepParts.tsx'
import { fillNodes, useLanguage } from '../texts/language.ts'
import { Address, OpenMail, ResendLine } from './MailParts.tsx'

type EmailVerifyStepProps = {
  step: Extract<AuthStep, { type: 'email_verify' }>
  /** Number of digits of the e-mail's code; null if the e-mail has no code. */
  codeLength: number | null
  titleId: string
  onResend: () => void
  onResendShown: () => void
  onCode: (code: string) => void
  onBack: () => void
  onClose?: (() => void) | undefined
}

export function EmailVerifyStep(props: EmailVerifyStepProps) {
  const { step, codeLength, titleId, onResend, onResendShown, onCode, onBack, onClose } = props
  const { texts } = useLanguage()
  return (
    <>
      <StepBar onBack={onBack} onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={texts.verifyTitle} titleId={titleId} hasField={codeLength !== null}>
        <p>{fillNodes(texts.verifySent, { email: <Address key="email" email={step.request.email} /> })}</p>
      </Message>
      {step.error && <ErrorBanner error={step.error.cause} />}
      <OpenMail email={step.request.email} />
      {codeLength !== null && (
        <CodeForm label={texts.codeHint} length={codeLength} entry={step.code} onSubmit={onCode} />
      )}
      <ResendLine state={step.resend} onPress={onResend} onShown={onResendShown} />
    </>
  )
}

/** Longer codes need narrower digits. */
const wideLength = 9

type CodeFormProps = {
  label: string
  length: number
  entry: CodeEntry | undefined
  onSubmit: (code: string) => void
}

/**
 * Renders the field for the digits of an e-mail or of an authenticator app. Entering the last digit submits.
 */
export function CodeForm({ label, length, entry = {}, onSubmit }: CodeFormProps) {
  const language = useLanguage()
  const id = useId()
  const [code, setCode] = useState('')
  const { isChecking = false, error } = entry

  const submit = (digits: string) => {
    if (digits.length === length && !isChecking) onSubmit(digits)
  }
  const change = (text: string) => {
    if (isChecking) return
    const digits = readDigits(text).slice(0, length)
    setCode(digits)
    if (digits !== code) submit(digits)
  }
  useEffect(() => {
    if (error) setCode('')
  }, [error])

  return (
    <form
      className="lk-code"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        submit(code)
      }}
    >
      <label htmlFor={id}>{label}</label>
      <div className="lk-code-field">
        <input
          id={id}
          className={length > wideLength ? 'lk-input lk-code-input lk-code-wide' : 'lk-input lk-code-input'}
          type="text"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          data-lk-focus=""
          aria-invalid={error !== undefined && code === ''}
          aria-describedby={error && `${id}-error`}
          // `readOnly` instead of `disabled`, so that the field keeps the focus if the code is refused.
          readOnly={isChecking}
          aria-busy={isChecking}
          value={code}
          onChange={(event) => change(event.target.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text')
            if (readDigits(pasted).length !== length) return
            // A pasted code replaces the whole input, regardless of the caret.
            event.preventDefault()
            change(pasted)
          }}
        />
        {isChecking && <WaitIcon />}
      </div>
      {error && (
        <p className="lk-hint" id={`${id}-error`} role="alert">
          {errorText(error.cause, language)}
        </p>
      )}
    </form>
  )
}

/** Returns the digits of a typed or pasted code, which may contain spaces or a dash. */
const readDigits = (text: string) => text.replace(/\D/g, '')
