import { formatUnits, parseUnits } from 'viem'

/** Smallest amount that six decimals can show. */
const least = 0.000001

/** Formats an amount with two to six decimals. Formats smaller amounts as `less than 0.000001`. */
export function formatAmount(amount: bigint, unitDecimals = 18): string {
  if (amount > 0n && Number(formatUnits(amount, unitDecimals)) < least) return `less than ${least.toFixed(6)}`
  const [whole = '0', fraction = ''] = formatUnits(amount, unitDecimals).split('.')
  return `${BigInt(whole).toLocaleString('en-US')}.${fraction.slice(0, 6).replace(/0+$/, '').padEnd(2, '0')}`
}

/** Parses `5`, `0.5` or `5 DEMO` as an amount with 18 decimals. Returns null for other text. */
export function parseAmount(text: string): bigint | null {
  const match = /^(\d{1,30}(?:\.\d{1,18})?)(?:\s*DEMO)?$/i.exec(text.trim())
  return match?.[1] === undefined ? null : parseUnits(match[1], 18)
}
