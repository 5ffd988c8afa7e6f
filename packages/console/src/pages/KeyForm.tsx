import { Button } from '@latchkey/ui/Button'
import { Field } from '@latchkey/ui/Field'
import { useMutation } from '@tanstack/react-query'
import type { AdminApiKey } from 'latchkey-protocol/admin'
import { useState } from 'react'
import { askAdmin } from '../api/request.ts'
import { Failure } from '../parts/Notice.tsx'

/** Form values of a key's rules. Empty: unrestricted. */
type Typed = Record<'name' | 'chains' | 'origins' | 'methods' | 'requestsPerMinute' | 'unitsPerMinute', string>

/** The form value of a key that no page can use. */
const noOrigins = 'none'

const empty: Typed = { name: '', chains: '', origins: '', methods: '', requestsPerMinute: '', unitsPerMinute: '' }

function toTyped(key: AdminApiKey | undefined): Typed {
  if (!key) return empty
  const { name, chains, origins, methods, requestsPerMinute, unitsPerMinute } = key
  return {
    name,
    chains: chains?.join(', ') ?? '',
    origins: origins?.length === 0 ? noOrigins : (origins?.join(', ') ?? ''),
    methods: methods?.join(', ') ?? '',
    requestsPerMinute: String(requestsPerMinute ?? ''),
    unitsPerMinute: String(unitsPerMinute ?? ''),
  }
}

const toWords = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '')
const toList = (text: string) => (toWords(text).length === 0 ? null : toWords(text))
const toNumber = (text: string) => (text === '' ? null : Number(text))

const toBody = ({ name, chains, origins, methods, requestsPerMinute, unitsPerMinute }: Typed) => ({
  name,
  chains: toList(chains)?.map(Number) ?? null,
  origins: origins.trim() === noOrigins ? [] : toList(origins),
  methods: toList(methods),
  requestsPerMinute: toNumber(requestsPerMinute),
  unitsPerMinute: toNumber(unitsPerMinute),
})

type KeyFieldProps = {
  label: string
  name: keyof Typed
  typed: Typed
  placeholder: string
  pattern?: string
  onType(change: Partial<Typed>): void
}

function KeyField({ label, name, typed, placeholder, pattern, onType }: KeyFieldProps) {
  return (
    <Field className="grow" label={label}>
      <input
        value={typed[name]}
        placeholder={placeholder}
        pattern={pattern}
        spellCheck={false}
        required={name === 'name'}
        maxLength={name === 'name' ? 128 : undefined}
        onChange={(event) => onType({ [name]: event.target.value })}
      />
    </Field>
  )
}

export declare namespace KeyForm {
  type Props<result> = {
    /** Path of the call. */
    path: string
    /** Key to edit. Without it, the form creates a new key. */
    edited?: AdminApiKey
    onDone(result: result): void
    onSettled(): unknown
    onCancel?: () => void
  }
}

/** Edits a key's name and rules: chains, origins and methods, and limits per minute. */
export function KeyForm<result>({ path, edited, onDone, onSettled, onCancel }: KeyForm.Props<result>) {
  const [typed, setTyped] = useState(() => toTyped(edited))
  const save = useMutation({
    mutationFn: () => askAdmin<result>(path, { method: edited ? 'PATCH' : 'POST', body: toBody(typed) }),
    onSuccess(result) {
      onDone(result)
      if (!edited) setTyped(empty)
    },
    onSettled,
  })
  const field = { typed, onType: (change: Partial<Typed>) => setTyped({ ...typed, ...change }) }
  const whole = '[1-9]\\d{0,8}'
  return (
    <form
      className="inset"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <div className="filters">
        <KeyField {...field} name="name" label="Name" placeholder="Web page" />
        <KeyField
          {...field}
          name="chains"
          label="Chain IDs"
          placeholder="All"
          pattern="\s*[1-9]\d*([\s,]+[1-9]\d*)*[\s,]*"
        />
      </div>
      <div className="filters">
        <KeyField
          {...field}
          name="origins"
          label="Origins (from the project’s list; none: for servers)"
          placeholder="All"
        />
        <KeyField {...field} name="methods" label="JSON-RPC methods (e.g. eth_*)" placeholder="All" />
      </div>
      <div className="filters">
        <KeyField
          {...field}
          name="requestsPerMinute"
          label="Requests per minute"
          placeholder="Server default"
          pattern={whole}
        />
        <KeyField
          {...field}
          name="unitsPerMinute"
          label="Compute units per minute"
          placeholder="Server default"
          pattern={whole}
        />
      </div>
      <p className="actions">
        <Button type="submit" look="primary" isBusy={save.isPending}>
          {edited ? 'Save' : 'Create key'}
        </Button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </p>
      {save.error && <Failure error={save.error} />}
    </form>
  )
}
