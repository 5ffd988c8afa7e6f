import { Button } from '@latchkey/ui/Button'
import { TextField } from '@latchkey/ui/Field'
import { useState } from 'react'

type AddressFormProps = {
  /** The user's current address; undefined if none. */
  current: string | undefined
  isBusy: boolean
  onSet: (email: string) => void
}

/** Asks for an email address on demand. The user confirms it by email. */
export function AddressForm({ current, isBusy, onSet }: AddressFormProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [email, setEmail] = useState('')
  const [hint, setHint] = useState<string | null>(null)
  const submit = () => {
    const isValid = /^\S+@\S+\.\S+$/.test(email.trim())
    setHint(isValid ? null : 'Must provide a valid email.')
    if (isValid) onSet(email.trim())
  }
  if (!isOpen)
    return (
      <Button look="small" onClick={() => setIsOpen(true)}>
        {current === undefined ? 'Add an email address' : 'Change your email address'}
      </Button>
    )
  return (
    <form
      className="address-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) submit()
      }}
    >
      <TextField
        label={current === undefined ? 'Email address' : 'New email address'}
        placeholder="you@example.com"
        value={email}
        hint={hint}
        isNext
        onChange={setEmail}
      />
      <p className="sub">
        {current === undefined
          ? 'You can then sign in by email, even without your passkey. We will email you to confirm it.'
          : 'Confirm the change in the email to your current address, then in the one to your new address.'}
      </p>
      <div className="buttons">
        <Button look="small" type="submit" isBusy={isBusy}>
          {current === undefined ? 'Add address' : 'Change address'}
        </Button>
        <Button look="small" onClick={() => setIsOpen(false)}>
          Close
        </Button>
      </div>
    </form>
  )
}
