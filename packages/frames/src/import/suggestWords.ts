import { wordlist } from '@scure/bip39/wordlists/english'

/** Words that begin like the one that is being typed, the last; none before its second letter or once it is whole. */
export function suggestWords(text: string): string[] {
  const last = /[a-z]{2,}$/i.exec(text)?.[0].toLowerCase()
  if (!last) return []
  const found = wordlist.filter((word) => word.startsWith(last))
  return found.length > 1 || found[0] !== last ? found.slice(0, 4) : []
}
