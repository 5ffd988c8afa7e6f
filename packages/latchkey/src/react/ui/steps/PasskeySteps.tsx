import { type FormEvent, useState } from 'react'
import type { AuthStep } from '../authStep.ts'
import { PasskeyIcon } from '../Icons.tsx'
import { ErrorBanner, Message, PageLink, StepBar } from '../StepParts.tsx'
import { useLanguage } from '../texts/language.ts'

type PasskeyVerifyStepProps = {
  step: Extract<AuthStep, { type: 'passkey_verify' }>
  supportUrl?: string | undefined
  titleId: string
  onRetry: () => void
  onCreate: () => void
  onBack: () => void
  onClose?: (() => void) | undefined
}

/** Shows that the passkey prompt is open. After a failure, offers to retry or to create a passkey. */
export function PasskeyVerifyStep(props: PasskeyVerifyStepProps) {
  const { step, supportUrl, titleId, onRetry, onCreate, onBack, onClose } = props
  const { texts } = useLanguage()
  const { error, request, recovery } = step
  const isFailed = error !== undefined && error.cause !== null
  return (
    <>
      <StepBar onBack={onBack} onClose={onClose} />
      <Message icon={<PasskeyIcon size={30} />} title={texts.passkeyVerifyTitle} titleId={titleId} isBad={isFailed}>
        {!isFailed && <p>{texts.passkeyVerifyBody}</p>}
      </Message>
      {error && (
        <>
          {isFailed && <ErrorBanner error={error.cause} />}
          <button type="button" className="lk-button lk-button-primary" onClick={onRetry}>
            {texts.retry}
          </button>
          {!request.createNew && !recovery && (
            <>
              <button type="button" className="lk-button lk-button-secondary" onClick={onCreate}>
                {texts.passkeyNew}
              </button>
              <p className="lk-aside">{texts.passkeyUnknown}</p>
            </>
          )}
        </>
      )}
      <p className="lk-aside">
        {texts.trouble} <PageLink href={supportUrl}>{texts.support}</PageLink>
      </p>
    </>
  )
}

type PasskeyNewStepProps = {
  step: Extract<AuthStep, { type: 'passkey_new' }>
  titleId: string
  onCreate: (name: string) => void
  onBack: () => void
  onClose?: (() => void) | undefined
}

/** Asks for the name of a new passkey account. */
export function PasskeyNewStep({ step, titleId, onCreate, onBack, onClose }: PasskeyNewStepProps) {
  const { texts } = useLanguage()
  const [name, setName] = useState(step.name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onCreate(name.trim() || step.name)
  }
  return (
    <>
      <StepBar onBack={onBack} onClose={onClose} />
      <Message icon={<PasskeyIcon size={30} />} title={texts.passkeyAccount} titleId={titleId} hasField>
        <p>{texts.passkeyAccountBody}</p>
      </Message>
      <form className="lk-form" noValidate onSubmit={submit}>
        <input
          className="lk-input"
          type="text"
          name="passkey-name"
          autoComplete="off"
          aria-label={texts.passkeyName}
          placeholder={step.name}
          data-lk-focus=""
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="lk-button lk-button-primary">
          {texts.continue}
        </button>
      </form>
    </>
  )
}
