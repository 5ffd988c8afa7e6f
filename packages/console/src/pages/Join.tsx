import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
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
          This is not the whole link of an invitation. Copy all of it, to its last character.
        </p>
      ) : invitation.until < Date.now() ? (
        <p className="notice bad" role="alert">
          This invitation ended {toTime(new Date(invitation.until).toISOString())}. Ask for another one.
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
        <p>
          Make a passkey for this console. It stays with you; the server’s configuration gets its public half, and knows
          you by it.
        </p>
        {make.error && <Failure error={make.error} />}
        <Button look="primary" isBusy={make.isPending} onClick={() => make.mutate()}>
          {make.isPending ? 'Waiting for your passkey …' : 'Make a passkey'}
        </Button>
      </div>
    </Card>
  )
}

function Line({ line }: { line: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <Card title="One more step">
      <div className="inset">
        <p role="status">
          The passkey is made. Send this line to who invited you: they run <code>latchkey-server operators accept</code>{' '}
          with it, and you can sign in. It holds no secret.
        </p>
        <Field label="Line">
          <textarea readOnly rows={6} value={line} onFocus={(event) => event.target.select()} />
        </Field>
        <Button look="primary" onClick={() => void navigator.clipboard.writeText(line).then(() => setCopied(true))}>
          {isCopied ? 'Copied' : 'Copy the line'}
        </Button>
      </div>
    </Card>
  )
}
