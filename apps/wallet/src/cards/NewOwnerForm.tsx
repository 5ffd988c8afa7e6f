import { Button } from '@latchkey/ui/Button'
import { TextField } from '@latchkey/ui/Field'
import { useEffect, useState } from 'react'
import { type Address, getAddress, isAddress, isAddressEqual } from 'viem'

type NewOwnerFormProps = {
  account: Address
  owners: readonly Address[]
  /** Whether the account can have only one owner. */
  isSingle: boolean
  isBusy: boolean
  isBlocked: boolean
  onAsk: (action: 'add' | 'transfer', owner: Address) => void
}

export function NewOwnerForm({ account, owners, isSingle, isBusy, isBlocked, onAsk }: NewOwnerFormProps) {
  const [text, setText] = useState('')
  const [hint, setHint] = useState<string | null>(null)

  // Clears the field once the address is an owner.
  useEffect(() => setText((last) => (includesAddress(owners, last.trim()) ? '' : last)), [owners])

  const ask = (action: 'add' | 'transfer') => {
    const typed = text.trim()
    const problem = findProblem(typed, account, owners)
    setHint(problem)
    if (problem === null) onAsk(action, getAddress(typed))
  }

  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <TextField label="New owner" value={text} placeholder="0x…" hint={hint} onChange={setText} />
      <div className="actions">
        <Button type="submit" isBusy={isBusy} isBlocked={isBlocked} onClick={() => ask(isSingle ? 'transfer' : 'add')}>
          {isSingle ? 'Transfer ownership' : 'Add owner'}
        </Button>
      </div>
    </form>
  )
}

function findProblem(typed: string, account: Address, owners: readonly Address[]): string | null {
  if (!isAddress(typed)) return 'Enter an address (0x…).'
  if (isAddressEqual(typed, account)) return 'An account cannot own itself.'
  return includesAddress(owners, typed) ? 'Already an owner.' : null
}

function includesAddress(owners: readonly Address[], text: string): boolean {
  return isAddress(text) && owners.some((owner) => isAddressEqual(owner, text))
}
