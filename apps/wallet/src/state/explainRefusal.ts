import { BaseError, ContractRevertedError, UserOperationRefusedError } from 'latchkey'

/** What the account and its entry point say to a session key, in plain words. */
const words: { readonly [reason: string]: string } = {
  ERC20SpendLimitExceeded: 'The account refused: it is more than this key may still send.',
  AA22: 'The account refused: the hour in which this key may act is over.',
}

/** Why the account refused a session key, with the code to look up; undefined where it was something else. */
export function explainRefusal(error: unknown): string | undefined {
  const reason = error instanceof BaseError ? findReason(error) : undefined
  const text = reason === undefined ? undefined : words[reason]
  return text && `${text} (${reason})`
}

function findReason(error: BaseError): string | undefined {
  const cause = error.walk((one) => one instanceof ContractRevertedError || one instanceof UserOperationRefusedError)
  if (cause instanceof ContractRevertedError) return cause.errorName
  return cause instanceof UserOperationRefusedError ? cause.failure : undefined
}

/** Why an operation was not sent, as it was kept: what no person reads is left out. */
export function explainReason(reason: string): string {
  const known = Object.keys(words).find((code) => reason.includes(code))
  if (known) return `${words[known]} (${known})`
  return /0x[0-9a-f]{8}/i.test(reason) ? 'A contract refused it.' : reason
}
