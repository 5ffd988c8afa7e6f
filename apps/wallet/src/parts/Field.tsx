import { useId } from 'react'

type FieldProps = {
  label: string
  value: string
  placeholder?: string
  hint?: string | null
  /** A press has just shown it, and the person goes on here. */
  isNext?: boolean
  onChange: (value: string) => void
}

export function Field({ label, value, placeholder, hint = null, isNext = false, onChange }: FieldProps) {
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

/** After a submit: to the first field that is wrong. */
export function focusWrongField(form: HTMLFormElement) {
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}
