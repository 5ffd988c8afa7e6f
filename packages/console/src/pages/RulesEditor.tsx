import { Button } from '@latchkey/ui/Button'
import { Field } from '@latchkey/ui/Field'
import { useMutation } from '@tanstack/react-query'
import type { AdminPolicy } from 'latchkey-protocol/admin'
import { useId, useState } from 'react'
import { askAdmin, CallError } from '../api/request.ts'
import { Failure } from '../parts/Notice.tsx'

type Props = { policy: AdminPolicy; path: string; isReadOnly: boolean; onSaved(): unknown }

const write = (rules: object) => JSON.stringify(rules, null, 2)

/**
 * Edits rules in the policies file's format. The server validates them. The editor never overwrites another operator's
 * concurrent change, and preserves the input.
 */
export function RulesEditor({ policy, path, isReadOnly, onSaved }: Props) {
  const [base, setBase] = useState(policy)
  const [text, setText] = useState(() => write(policy.rules))
  const noteId = useId()
  const parsed = parse(text)
  const save = useMutation({
    mutationFn: (rules: object) =>
      askAdmin<AdminPolicy>(path, { method: 'PUT', body: { rules }, version: base.version }),
    onSuccess(saved) {
      setBase(saved)
      setText(write(saved.rules))
      return onSaved()
    },
  })
  const isConflict = save.error instanceof CallError && save.error.code === 'VERSION_CONFLICT'
  async function readAgain(): Promise<void> {
    const found = await askAdmin<AdminPolicy>(path)
    setBase(found)
    save.reset()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (parsed) save.mutate(parsed)
      }}
    >
      <Field label="Rules (JSON)">
        <textarea
          rows={16}
          spellCheck={false}
          readOnly={isReadOnly}
          aria-describedby={noteId}
          aria-invalid={parsed === undefined}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <p className="quiet" id={noteId}>
        {isReadOnly
          ? 'These rules come from the policies file: change them there. You can pause the policy here.'
          : parsed
            ? 'Rules you leave out don’t restrict anything. Amounts are in wei.'
            : 'Invalid JSON'}
      </p>
      {!isReadOnly && (
        <Button type="submit" look="primary" isBlocked={!parsed || save.isPending}>
          Save
        </Button>
      )}
      {save.isSuccess && <p role="status">Saved as version {base.version}.</p>}
      {save.error && <Failure error={save.error} />}
      {isConflict && (
        <p className="actions">
          <Button onClick={() => void readAgain()}>Keep mine and overwrite</Button>
          <Button
            onClick={() =>
              void readAgain()
                .then(() => askAdmin<AdminPolicy>(path))
                .then(({ rules }) => setText(write(rules)))
            }
          >
            Discard mine
          </Button>
        </p>
      )}
    </form>
  )
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
