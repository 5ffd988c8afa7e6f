import { Button } from '@latchkey/ui/Button'
import { TextField } from '@latchkey/ui/Field'
import { useState } from 'react'

type AddressFormProps = {
  /** The user's current address; undefined if none. */
  current: string | undefined
  isBusy: boolean
  onSet: (email: string) => void
}

/** Asks for an e-mail address on demand. The user confirms it by mail. */
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
        {current === undefined ? 'Add an e-mail address' : 'Change your e-mail address'}
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
        label={current === undefined ? 'E-mail address' : 'New e-mail address'}
        placeholder="you@example.com"
        value={email}
        hint={hint}
        isNext
        onChange={setEmail}
      />
      <p className="sub">
        {current === undefined
          ? 'Mails to it can sign you in, also when a passkey is lost. Confirm it in the mail that you get there.'
          : 'Confirm the change in the mail to your present address, then in the one to the new address.'}
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
