import { decodeRevert } from './decodeRevert.ts'

/** What a contract said as a sentence: its error by name, text as it is, else the data; undefined where it said nothing. */
export function revertText(data: string | undefined): string | undefined {
  if (!data || data === '0x') return undefined
  return decodeRevert(data)?.text ?? (data.startsWith('0x') ? `unknown error ${data}` : data)
}
