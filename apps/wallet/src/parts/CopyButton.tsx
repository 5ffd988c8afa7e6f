import { Button } from '@latchkey/ui/Button'
import { useCopy } from '@latchkey/ui/useCopy'

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copy, isCopied } = useCopy()
  return (
    <Button aria-live="polite" onClick={() => copy(text)}>
      {isCopied === null ? label : isCopied ? 'Copied' : 'Blocked by your browser'}
    </Button>
  )
}
