import { BaseError, ContractRevertedError, UserOperationRefusedError } from 'latchkey'

/** Explanations of errors of accounts and EntryPoint for session keys. */
const words: { readonly [reason: string]: string } = {
  ERC20SpendLimitExceeded: 'Your account refused it: the amount is over this key’s limit.',
  AA22: 'Your account refused it: this key has expired.',
}

/** Returns why the account refused a session key, with the error code. Returns undefined for other errors. */
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

/** Returns the readable sentences of the stored reason why an operation was not sent. */
export function explainReason(reason: string): string {
  const known = Object.keys(words).find((code) => reason.includes(code))
  if (known) return `${words[known]} (${known})`
  return /0x[0-9a-f]{8}/i.test(reason) ? 'A contract rejected it.' : reason
}
