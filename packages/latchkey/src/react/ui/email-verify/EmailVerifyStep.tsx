import { useEffect } from 'react'
import type { AuthStep } from '../authMachine.ts'
import { MailIcon } from '../parts/Icons.tsx'
import { Message } from '../parts/Message.tsx'
import { StepBar } from '../parts/StepBar.tsx'
import { texts } from '../texts.ts'
import { CodeForm } from './CodeForm.tsx'

/** How long the answer to Resend stays, in milliseconds. */
const resentMs = 2000

type EmailVerifyStepProps = {
  step: Extract<AuthStep, { type: 'email_verify' }>
  titleId: string
  onResend: () => void
  onResendShown: () => void
  onCode: (code: string) => void
  onBack: () => void
  onClose: () => void
}

export function EmailVerifyStep(props: EmailVerifyStepProps) {
  const { step, titleId, onResend, onResendShown, onCode, onBack, onClose } = props
  useEffect(() => {
    if (step.resend !== 'done') return
    const timer = setTimeout(onResendShown, resentMs)
    return () => clearTimeout(timer)
  }, [step.resend, onResendShown])

  return (
    <>
      <StepBar onBack={onBack} onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={texts.verifyTitle} titleId={titleId}>
        <p>
          {texts.verifySent} <b>{step.request.email}</b>. {texts.verifyFollow}
        </p>
      </Message>
      {step.code && <CodeForm entry={step.code} onSubmit={onCode} />}
      <p className="lk-aside" aria-live="polite">
        {texts.notReceived} {/* Not `disabled`: the button keeps the focus while it answers. */}
        <button
          type="button"
          className={step.resend === 'done' ? 'lk-link lk-done' : 'lk-link'}
          aria-disabled={step.resend !== undefined}
          aria-busy={step.resend === 'sending'}
          onClick={() => {
            if (step.resend === undefined) onResend()
          }}
        >
          {step.resend === 'done' ? texts.resent : texts.resend}
        </button>
      </p>
    </>
  )
}
