import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { advanceClock, fund } from '../api/devnet.ts'
import { toEther } from '../format.ts'
import { Failure } from '../parts/Notice.tsx'

export function DevnetPage() {
  return (
    <div className="columns">
      <Faucet />
      <Clock />
    </div>
  )
}

function Faucet() {
  const [address, setAddress] = useState('')
  const [ether, setEther] = useState('1')
  const fill = useMutation({
    mutationFn: () => fund(address, String(BigInt(Math.round(Number(ether) * 1e9)) * 10n ** 9n)),
  })
  return (
    <Card title="Faucet">
      <form
        className="inset"
        onSubmit={(event) => {
          event.preventDefault()
          fill.mutate()
        }}
      >
        <Field label="Account">
          <input
            value={address}
            required
            pattern="0x[0-9a-fA-F]{40}"
            placeholder="0x…"
            spellCheck={false}
            onChange={(event) => setAddress(event.target.value.trim())}
          />
        </Field>
        <Field label="Amount (ETH)">
          <input
            value={ether}
            required
            inputMode="decimal"
            pattern="\d{1,6}(\.\d{1,9})?"
            onChange={(event) => setEther(event.target.value)}
          />
        </Field>
        <Button type="submit" look="primary" isBusy={fill.isPending}>
          Add
        </Button>
        <p role="status">{fill.data && `New balance: ${toEther(BigInt(fill.data.balance))}`}</p>
        {fill.error && <Failure error={fill.error} />}
      </form>
    </Card>
  )
}

const steps = ['1m', '16m', '1h', '1d', '8d'] as const

function Clock() {
  const client = useQueryClient()
  const advance = useMutation({
    mutationFn: advanceClock,
    onSettled: () => client.invalidateQueries({ queryKey: ['devnet'] }),
  })
  return (
    <Card title="Clock">
      <div className="inset">
        <p className="quiet">
          Moves the clock of server, database and chain forward, so sessions, links and grace periods expire. Cannot be
          undone; <code>npm start -- --fresh</code> starts over.
        </p>
        <p className="actions">
          {steps.map((by) => (
            <Button key={by} isBusy={advance.isPending} onClick={() => advance.mutate(by)}>
              + {by}
            </Button>
          ))}
        </p>
        <p role="status">
          {advance.data && `The devnet is ${Math.round(advance.data.aheadMs / 60_000)} minutes ahead of this machine.`}
        </p>
        {advance.error && <Failure error={advance.error} />}
      </div>
    </Card>
  )
}
