import type { ReactNode } from 'react'
import type { AuthStep } from '../authMachine.ts'
import { WaitIcon } from '../Icons.tsx'
import { ErrorBanner, keepFocus, Message, StepBar } from '../StepParts.tsx'
import { fill, useLanguage } from '../texts/language.ts'
import type { SocialOption } from '../uiConfig.ts'

const names: { readonly [provider: string]: string } = {
  apple: 'Apple',
  auth0: 'Auth0',
  facebook: 'Facebook',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  linkedin: 'LinkedIn',
  microsoft: 'Microsoft',
  slack: 'Slack',
  twitch: 'Twitch',
}

const toName = ({ name, provider }: SocialOption) =>
  name ?? (Object.hasOwn(names, provider) ? names[provider] : undefined) ?? provider

/** Providers allow only their own artwork as a mark, so the initial stands for a missing one. */
function Initial({ option }: { option: SocialOption }): ReactNode {
  return (
    <span className="lk-initial" aria-hidden="true">
      {option.icon ?? [...toName(option)][0]?.toUpperCase()}
    </span>
  )
}

type SocialButtonProps = { option: SocialOption; isDisabled: boolean; onPress: (option: SocialOption) => void }

/** Renders the button of an identity provider. */
export function SocialButton({ option, isDisabled, onPress }: SocialButtonProps) {
  const { texts } = useLanguage()
  return (
    <button
      type="button"
      className="lk-button lk-button-secondary"
      disabled={isDisabled}
      onMouseDown={keepFocus}
      onClick={() => onPress(option)}
    >
      <Initial option={option} />
      <span>{fill(texts.continueWith, { name: toName(option) })}</span>
    </button>
  )
}

type SocialStepProps = {
  step: Extract<AuthStep, { type: 'social_verify' }>
  titleId: string
  /** Called to sign in again, in a new window or by leaving the page. */
  onSocial: (option: SocialOption) => void
  onBack: () => void
  onClose?: (() => void) | undefined
}

/** Waits for the provider's window. After a failure: another window, or the same page. */
export function SocialStep({ step: { option, error }, titleId, onSocial, onBack, onClose }: SocialStepProps) {
  const { texts } = useLanguage()
  const name = toName(option)
  const isLeaving = option.mode === 'redirect'
  const isWaiting = !error && !isLeaving
  return (
    <>
      <StepBar onBack={error && onBack} onClose={onClose} />
      <Message
        icon={error ? <Initial option={option} /> : <WaitIcon size={30} />}
        title={fill(isWaiting ? texts.socialTitle : texts.continueWith, { name })}
        titleId={titleId}
        isBad={error !== undefined}
      >
        {isWaiting && <p>{texts.socialBody}</p>}
      </Message>
      {error && <ErrorBanner error={error.cause} />}
      {(error || isWaiting) && (
        <button
          type="button"
          className={`lk-button lk-button-${error ? 'primary' : 'secondary'}`}
          onClick={() => onSocial(option)}
        >
          {error ? texts.retry : texts.socialAgain}
        </button>
      )}
      {error && !isLeaving && (
        <button
          type="button"
          className="lk-button lk-button-secondary"
          onClick={() => onSocial({ ...option, mode: 'redirect' })}
        >
          {texts.socialHere}
        </button>
      )}
      {!error && (
        <button type="button" className="lk-link lk-small" onClick={onBack}>
          {texts.cancel}
        </button>
      )}
    </>
  )
}
