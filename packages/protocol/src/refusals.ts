import type { ErrorCode } from './errorCodes.ts'

/** Figures of the operation and the chain that explain a refusal. */
export type RefusalFigure =
  | 'deployment'
  | 'gas'
  | 'nonce'
  | 'prefund'
  | 'size'
  | 'time'
  | 'verificationGas'
  | 'paymasterGas'
  | 'cost'

/** Explanation of a refused operation: what happened, which figures show it, and what to do. */
export type RefusalCause = {
  /** EntryPoint version in which the code has this cause. @default both */
  entryPoint?: '0.6.0' | '0.7.0'
  code: ErrorCode
  what: string
  figures?: RefusalFigure
  hint: string
}

const tooMuchGas = {
  code: 'USER_OPERATION_INVALID',
  what: 'This operation asks for more gas than a bundler gives to one.',
  figures: 'gas',
  hint: 'Leave the gas limits to the estimate, or split its calls into several operations.',
} as const satisfies RefusalCause

/** Explanations of all EntryPoint failure codes (`FailedOp`) that reach clients. The sentences are part of the API. */
export const refusalCauses: { readonly [failure: string]: RefusalCause } = {
  AA10: {
    code: 'USER_OPERATION_INVALID',
    what: 'The account has been deployed since this operation was built.',
    hint: 'An earlier operation did it. Build this one again.',
  },
  AA13: {
    code: 'USER_OPERATION_INVALID',
    what: 'The account could not be deployed: its factory failed, or ran out of gas.',
    figures: 'deployment',
    hint: 'Check that the factory is deployed on this chain and that the init code is made for it.',
  },
  AA14: {
    code: 'USER_OPERATION_INVALID',
    what: 'The account could not be deployed: its factory makes an account at another address.',
    figures: 'deployment',
    hint: 'Check that owner, salt, version and factory are those the address was computed from.',
  },
  AA15: {
    code: 'USER_OPERATION_INVALID',
    what: 'The account could not be deployed: its factory made no contract.',
    figures: 'deployment',
    hint: 'Check that the init code calls the function of the factory that deploys.',
  },
  AA20: {
    code: 'USER_OPERATION_INVALID',
    what: 'The account could not be used: it is not deployed, and this operation does not deploy it.',
    figures: 'deployment',
    hint: 'Build the operation again, so that it carries the init code.',
  },
  AA21: {
    code: 'USER_OPERATION_INVALID',
    what: 'The account cannot pay for the gas of this operation.',
    figures: 'prefund',
    hint: 'Send it some of the native coin, or sponsor the operation with `gasManagerConfig`.',
  },
  AA22: {
    code: 'USER_OPERATION_INVALID',
    what: 'The account takes this operation at another time only: its permission has expired, or has not begun.',
    figures: 'time',
    hint: 'Check the time range of the session key, and the clock of this device.',
  },
  AA23: {
    code: 'CONTRACT_REVERTED',
    what: 'The account refused this operation.',
    figures: 'deployment',
    hint: 'Check that the signer may do this with the account, and that the operation has enough gas for its check.',
  },
  AA24: {
    code: 'USER_OPERATION_INVALID',
    what: 'The account refused the signature of this operation.',
    hint: 'Check that the signer is the owner of the account and that chain and entry point are the right ones.',
  },
  AA25: {
    code: 'USER_OPERATION_INVALID',
    what: 'The nonce of this operation is not the next one of the account.',
    figures: 'nonce',
    hint: 'Another operation of the account was faster, or is missing. Wait for those on their way, then build this one again.',
  },
  AA26: {
    entryPoint: '0.7.0',
    code: 'USER_OPERATION_INVALID',
    what: 'The check of this operation took more gas than it was given.',
    figures: 'verificationGas',
    hint: 'Leave `verificationGasLimit` to the estimate, or raise it.',
  },
  AA30: {
    code: 'POLICY_REFUSED',
    what: 'The paymaster of this operation is no contract on this chain.',
    hint: 'Check the address of the paymaster and the chain.',
  },
  AA31: {
    code: 'PAYMASTER_DEPOSIT_LOW',
    what: 'The paymaster cannot pay for this operation: its deposit is too low.',
    figures: 'prefund',
    hint: 'Its operator must deposit more at the entry point.',
  },
  AA32: {
    code: 'POLICY_REFUSED',
    what: 'The approval of the paymaster has expired, or has not begun.',
    figures: 'time',
    hint: 'Build the operation again, and send it at once.',
  },
  AA33: {
    code: 'POLICY_REFUSED',
    what: 'The paymaster refused this operation.',
    hint: 'Its approval may have expired. Build the operation again.',
  },
  AA34: {
    code: 'POLICY_REFUSED',
    what: 'The paymaster refused this operation: its approval is for another one.',
    hint: 'A field changed after the paymaster signed. Build the operation again.',
  },
  AA36: {
    entryPoint: '0.7.0',
    code: 'USER_OPERATION_INVALID',
    what: "The paymaster's check of this operation took more gas than it was given.",
    figures: 'paymasterGas',
    hint: 'Leave `paymasterVerificationGasLimit` to the estimate, or raise it.',
  },
  AA40: {
    entryPoint: '0.6.0',
    code: 'USER_OPERATION_INVALID',
    what: 'The check of this operation took more gas than it was given.',
    figures: 'verificationGas',
    hint: 'Leave `verificationGasLimit` to the estimate, or raise it.',
  },
  AA41: {
    entryPoint: '0.6.0',
    code: 'USER_OPERATION_INVALID',
    what: 'The check of the account left no gas for that of the paymaster.',
    figures: 'verificationGas',
    hint: 'Leave `verificationGasLimit` to the estimate, or raise it.',
  },
  AA50: {
    code: 'POLICY_REFUSED',
    what: 'The paymaster failed after the calls of this operation had run.',
    hint: 'Its operator can say why. Nothing of the operation was done.',
  },
  AA51: {
    entryPoint: '0.6.0',
    code: 'USER_OPERATION_INVALID',
    what: 'This operation costs more than the gas it was given.',
    figures: 'cost',
    hint: 'Leave the gas limits to the estimate, or raise them.',
  },
  AA95: tooMuchGas,
}

/** Messages that bundlers and nodes word differently. */
export const refusalPhrases: readonly (RefusalCause & { pattern: RegExp })[] = [
  {
    pattern: /underpriced|bump the gas price|replacement (?:op|user|fee)/i,
    code: 'USER_OPERATION_INVALID',
    what: 'An operation with the same nonce waits already, and this one does not pay enough to take its place.',
    figures: 'nonce',
    hint: 'Wait for it, or use `dropAndReplaceUserOperation`: both fees must be ten per cent higher.',
  },
  { pattern: /gas limits? exceeds?|exceeds? (?:the )?(?:block|max) gas/i, ...tooMuchGas },
  {
    pattern: /too large|exceeds? (?:the )?(?:max|limit)|oversized/i,
    code: 'BODY_TOO_LARGE',
    what: 'This operation is too large.',
    figures: 'size',
    hint: 'Split its calls into several operations.',
  },
]

/** EntryPoint failure codes by JSON-RPC error number, for failures with a specific error number (ERC-7769). */
export const refusalNumbers: { readonly [rpcCode: number]: string } = {
  [-32501]: 'AA33',
  [-32503]: 'AA22',
  [-32507]: 'AA24',
  [-32508]: 'AA31',
}
