import { normalizeEmail } from 'latchkey-protocol'
import { type FormEvent, useId, useState } from 'react'
import { ArrowIcon, WaitIcon } from '../Icons.tsx'
import { BusyButton } from '../StepParts.tsx'
import { useLanguage } from '../texts/language.ts'
import type { EmailOption } from '../uiConfig.ts'

type EmailFormProps = {
  option?: Partial<EmailOption>
  isSubmitting: boolean
  /** Whether another sign-in is in progress. */
  isPaused?: boolean | undefined
  email?: string | undefined
  /** @default 'username webauthn' */
  autoComplete?: string | undefined
  onSubmit: (email: string) => void
}

/** Renders the e-mail field. Validates it on blur, then on every change until the input is valid. */
export function EmailForm(props: EmailFormProps) {
  // With `webauthn`, the browser offers passkeys in autofill while a conditional request is pending.
  const {
    option = {},
    isSubmitting,
    isPaused = isSubmitting,
    email = '',
    autoComplete = 'username webauthn',
    onSubmit,
  } = props
  const { texts } = useLanguage()
  const hintId = useId()
  const [value, setValue] = useState(email)
  const [isChecked, setIsChecked] = useState(false)
  const isValid = normalizeEmail(value) !== undefined
  const isWrong = isChecked && !isValid
  // The button stays enabled while the field is empty, because the field has only just received the focus.
  const isBlocked = isPaused || (isWrong && value !== '')
  const buttonLabel = option.buttonLabel ?? texts.continue

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (isValid && !isPaused) onSubmit(value.trim())
  }

  return (
    <form className="lk-form" noValidate onSubmit={submit}>
      <div className="lk-field">
        <input
          className={option.hideButton ? 'lk-input lk-input-with-arrow' : 'lk-input'}
          type="email"
          name="email"
          autoComplete={autoComplete}
          aria-label={texts.email}
          placeholder={option.placeholder ?? texts.email}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? hintId : undefined}
          // `readOnly` instead of `disabled`, so that the field keeps the focus if sending the e-mail fails.
          readOnly={isPaused}
          aria-disabled={isPaused}
          data-lk-focus=""
          value={value}
          onChange={(event) => setValue(event.target.value)}
          // Marks an empty field as invalid when the focus moves within the form, but not when it moves to Close or
          // another window.
          onBlur={({ currentTarget, relatedTarget }) =>
            setIsChecked(isChecked || value !== '' || currentTarget.form?.contains(relatedTarget) === true)
          }
        />
        {option.hideButton && (
          <button
            type="submit"
            className="lk-icon-button lk-arrow"
            aria-label={buttonLabel}
            aria-busy={isSubmitting}
            disabled={isBlocked}
          >
            {isSubmitting && <WaitIcon />}
            <ArrowIcon />
          </button>
        )}
        {isWrong && (
          <p className="lk-hint" id={hintId} role="alert">
            {texts.emailInvalid}
          </p>
        )}
      </div>
      {!option.hideButton && (
        <BusyButton type="submit" isBusy={isSubmitting} disabled={isBlocked}>
          <span>{buttonLabel}</span>
        </BusyButton>
      )}
    </form>
  )
}
