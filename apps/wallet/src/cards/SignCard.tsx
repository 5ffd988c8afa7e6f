import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { TextField } from '@latchkey/ui/Field'
import { useState } from 'react'
import { Failure } from '../parts/Failure.tsx'
import type { Client } from '../state/useSending.ts'
import { type SignatureKind, type Signed, useSignature } from '../state/useSignature.ts'

export function SignCard({ client }: { client: Client | undefined }) {
  const [text, setText] = useState('')
  const { mutate, reset, data, error, isPending } = useSignature(client)
  const isBlocked = !client || text === ''
  const sign = (kind: SignatureKind) => mutate({ kind, text })
  const change = (value: string) => {
    setText(value)
    reset()
  }

  return (
    <Card className="sign" title="Sign a message">
      <form onSubmit={(event) => event.preventDefault()}>
        <TextField label="Message" value={text} onChange={change} placeholder="Hello" />
        <div className="actions">
          <Button type="submit" isBlocked={isBlocked} isBusy={isPending} onClick={() => sign('message')}>
            Sign message
          </Button>
          <Button isBlocked={isBlocked} isBusy={isPending} onClick={() => sign('typed data')}>
            Sign as typed data
          </Button>
        </div>
      </form>
      {error && <Failure title="Could not sign" error={error} />}
      {data && <Result signed={data} />}
    </Card>
  )
}

function Result({ signed }: { signed: Signed }) {
  const { signature, isValid, isDeployed } = signed
  return (
    <div className="signed">
      <output className={isValid ? 'verdict' : 'verdict bad'} aria-label="Verification">
        {isValid
          ? `Valid. Checked on chain, ${isDeployed ? 'by the account (ERC-1271)' : 'before deployment (ERC-6492)'}.`
          : 'Not valid: the chain refuses this signature.'}
      </output>
      <output className="signature" aria-label="Signature">
        {signature}
      </output>
    </div>
  )
}
