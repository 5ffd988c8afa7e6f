import { useOperations, useSmartAccountClient } from 'latchkey/react'

export function Activity() {
  const { client } = useSmartAccountClient({ type: 'LightAccount' })
  const { operations = [], dismissOperation } = useOperations({ client })
  return operations.map(({ id, state, reason }) => (
    <p key={id}>
      {state} {reason}{' '}
      <button type="button" onClick={() => dismissOperation(id)}>
        Dismiss
      </button>
    </p>
  ))
}
