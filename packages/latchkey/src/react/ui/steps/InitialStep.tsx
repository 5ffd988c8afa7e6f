import { Fragment } from 'react'
import type { EndedSession } from '../../../signer/pending.ts'
import type { AuthStep } from '../authStep.ts'
import { Mark, PasskeyIcon } from '../Icons.tsx'
import { ErrorBanner, keepFocus, PageLink, SecondaryButton, StepBar } from '../StepParts.tsx'
import { type SocialParts, supportedSections } from '../social/useSocialParts.ts'
import { fill, formatDuration, type Language, useLanguage } from '../texts/language.ts'
import type { SocialOption, UiConfig } from '../uiConfig.ts'
import { EmailForm } from './EmailForm.tsx'

type InitialStepProps = {
  step: Extract<AuthStep, { type: 'initial' }>
  uiConfig: UiConfig
  ended?: EndedSession | null | undefined
  titleId: string
  social: SocialParts
  onSocial: (option: SocialOption) => void
  onSubmit: (email: string) => void
  onPasskey: () => void
  onNewPasskey: () => void
  onClose?: (() => void) | undefined
}

/** Renders the form: sections of options with dividers, then terms and branding. */
export function InitialStep(props: InitialStepProps) {
  const { step, ended, uiConfig } = props
  const { auth = {}, termsUrl, poweredBy = true } = uiConfig
  const { titleId, social, onSocial, onSubmit, onPasskey, onNewPasskey, onClose } = props
  const language = useLanguage()
  const { texts } = language
  const isSubmitting = step.request !== undefined
  const sections = supportedSections(uiConfig)
  return (
    <>
      <StepBar
        title={auth.header ?? texts.signIn}
        isTitleHidden={auth.hideSignInText}
        titleId={titleId}
        onClose={onClose}
      />
      {auth.brand && <div className="lk-brand">{auth.brand}</div>}
      {ended && !step.error && (
        <p className="lk-aside" role="status">
          {describeEnd(ended, language)}
        </p>
      )}
      {step.error && !auth.hideError && <ErrorBanner error={step.error.cause} isForm />}
      {sections.map((section, index) => (
        // Sections have no name of their own; their order is fixed by the configuration.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Fragment key={index}>
          {index > 0 && <div className="lk-divider">{texts.or}</div>}
          {section.map((option) =>
            option.type === 'email' ? (
              <EmailForm
                key={option.type}
                option={option}
                isSubmitting={isSubmitting}
                email={step.request?.email ?? step.email}
                onSubmit={onSubmit}
              />
            ) : option.type === 'social' ? (
              <SocialSlot key={option.provider} {...{ option, social }} isDisabled={isSubmitting} onPress={onSocial} />
            ) : (
              <Fragment key={option.type}>
                <SecondaryButton isDisabled={isSubmitting} onPress={onPasskey}>
                  <PasskeyIcon />
                  {option.label ?? texts.passkey}
                </SecondaryButton>
                {/* Never busy: the button only shows another step. */}
                {/* biome-ignore lint/a11y/useSemanticElements: a step has no URL for an <a> */}
                <button
                  type="button"
                  role="link"
                  className="lk-link lk-small"
                  disabled={isSubmitting}
                  onMouseDown={keepFocus}
                  onClick={onNewPasskey}
                >
                  {texts.passkeyAccount}
                </button>
              </Fragment>
            ),
          )}
        </Fragment>
      ))}
      {termsUrl && (
        <p className="lk-terms">
          {texts.terms}
          <br />
          <PageLink href={termsUrl}>{texts.termsLink}</PageLink>
        </p>
      )}
      {poweredBy && (
        <p className="lk-powered">
          {texts.poweredBy} <Mark size={14} /> <b>Latchkey</b>
        </p>
      )}
    </>
  )
}

function describeEnd({ reason, lifeMs }: EndedSession, { texts, locale }: Language): string {
  if (reason === 'elsewhere') return texts.endedElsewhere
  return fill(texts.endedByTime, { duration: formatDuration(lifeMs, locale) })
}

type SocialSlotProps = {
  option: SocialOption
  social: SocialParts
  isDisabled: boolean
  onPress: (option: SocialOption) => void
}

/** Reserves the space of a provider button while the provider UI loads. */
function SocialSlot({ social, ...props }: SocialSlotProps) {
  if (social) return <social.SocialButton {...props} />
  return social === null ? null : <div className="lk-button lk-button-secondary" aria-busy="true" />
}
