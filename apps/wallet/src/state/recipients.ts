import { type Address, getAddress, isAddress } from 'viem'
import { formatAmount, parseAmount } from '../amounts.ts'

/** Line of the form with the user's input. */
export type Line = { id: number; to: string; amount: string }
export type Recipient = { to: Address; amount: bigint }
export type LineHints = { to: string | null; amount: string | null }

/** Parses the lines. Returns the recipients, or null if any line is invalid, and a hint for each invalid line. */
export function readLines(lines: readonly Line[], balance: bigint | undefined) {
  let total = 0n
  const recipients: Recipient[] = []
  const hints = lines.map((line): LineHints => {
    const typed = line.to.trim()
    const to = isAddress(typed) ? getAddress(typed) : null
    const amount = parseAmount(line.amount)
    total += amount ?? 0n
    if (to !== null && amount !== null) recipients.push({ to, amount })
    return {
      to: to ? null : 'Enter an address (0x…).',
      amount: amountProblem(amount, total, balance),
    }
  })
  const isRight = hints.every((hint) => hint.to === null && hint.amount === null)
  return { hints, recipients: isRight ? recipients : null }
}

function amountProblem(amount: bigint | null, total: bigint, balance: bigint | undefined): string | null {
  if (amount === null) return 'Enter an amount, such as 5 or 0.5.'
  if (amount === 0n) return 'Enter more than zero.'
  if (balance !== undefined && total > balance) return `You only have ${formatAmount(balance)} DEMO.`
  return null
}
