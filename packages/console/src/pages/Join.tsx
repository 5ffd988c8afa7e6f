import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import { useCopy } from '@latchkey/ui/useCopy'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { acceptInvitation, type Invitation, readInvitation } from '../api/signIn.ts'
import { toTime } from '../format.ts'
import { Failure } from '../parts/Notice.tsx'
import { Brand } from './SignIn.tsx'

/** Target of a `latchkey-server operators invite` link. Sends nothing to a server. */
export function Join() {
  const [invitation] = useState(() => readInvitation(location.hash))
  useEffect(() => {
    document.title = 'Invitation · Latchkey console'
  }, [])
  return (
    <main className="alone">
      <Brand />
      {!invitation ? (
        <p className="notice bad" role="alert">
          This invitation link is incomplete. Copy the whole link.
        </p>
      ) : invitation.until < Date.now() ? (
        <p className="notice bad" role="alert">
          This invitation expired on {toTime(new Date(invitation.until).toISOString())}. Ask for a new one.
        </p>
      ) : (
        <Accept invitation={invitation} />
      )}
    </main>
  )
}

function Accept({ invitation }: { invitation: Invitation }) {
  const make = useMutation({ mutationFn: () => acceptInvitation(invitation) })
  if (make.data !== undefined) return <Line line={make.data} />
  return (
    <Card title={`${invitation.name}, ${invitation.role}`}>
      <div className="inset">
        <p>Create a passkey for this console. It stays on your device; the server only stores its public key.</p>
        {make.error && <Failure error={make.error} />}
        <Button look="primary" isBusy={make.isPending} onClick={() => make.mutate()}>
          {make.isPending ? 'Waiting for your passkey…' : 'Create passkey'}
        </Button>
      </div>
    </Card>
  )
}

function Line({ line }: { line: string }) {
  const { copy, isCopied } = useCopy()
  return (
    <Card title="One more step">
      <div className="inset">
        <p role="status">
          Your passkey was created. Send this line to the person who invited you. Once they run{' '}
          <code>latchkey-server operators accept</code> with it, you can sign in. It contains no secret.
        </p>
        <Field label="Line">
          <textarea readOnly rows={6} value={line} onFocus={(event) => event.target.select()} />
        </Field>
        <Button look="primary" onClick={() => copy(line)}>
          {isCopied ? 'Copied' : 'Copy line'}
        </Button>
      </div>
    </Card>
  )
}
