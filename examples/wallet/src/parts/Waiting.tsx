import { useConfirmation } from 'latchkey/react'

/** What waits for the person's mail. The page stays usable meanwhile. */
export function Waiting() {
  const confirmation = useConfirmation()
  if (!confirmation) return null
  const { text, expiresAtMs, cancel } = confirmation
  return (
    <div className="mail-notice" role="status">
      <p>
        <b>{text}.</b> It names what you asked for and the key that gets it: compare both. It can be confirmed until{' '}
        {new Date(expiresAtMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}.
      </p>
      <button type="button" className="button small" onClick={cancel}>
        Cancel
      </button>
    </div>
  )
}
