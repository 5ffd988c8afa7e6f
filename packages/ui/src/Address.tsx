import { useEffect, useState } from 'react'
import { getAddress } from 'viem/utils'

/** Milliseconds for which the result of a click is shown. */
const shownMs = 2000

type AddressProps = {
  address: string
  /** Name of the address for screen readers, such as `Owner key`. */
  label?: string
}

/** Shows a whole address as people compare it: monospaced, with the mixed-case checksum of EIP-55, with a copy button. */
export function Address({ address, label }: AddressProps) {
  const text = getAddress(address)
  // A label needs an element with a role.
  const Tag = label === undefined ? 'span' : 'output'
  const [result, setResult] = useState<string | null>(null)
  useEffect(() => {
    if (result === null) return
    const timer = setTimeout(() => setResult(null), shownMs)
    return () => clearTimeout(timer)
  }, [result])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult('Copied'),
      () => setResult('Blocked'),
    )
  return (
    <span className="address-line" translate="no">
      <Tag className="address" aria-label={label}>
        {text}
      </Tag>
      <button type="button" className="copy" aria-label={`Copy ${label ?? text}`} onClick={copy}>
        <span aria-live="polite">{result ?? 'Copy'}</span>
      </button>
    </span>
  )
}
