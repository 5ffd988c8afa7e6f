/** Returns one element per word of a phrase, with spaces in between. Returns a key as text. */
export function toWords(secret: string): (Node | string)[] {
  if (!secret.includes(' ')) return [secret]
  return secret.split(/( )/).map((part) => {
    if (part === ' ') return part
    const word = document.createElement('span')
    word.textContent = part
    return word
  })
}

/** Copies the text to the clipboard. If the parent page does not permit that, selects the element with the text. */
export async function copyText(text: string, shownIn: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const selection = getSelection()
    selection?.selectAllChildren(shownIn)
    const isCopied = document.execCommand('copy')
    if (isCopied) selection?.removeAllRanges()
    return isCopied
  }
}
