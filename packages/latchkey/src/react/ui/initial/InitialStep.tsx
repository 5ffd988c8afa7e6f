import { Fragment } from 'react'
import type { AuthStep } from '../authMachine.ts'
import { ErrorBanner } from '../parts/ErrorBanner.tsx'
import { Mark } from '../parts/Icons.tsx'
import { StepBar } from '../parts/StepBar.tsx'
import { texts } from '../texts.ts'
import { type AuthUiConfig, defaultSections } from '../uiConfig.ts'
import { EmailForm } from './EmailForm.tsx'

type InitialStepProps = {
  step: Extract<AuthStep, { type: 'initial' }>
  auth: AuthUiConfig
  termsUrl?: string
  titleId: string
  onSubmit: (email: string) => void
  onClose: () => void
}

/** The form: sections of options with a divider between them, terms and branding below. */
export function InitialStep({ step, auth, termsUrl, titleId, onSubmit, onClose }: InitialStepProps) {
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
          {section.map((option) => (
            <EmailForm
              key={option.type}
              option={option}
              isSubmitting={step.request !== undefined}
              email={step.request?.email ?? step.email}
              onSubmit={onSubmit}
            />
          ))}
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
