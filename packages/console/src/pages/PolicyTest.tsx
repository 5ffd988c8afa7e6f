import { useMutation } from '@tanstack/react-query'
import type { AdminVerdict } from 'latchkey/wire'
import { useState } from 'react'
import { useConfig } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { Failure } from '../parts/Notice.tsx'

const entryPoints = {
  '0.6.0': '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  '0.7.0': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
} as const

/** Holds an operation against a policy, and says which rule decides. Nothing is signed or set aside. */
export function PolicyTest({ path }: { path: string }) {
  const config = useConfig()
  const [sender, setSender] = useState('')
  const [callData, setCallData] = useState('0x')
  const [entryPoint, setEntryPoint] = useState<string>(entryPoints['0.6.0'])
  const [chainId, setChainId] = useState<string>()
  const chain = chainId ?? String(config.data?.chainId ?? '')
  const judge = useMutation({
    mutationFn: () =>
      askAdmin<AdminVerdict>(`${path}/test`, {
        method: 'POST',
        body: { chainId: Number(chain), entryPoint, sender, callData },
      }),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        judge.mutate()
      }}
    >
      <label className="field">
        Account
        <input
          value={sender}
          required
          pattern="0x[0-9a-fA-F]{40}"
          placeholder="0x…"
          spellCheck={false}
          onChange={(event) => setSender(event.target.value.trim())}
        />
      </label>
      <label className="field">
        Call data
        <textarea
          rows={3}
          value={callData}
          spellCheck={false}
          onChange={(event) => setCallData(event.target.value.trim())}
        />
      </label>
      <div className="filters">
        <label className="field">
          Chain
          <input
            value={chain}
            required
            inputMode="numeric"
            pattern="[1-9]\d*"
            onChange={(event) => setChainId(event.target.value)}
          />
        </label>
        <label className="field">
          Entry point
          <select value={entryPoint} onChange={(event) => setEntryPoint(event.target.value)}>
            {Object.entries(entryPoints).map(([version, address]) => (
              <option key={version} value={address}>
                {version}
              </option>
            ))}
          </select>
        </label>
      </div>
      <button type="submit" className="button primary" disabled={judge.isPending}>
        Test
      </button>
      <div role="status">
        {judge.data && (
          <div className={`notice ${judge.data.sponsored ? 'ok' : 'bad'}`}>
            <p>
              {judge.data.sponsored
                ? 'It would be paid for.'
                : `Refused by the rule ${judge.data.rule ?? '–'}: ${judge.data.reason ?? ''}`}
            </p>
            {judge.data.unchecked.length > 0 && (
              <p className="quiet">Held against it only when it is signed for: {judge.data.unchecked.join(', ')}</p>
            )}
          </div>
        )}
      </div>
      {judge.error && <Failure error={judge.error} />}
    </form>
  )
}
