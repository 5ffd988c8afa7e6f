import { type FormEvent, useId, useState } from 'react'
import { type Address, getAddress, isAddress } from 'viem'
import { parseAmount } from '../format.ts'
import { TimingBars, type Timings } from '../parts/TimingBars.tsx'

type SendCardProps = {
  balance: bigint | undefined
  isBusy: boolean
  timings: Timings | null
  /** Resolves to whether the operation was included. */
  onSend: (to: Address, amount: bigint) => Promise<boolean>
}

export function SendCard({ balance, isBusy, timings, onSend }: SendCardProps) {
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const parsed = parseAmount(amount)
  const recipient = isAddress(to.trim()) ? getAddress(to.trim()) : null
  const toHint = recipient ? null : 'Must be an address: 0x and 40 hex digits.'
  const amountHint = amountProblem(parsed, balance)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (isBusy || recipient === null || parsed === null || amountHint !== null) return
    if (!(await onSend(recipient, parsed))) return
    setAmount('')
    setIsChecked(false)
  }

  return (
    <section className="card" aria-labelledby="send">
      <h2 id="send">Send</h2>
      <form onSubmit={submit} noValidate>
        <Field label="To" value={to} onChange={setTo} placeholder="0x…" hint={isChecked ? toHint : null} />
        <Field
          label="Amount"
          value={amount}
          onChange={setAmount}
          placeholder="5 DEMO"
          hint={isChecked ? amountHint : null}
        />
        <dl className="fee">
          <dt>Network fee</dt>
          <dd>Sponsored</dd>
        </dl>
        <button type="submit" className="button primary wide" disabled={isBusy} aria-busy={isBusy}>
          Sign and send
        </button>
      </form>
      {timings && <TimingBars timings={timings} />}
    </section>
  )
}

function amountProblem(amount: bigint | null, balance: bigint | undefined): string | null {
  if (amount === null) return 'Must be a number, such as 5 or 0.5.'
  if (amount === 0n) return 'Must be more than zero.'
  if (balance !== undefined && amount > balance) return 'More than the account holds.'
  return null
}

type FieldProps = {
  label: string
  value: string
  placeholder: string
  hint: string | null
  onChange: (value: string) => void
}

function Field({ label, value, placeholder, hint, onChange }: FieldProps) {
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
