import { useEffect, useState } from 'react'

const shownMs = 2000

/** Copies text to the clipboard. `isCopied` is the result of the last copy for two seconds, then null. */
export function useCopy(): { copy: (text: string) => void; isCopied: boolean | null } {
  const [isCopied, setCopied] = useState<boolean | null>(null)
  useEffect(() => {
    if (isCopied === null) return
    const timer = setTimeout(() => setCopied(null), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (text: string) =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return { copy, isCopied }
}
