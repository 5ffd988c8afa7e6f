import { type ChangeEvent, type FormEvent, useId, useState } from 'react'
import type { CodeEntry } from '../authMachine.ts'
import { errorText } from '../errorText.ts'
import { texts } from '../texts.ts'

const codeLength = 6

/** The mail's code, for people whose link opens in another browser. The sixth digit submits. */
export function CodeForm({ entry, onSubmit }: { entry: CodeEntry; onSubmit: (code: string) => void }) {
  const id = useId()
  const [code, setCode] = useState('')
  const { isChecking = false, error } = entry

  const submit = (digits: string) => {
    if (digits.length === codeLength && !isChecking) onSubmit(digits)
  }
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    if (isChecking) return
    // A pasted code may come with spaces, or with a dash in the middle.
    const digits = event.target.value.replace(/\D/g, '').slice(0, codeLength)
    setCode(digits)
    if (digits !== code) submit(digits)
  }

  return (
    <form
      className="lk-code"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        submit(code)
      }}
    >
      <label htmlFor={id}>{texts.codeHint}</label>
      <input
        id={id}
        className="lk-input lk-code-input"
        type="text"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        placeholder={'0'.repeat(codeLength)}
        aria-invalid={error !== undefined}
        aria-describedby={error && `${id}-error`}
        // Not `disabled`: the field keeps the focus for when the code is refused.
        readOnly={isChecking}
        aria-busy={isChecking}
        value={code}
        onChange={change}
      />
      {error && (
        <p className="lk-hint" id={`${id}-error`} role="alert">
          {errorText(error.cause)}
        </p>
      )}
    </form>
  )
}
