import type { PendingDeletion } from '../../../signer/pending.ts'
import type { AuthStep } from '../authStep.ts'
import { KeyIcon, WarnIcon } from '../Icons.tsx'
import { BusyButton, ErrorBanner, Message, StepBar } from '../StepParts.tsx'
import { fill, formatDay, useLanguage } from '../texts/language.ts'

type AccountDeletingStepProps = {
  step: Extract<AuthStep, { type: 'account_deleting' }>
  titleId: string
  deletion?: PendingDeletion | null | undefined
  onCancel: () => void
  onBack: () => void
  onClose?: (() => void) | undefined
}

/**
 * Shows that the account is being deleted, with a button that cancels the deletion. If the sign-in has no credential of
 * the account, refers to the e-mail that explains how to cancel.
 */
export function AccountDeletingStep(props: AccountDeletingStepProps) {
  const { step, titleId, deletion, onCancel, onBack, onClose } = props
  const { texts, locale } = useLanguage()
  const { isCancelling = false, error } = step
  return (
    <>
      <StepBar onClose={onClose} onBack={onClose ? undefined : onBack} />
      <Message icon={<WarnIcon size={30} />} title={texts.deletingTitle} titleId={titleId} isBad>
        <p>{deletion ? fill(texts.deletingBody, { day: formatDay(deletion.dueAtMs, locale) }) : texts.deletingMail}</p>
      </Message>
      {error && <ErrorBanner error={error.cause} />}
      {deletion && (
        <BusyButton isBusy={isCancelling} disabled={isCancelling} onClick={onCancel}>
          <span>{texts.cancelDeletion}</span>
        </BusyButton>
      )}
      {(!deletion || error) && (
        <button type="button" className="lk-button lk-button-secondary" onClick={onBack}>
          {texts.newEmail}
        </button>
      )}
    </>
  )
}

export function AccountKeptStep({ titleId, onBack, onClose }: Omit<AccountDeletingStepProps, 'step' | 'onCancel'>) {
  const { texts } = useLanguage()
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<KeyIcon size={30} />} title={texts.keptTitle} titleId={titleId}>
        <p>{texts.keptBody}</p>
      </Message>
      <button type="button" className="lk-button lk-button-primary" onClick={onBack}>
        {texts.signIn}
      </button>
    </>
  )
}
