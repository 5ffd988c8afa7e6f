import { Button } from '@latchkey/ui/Button'
import { focusWrongField, TextField } from '@latchkey/ui/Field'
import { encodeExecuteWithSessionKey } from 'latchkey/accounts'
import { type FormEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { formatAmount } from '../amounts.ts'
import { formatTime } from '../format.ts'
import { Outcome } from '../parts/Outcome.tsx'
import { sendOperation } from '../state/demoToken.ts'
import { explainRefusal } from '../state/explainRefusal.ts'
import { readLines } from '../state/recipients.ts'
import { useChange } from '../state/useChange.ts'
import {
  limit,
  type SessionKey,
  type SessionPlace,
  sendWithSessionKey,
  useSessionClient,
} from '../state/useSessionKey.ts'
import { Preview } from './Preview.tsx'

/**
 * Sends with the session key. Warns before signing if the key lacks permission, because the account would refuse the
 * operation.
 */
export function SessionKeyForm({ place, session }: { place: SessionPlace; session: SessionKey }) {
  const { key, left, validUntil, isOver } = session
  const client = useSessionClient(place, key)
  const { change, isChanging, outcome } = useChange()
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const { hints, recipients } = readLines([{ id: 0, to, amount }], undefined)
  const { demo } = place.config.addresses
  const operation = recipients && sendOperation(demo, recipients)
  const total = recipients?.[0]?.amount ?? 0n
  const refusal = isOver
    ? `this key expired at ${formatTime(validUntil * 1000)}.`
    : total > left
      ? `this key can only send ${formatAmount(left)} DEMO more.`
      : null

  const send = () =>
    client &&
    operation &&
    change({
      title: operation.title,
      failed: operation.failed,
      send: () => sendWithSessionKey(client, operation.calls, key),
    })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Renders the hints immediately, because `focusWrongField` looks for the `aria-invalid` attributes.
    flushSync(() => setIsChecked(true))
    if (!recipients) focusWrongField(event.currentTarget)
    else if (!refusal && !isChanging) send()
  }

  return (
    <form onSubmit={submit} noValidate>
      <p className="sub" role="status" aria-label="Limits of the key">
        {isOver
          ? `It expired at ${formatTime(validUntil * 1000)}. Revoke it, then allow a new one.`
          : `${formatAmount(left)} of ${formatAmount(limit)} DEMO left, until ${formatTime(validUntil * 1000)}.`}
      </p>
      <TextField label="Send to" value={to} placeholder="0x…" hint={isChecked ? hints[0]?.to : null} onChange={setTo} />
      <TextField
        label="Send amount"
        value={amount}
        placeholder="3 DEMO"
        hint={isChecked ? hints[0]?.amount : null}
        onChange={setAmount}
      />
      <Preview
        title="Preview with the key"
        client={client}
        uo={operation && encodeExecuteWithSessionKey({ args: [operation.calls, key] })}
        account={place.account}
        refusal={operation && refusal}
      />
      <Button
        type="submit"
        look="wide"
        isBusy={isChanging}
        isBlocked={!client || (operation !== null && refusal !== null)}
      >
        Send with the key
      </Button>
      {operation && refusal && (
        <button type="button" className="link anyway" disabled={isChanging} onClick={send}>
          Send anyway
        </button>
      )}
      <Outcome outcome={outcome} explain={explainRefusal} />
    </form>
  )
}
