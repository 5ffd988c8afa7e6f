import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { TextField } from '@latchkey/ui/Field'
import { useAuthMethods } from 'latchkey/react'
import { useState } from 'react'
import { getErrorCode } from '../format.ts'
import { Failure } from '../parts/Failure.tsx'
import { Question } from '../parts/Question.tsx'
import { clearNotes } from '../state/activity.ts'

const word = 'DELETE'

/** Deletes the account. Its assets remain on the chain, so the user must export the key first. */
export function DeleteCard() {
  const { deleteAccount, changing, error } = useAuthMethods({ isEnabled: false, onSuccess: clearNotes })
  const [isOpen, setIsOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [hint, setHint] = useState<string | null>(null)
  const [isAsking, setIsAsking] = useState(false)
  const isBusy = changing === 'deleteAccount'
  const submit = () => {
    const isMeant = typed.trim().toUpperCase() === word
    setHint(isMeant ? null : `Type ${word} to continue.`)
    setIsAsking(isMeant)
  }
  return (
    <Card
      className="delete"
      title="Delete my account"
      aside={
        !isOpen && (
          <Button look="small" isBusy={isBusy} onClick={() => setIsOpen(true)}>
            Delete…
          </Button>
        )
      }
    >
      <p className="sub">
        This deletes your keys, sign-in methods and personal data. Anything left in your account will be out of reach:
        send it elsewhere or export your wallet first.
      </p>
      {error && !isBusy && getErrorCode(error) !== 'ABORTED' && (
        <Failure title="Could not delete the account" error={error} />
      )}
      {isOpen && (
        <form
          className="address-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (!isBusy) submit()
          }}
        >
          <TextField label={`Type ${word}`} value={typed} hint={hint} isNext onChange={setTyped} />
          <div className="buttons">
            <Button look="small" type="submit" isBusy={isBusy}>
              Delete my account
            </Button>
            <Button look="small" onClick={() => setIsOpen(false)}>
              Keep it
            </Button>
          </div>
        </form>
      )}
      {isAsking && (
        <Question
          title="Delete your account?"
          yes="Delete it"
          no="Keep it"
          onYes={() => deleteAccount()}
          onClose={() => setIsAsking(false)}
        >
          We'll email you to confirm, then sign you out. For seven days you can undo it by signing in or with the link
          in that email.
        </Question>
      )}
    </Card>
  )
}
