import { Button } from '@latchkey/ui/Button'
import { useEffect, useState } from 'react'

/** Milliseconds for which the result of a click is shown. */
const shownMs = 2000

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [result, setResult] = useState<string | null>(null)

  useEffect(() => {
    if (result === null) return
    const timer = setTimeout(() => setResult(null), shownMs)
    return () => clearTimeout(timer)
  }, [result])

  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult('Copied'),
      () => setResult('Blocked by your browser'),
    )

  return (
    <Button aria-live="polite" onClick={copy}>
      {result ?? label}
    </Button>
  )
}
