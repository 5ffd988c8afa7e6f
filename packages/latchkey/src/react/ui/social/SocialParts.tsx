import type { ReactNode } from 'react'
import { EmailNeededError } from '../../../signer/errors/EmailNeededError.ts'
import type { AuthStep } from '../authStep.ts'
import { MailIcon, WaitIcon } from '../Icons.tsx'
import { BusyButton, ErrorBanner, Message, SecondaryButton, StepBar } from '../StepParts.tsx'
import { EmailForm } from '../steps/EmailForm.tsx'
import { Address } from '../steps/MailParts.tsx'
import { fill, fillNodes, useLanguage } from '../texts/language.ts'
import type { SocialOption } from '../uiConfig.ts'
import type { AuthFlow } from '../useAuthFlow.ts'

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

/** Renders an initial if there is no icon: providers allow only their own artwork. */
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
    <SecondaryButton isDisabled={isDisabled} onPress={() => onPress(option)}>
      <Initial option={option} />
      <span>{fill(texts.continueWith, { name: toName(option) })}</span>
    </SecondaryButton>
  )
}

type SocialStepProps = {
  step: Extract<AuthStep, { type: 'social_verify' }>
  titleId: string
  /** Called to sign in again, in a new window or with a redirect. */
  onSocial: (option: SocialOption) => void
  /** Called to prove the e-mail address by signing in by e-mail. */
  onLink: (option: SocialOption, email: string) => void
  onBack: () => void
  onClose?: (() => void) | undefined
}

/** Waits for the provider's window. After a failure, offers another window or a redirect. */
export function SocialStep(props: SocialStepProps) {
  const { step, titleId, onSocial, onBack, onClose } = props
  const { option, error } = step
  const { texts } = useLanguage()
  if (error?.cause instanceof EmailNeededError) return <LinkStep {...props} email={error.cause.email} />
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

/** Asks the user to sign in by e-mail first, because the provider does not prove the e-mail address. */
function LinkStep({ step: { option }, email, titleId, onLink, onBack, onClose }: LinkStepProps) {
  const { texts } = useLanguage()
  return (
    <>
      <StepBar onBack={onBack} onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={texts.socialLinkTitle} titleId={titleId} hasField={!email}>
        {email && <p>{fillNodes(texts.socialLinkBody, { email: <Address key="email" email={email} /> })}</p>}
        <p>{fill(texts.socialLinkThen, { name: toName(option) })}</p>
      </Message>
      {email ? (
        <button type="button" className="lk-button lk-button-primary" onClick={() => onLink(option, email)}>
          {texts.continue}
        </button>
      ) : (
        <EmailForm autoComplete="email" isSubmitting={false} onSubmit={(typed) => onLink(option, typed)} />
      )}
    </>
  )
}

type LinkStepProps = SocialStepProps & { email: string | undefined }

type SocialAddStepProps = {
  step: Extract<AuthStep, { type: 'social_add' }>
  flow: Pick<AuthFlow, 'addSocial' | 'skip'>
  titleId: string
  onClose?: (() => void) | undefined
}

/** Offers to add the provider to the account after the sign-in by e-mail. */
export function SocialAddStep({ step: { option, isAdding, error }, flow, titleId, onClose }: SocialAddStepProps) {
  const { texts } = useLanguage()
  const isBusy = isAdding === true
  return (
    <>
      <StepBar onClose={onClose} />
      <Message
        icon={<Initial option={option} />}
        title={fill(texts.socialAddTitle, { name: toName(option) })}
        titleId={titleId}
      >
        <p>{texts.socialAddBody}</p>
      </Message>
      {error && <ErrorBanner error={error.cause} />}
      <BusyButton isBusy={isBusy} disabled={isBusy} onClick={() => flow.addSocial(option)}>
        <span>{texts.continue}</span>
      </BusyButton>
      <SecondaryButton onPress={flow.skip}>{texts.skip}</SecondaryButton>
    </>
  )
}
