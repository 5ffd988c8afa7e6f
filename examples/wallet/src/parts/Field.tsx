import { useId } from 'react'

type FieldProps = {
  label: string
  value: string
  placeholder?: string
  hint?: string | null
  onChange: (value: string) => void
}

export function Field({ label, value, placeholder, hint = null, onChange }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
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
