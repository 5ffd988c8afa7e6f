import { Fragment } from 'react'
import type { AuthStep } from '../authMachine.ts'
import { Mark, PasskeyIcon } from '../Icons.tsx'
import { ErrorBanner, StepBar } from '../StepParts.tsx'
import { texts } from '../texts.ts'
import { type AuthUiConfig, defaultSections, type PasskeyOption } from '../uiConfig.ts'
import { EmailForm } from './EmailForm.tsx'

type InitialStepProps = {
  step: Extract<AuthStep, { type: 'initial' }>
  auth: AuthUiConfig
  termsUrl?: string | undefined
  titleId: string
  onSubmit: (email: string) => void
  onPasskey: () => void
  onNewPasskey: () => void
  onClose: () => void
}

/** The form: sections of options with a divider between them, terms and branding below. */
export function InitialStep(props: InitialStepProps) {
  const { step, auth, termsUrl, titleId, onSubmit, onPasskey, onNewPasskey, onClose } = props
  const isSubmitting = step.request !== undefined
  const sections = (auth.sections ?? defaultSections).filter((section) => section.length > 0)
  return (
    <>
      <StepBar title={auth.header ?? texts.signIn} titleId={titleId} onClose={onClose} />
      {step.error && <ErrorBanner error={step.error.cause} />}
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
            ) : (
              <Fragment key={option.type}>
                <PasskeyButton option={option} isDisabled={isSubmitting} onPress={onPasskey} />
                {/* It leads to another step and starts nothing. */}
                {/* biome-ignore lint/a11y/useSemanticElements: a step has no URL for an <a> */}
                <button
                  type="button"
                  role="link"
                  className="lk-link lk-small"
                  disabled={isSubmitting}
                  onClick={onNewPasskey}
                >
                  {texts.passkeyAccount}
                </button>
              </Fragment>
            ),
          )}
        </Fragment>
      ))}
      <p className="lk-terms">
        {texts.terms}
        <br />
        {termsUrl ? (
          <a className="lk-link" href={termsUrl} target="_blank" rel="noreferrer">
            {texts.termsLink}
          </a>
        ) : (
          texts.termsLink
        )}
      </p>
      <p className="lk-powered">
        {texts.poweredBy} <Mark size={14} /> <b>Latchkey</b>
      </p>
    </>
  )
}

type PasskeyButtonProps = { option: PasskeyOption; isDisabled: boolean; onPress: () => void }

function PasskeyButton({ option, isDisabled, onPress }: PasskeyButtonProps) {
  return (
    <button
      type="button"
      className="lk-button lk-button-secondary"
      disabled={isDisabled}
      // The field keeps the focus: leaving it may show a hint, which would move this button away under the press.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      <PasskeyIcon />
      {option.label ?? texts.passkey}
    </button>
  )
}
