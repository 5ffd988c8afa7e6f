import { Button } from '@latchkey/ui/Button'
import { TextField } from '@latchkey/ui/Field'
import { useState } from 'react'

type AddressFormProps = {
  /** Current e-mail address of the user; undefined if there is none. */
  current: string | undefined
  isBusy: boolean
  onSet: (email: string) => void
}

/** Renders a button that opens a form for an e-mail address. The user confirms the address by e-mail. */
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
