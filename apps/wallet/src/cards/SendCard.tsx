import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { focusWrongField, TextField } from '@latchkey/ui/Field'
import { type FormEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Address } from 'viem'
import { Outcome } from '../parts/Outcome.tsx'
import { sendOperation } from '../state/demoToken.ts'
import { type Line, type Recipient, readLines } from '../state/recipients.ts'
import type { Client, Timings, Outcome as Value } from '../state/useSending.ts'
import { Preview } from './Preview.tsx'

/** Maximum number of recipients. More calls could exceed the gas of a block. */
const maxLines = 10

type SendCardProps = {
  client: Client | undefined
  account: Address
  demo: Address
  balance: bigint | undefined
  isBusy: boolean
  isBlocked: boolean
  outcome: Value | null
  timings: Timings | null
  /** Resolves to whether the operation was included. */
  onSend: (recipients: readonly Recipient[]) => Promise<boolean>
}

export function SendCard({
  client,
  account,
  demo,
  balance,
  isBusy,
  isBlocked,
  outcome,
  timings,
  onSend,
}: SendCardProps) {
  const nextId = useRef(1)
  const [lines, setLines] = useState<readonly Line[]>([{ id: 0, to: '', amount: '' }])
  const [isChecked, setIsChecked] = useState(false)
  const { hints, recipients } = readLines(lines, balance)
  const calls = recipients && sendOperation(demo, recipients).calls

  const change = (id: number, part: Partial<Line>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, ...part } : line)))
  const add = () => setLines([...lines, { id: nextId.current++, to: '', amount: '' }])
  const remove = (id: number) => setLines(lines.filter((line) => line.id !== id))

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Renders the hints immediately, because the invalid field must exist before it can be focused.
    flushSync(() => setIsChecked(true))
    if (recipients === null) return focusWrongField(event.currentTarget)
    if (isBusy || isBlocked || !(await onSend(recipients))) return
    setLines(lines.slice(0, 1).map((line) => ({ ...line, amount: '' })))
    setIsChecked(false)
  }

  return (
    <Card className="send" title="Send">
      <form onSubmit={submit} noValidate>
        {lines.map((line, index) => (
          <LineFields
            key={line.id}
            line={line}
            number={index + 1}
            hints={isChecked ? hints[index] : undefined}
            onChange={(part) => change(line.id, part)}
            onRemove={() => remove(line.id)}
          />
        ))}
        {lines.length < maxLines && (
          <button type="button" className="link add" onClick={add}>
            Add a recipient
          </button>
        )}
        <Preview client={client} uo={calls} account={account} />
        <Button type="submit" look="primary wide" isBusy={isBusy} isBlocked={isBlocked}>
          Sign and send
        </Button>
      </form>
      <Outcome outcome={outcome} />
      <TimingBars timings={timings ?? none} />
    </Card>
  )
}

type LineFieldsProps = {
  line: Line
  number: number
  hints: { to: string | null; amount: string | null } | undefined
  onChange: (part: Partial<Line>) => void
  onRemove: () => void
}

function LineFields({ line, number, hints, onChange, onRemove }: LineFieldsProps) {
  const nth = number === 1 ? '' : ` ${number}`
  return (
    <div className="line">
      <TextField
        label={`To${nth}`}
        value={line.to}
        onChange={(to) => onChange({ to })}
        placeholder="0x…"
        hint={hints?.to ?? null}
        isNext={number > 1}
      />
      <TextField
        label={`Amount${nth}`}
        value={line.amount}
        onChange={(amount) => onChange({ amount })}
        placeholder="5 DEMO"
        hint={hints?.amount ?? null}
      />
      {number > 1 && (
        <button type="button" className="link" aria-label={`Remove recipient ${number}`} onClick={onRemove}>
          Remove
        </button>
      )}
    </div>
  )
}

const none = { prepare: null, sign: null, send: null, included: null }

/** Shows the timings of the last operation. Before the first operation, empty bars reserve the space. */
function TimingBars({ timings }: { timings: Timings | typeof none }) {
  const stages = Object.entries(timings)
  const total = stages.reduce((sum, [, ms]) => sum + (ms ?? 0), 0) || 1
  let start = 0
  return (
    <dl className="timings" aria-label="Timing of the last operation">
      {stages.map(([name, ms]) => {
        const left = (start / total) * 100
        start += ms ?? 0
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="track">
              {ms !== null && <i style={{ left: `${left}%`, width: `${(ms / total) * 100}%` }} />}
            </dd>
            <dd>{ms === null ? '–' : `${Math.round(ms).toLocaleString('en-US')} ms`}</dd>
          </div>
        )
      })}
    </dl>
  )
}
