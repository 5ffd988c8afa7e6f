import { type ReactNode, useId } from 'react'

type FieldProps = {
  label: ReactNode
  /** The input, select or textarea. */
  children: ReactNode
  /** Additional class names for the layout. */
  className?: string
}

export function Field({ label, children, className }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label className={className ? `field ${className}` : 'field'}>
      {label}
      {children}
    </label>
  )
}

type TextFieldProps = {
  label: string
  value: string
  placeholder?: string
  /** Text that describes the problem with the value. */
  hint?: string | null
  /** Whether to focus the field, because a click has just shown it. */
  isNext?: boolean
  onChange: (value: string) => void
}

/** Renders a labeled text input with a hint below it. */
export function TextField({ label, value, placeholder, hint = null, isNext = false, onChange }: TextFieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: see isNext
        autoFocus={isNext}
        placeholder={placeholder}
        value={value}
        aria-invalid={hint !== null}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint && (
        <p className="hint" id={`${id}-hint`} role="alert">
          {hint}
        </p>
      )}
    </div>
  )
}

/** Moves the focus to the first invalid field of a submitted form. */
export function focusWrongField(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}
