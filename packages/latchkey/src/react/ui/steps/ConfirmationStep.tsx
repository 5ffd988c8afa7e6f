import { useCallback, useState } from 'react'
import type { PendingConfirmation } from '../../../signer/pending.ts'
import { MailIcon } from '../Icons.tsx'
import { ErrorBanner, Message, StepBar } from '../StepParts.tsx'
import { fill, fillNodes, formatTime, useLanguage } from '../texts/language.ts'
import { Address, OpenMail, ResendLine } from './MailParts.tsx'

type ConfirmationStepProps = {
  confirmation: PendingConfirmation
  titleId: string
  /** Whether the pending request is optional. The button is then labeled Skip instead of Cancel. */
  isSkippable: boolean
  onCancel: () => void
  onBack?: (() => void) | undefined
  onClose?: (() => void) | undefined
}

/** Shows that the sign-in waits until the user confirms a device key, a passkey or an e-mail address by e-mail. */
export function ConfirmationStep(props: ConfirmationStepProps) {
  const { confirmation, titleId, isSkippable, onCancel, onBack, onClose } = props
  const { texts, locale } = useLanguage()
  const { expiresAtMs, to } = confirmation
  const { state, error, resend, rest } = useResend(confirmation)
  return (
    <>
      <StepBar onBack={onBack} onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={texts.confirmTitle} titleId={titleId}>
        {to !== undefined && <p>{fillNodes(texts.confirmSent, { email: <Address key="email" email={to} /> })}</p>}
        <p>{fill(texts.confirmBody, { time: formatTime(expiresAtMs, locale) })}</p>
      </Message>
      {error !== undefined && <ErrorBanner error={error} />}
      {to !== undefined && <OpenMail email={to} />}
      <button type="button" className="lk-button lk-button-secondary" onClick={onCancel}>
        {isSkippable ? texts.skip : texts.cancel}
      </button>
      <ResendLine state={state} onPress={resend} onShown={rest} />
    </>
  )
}

function useResend({ resend }: PendingConfirmation) {
  const [state, setState] = useState<'sending' | 'done'>()
  const [error, setError] = useState<unknown>()
  return {
    state,
    error,
    rest: useCallback(() => setState(undefined), []),
    async resend() {
      setState('sending')
      setError(undefined)
      try {
        await resend()
        setState('done')
      } catch (cause) {
        console.error(cause)
        setError(cause)
        setState(undefined)
      }
    },
  }
}
