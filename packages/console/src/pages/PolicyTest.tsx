import { Button } from '@latchkey/ui/Button'
import { Field } from '@latchkey/ui/Field'
import { useMutation } from '@tanstack/react-query'
import type { AdminOperationCalls, AdminShownOperation, AdminVerdict } from 'latchkey-protocol/admin'
import { useState } from 'react'
import { useConfig } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { Failure } from '../parts/Notice.tsx'

const entryPoints = {
  '0.6.0': '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  '0.7.0': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  '0.8.0': '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  '0.9.0': '0x433709009B8330FDa32311DF1C2AFA402eD8D009',
} as const

/** Evaluates an operation against a policy, and shows the deciding rule. Nothing is signed or reserved. */
export function PolicyTest({ path }: { path: string }) {
  const config = useConfig()
  const [sender, setSender] = useState('')
  const [callData, setCallData] = useState('0x')
  const [entryPoint, setEntryPoint] = useState<string>(entryPoints['0.6.0'])
  const [chainId, setChainId] = useState<string>()
  const chain = chainId ?? String(config.data?.chainId ?? '')
  const test = useMutation({
    mutationFn: () =>
      askAdmin<AdminVerdict>(`${path}/test`, {
        method: 'POST',
        body: { chainId: Number(chain), entryPoint, sender, callData, nonce: toFreshNonce() },
      }),
  })
  /** Fills in a logged operation. */
  const take = useMutation({
    async mutationFn(hash: string) {
      const operation = await askAdmin<AdminShownOperation>(`/operations/${hash}`)
      const asked = await askAdmin<AdminOperationCalls>(`/operations/${hash}/calls`)
      return { ...operation, callData: asked.callData ?? '0x' }
    },
    onSuccess(taken) {
      setSender(taken.sender)
      setCallData(taken.callData)
      setChainId(String(taken.chainId))
      const known = Object.values(entryPoints).find((one) => one.toLowerCase() === taken.entryPoint.toLowerCase())
      if (known) setEntryPoint(known)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        test.mutate()
      }}
    >
      <Field label="Fill in from an operation (hash)">
        <input
          placeholder="0x…"
          spellCheck={false}
          onChange={(event) => {
            const hash = event.target.value.trim()
            if (/^0x[0-9a-fA-F]{64}$/.test(hash)) take.mutate(hash)
          }}
        />
      </Field>
      {take.error && <Failure error={take.error} />}
      <Field label="Account">
        <input
          value={sender}
          required
          pattern="0x[0-9a-fA-F]{40}"
          placeholder="0x…"
          spellCheck={false}
          onChange={(event) => setSender(event.target.value.trim())}
        />
      </Field>
      <Field label="Call data">
        <textarea
          rows={3}
          value={callData}
          spellCheck={false}
          onChange={(event) => setCallData(event.target.value.trim())}
        />
      </Field>
      <div className="filters">
        <Field label="Chain">
          <input
            value={chain}
            required
            inputMode="numeric"
            pattern="[1-9]\d*"
            onChange={(event) => setChainId(event.target.value)}
          />
        </Field>
        <Field label="Entry point">
          <select value={entryPoint} onChange={(event) => setEntryPoint(event.target.value)}>
            {Object.entries(entryPoints).map(([version, address]) => (
              <option key={version} value={address}>
                {version}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <Button type="submit" look="primary" isBusy={test.isPending}>
        Test
      </Button>
      <div role="status">{test.data && <Verdict verdict={test.data} />}</div>
      {test.error && <Failure error={test.error} />}
    </form>
  )
}

function Verdict({ verdict: { sponsored, rule, reason, unchecked } }: { verdict: AdminVerdict }) {
  return (
    <div className={`notice ${sponsored ? 'ok' : 'bad'}`}>
      <p>{sponsored ? 'Would be sponsored' : `Refused by rule ${rule ?? '–'}: ${reason ?? ''}`}</p>
      {unchecked.length > 0 && <p className="quiet">Not checked in this test: {unchecked.join(', ')}</p>}
    </div>
  )
}

/** Returns an unused nonce key; policies ignore whether a nonce was used (ERC-4337, semi-abstracted nonces). */
function toFreshNonce(): string {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, '0'))
  return `0x${key.join('')}${'0'.repeat(16)}`
}
