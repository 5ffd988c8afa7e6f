import type { MouseEvent } from 'react'
import { KeyIcon, PasskeyIcon, WaitIcon } from '../Icons.tsx'
import type { RecoveryStep } from '../offers.ts'
import { ErrorBanner, Message, StepBar } from '../StepParts.tsx'
import { useLanguage } from '../texts/language.ts'
import type { EmailOption } from '../uiConfig.ts'
import { EmailForm } from './EmailForm.tsx'

type RecoveryCreateStepProps = {
  step: RecoveryStep
  titleId: string
  onEmail: (email: string) => void
  onPasskey: () => void
  onSkip: () => void
  onClose?: (() => void) | undefined
}

const option: EmailOption = { type: 'email' }

/** After a sign-up by passkey: asks for an address or another passkey, which a lost device does not take along. */
export function RecoveryCreateStep(props: RecoveryCreateStepProps) {
  const { step, titleId, onEmail, onPasskey, onSkip, onClose } = props
  const { texts } = useLanguage()
  const { adding, email, error } = step
  const isBusy = adding !== undefined
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<KeyIcon size={30} />} title={texts.recoveryTitle} titleId={titleId} hasField>
        <p>{texts.recoveryBody}</p>
      </Message>
      {error && <ErrorBanner error={error.cause} />}
      <EmailForm
        option={option}
        autoComplete="email"
        isSubmitting={adding === 'email'}
        isPaused={isBusy}
        email={email}
        onSubmit={onEmail}
      />
      <button
        type="button"
        className="lk-button lk-button-secondary"
        aria-busy={adding === 'passkey'}
        disabled={isBusy}
        // The field keeps the focus: leaving it may show a hint, which would move this button away under the press.
        onMouseDown={keepFocus}
        onClick={onPasskey}
      >
        {adding === 'passkey' && <WaitIcon />}
        <PasskeyIcon />
        {texts.recoveryPasskey}
      </button>
      <button
        type="button"
        className="lk-button lk-button-secondary"
        disabled={isBusy}
        onMouseDown={keepFocus}
        onClick={onSkip}
      >
        {texts.skip}
      </button>
    </>
  )
}

const keepFocus = (event: MouseEvent) => event.preventDefault()
