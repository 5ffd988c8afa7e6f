import type { TestOperation } from './readOperation.ts'

type Outcome = { pass: boolean; message: () => string }

/** Matchers for `expect` of Playwright and Vitest. */
export const operationMatchers = {
  toBeIncluded: (operation: TestOperation): Outcome => outcome(operation, operation.isIncluded, 'be included'),
  toBeSponsored: (operation: TestOperation): Outcome =>
    outcome(operation, operation.isIncluded && operation.isSponsored, 'be included and paid by a paymaster'),
  toHaveReverted(operation: TestOperation, reason?: string): Outcome {
    const { isIncluded, failure = '' } = operation
    const pass = !isIncluded && (reason === undefined ? failure !== '' : failure.includes(reason))
    return outcome(operation, pass, reason === undefined ? 'be reverted' : `be reverted with ${reason}`)
  },
}

/** Types of the matchers, for the test framework's interface. */
export type OperationMatchers<result = void> = {
  /** Passes if the operation is in a block and its calls succeeded. */
  toBeIncluded(): result
  /** Passes if the operation is included and a paymaster paid. */
  toBeSponsored(): result
  /**
   * Passes if the operation was refused or its calls reverted. With a reason such as `AA23`, only if the failure
   * contains it.
   */
  toHaveReverted(reason?: string): result
}

function outcome(operation: TestOperation, pass: boolean, wanted: string): Outcome {
  const { hash, isIncluded, isSponsored, failure } = operation
  const state = isIncluded ? `is included${isSponsored ? ', paid by a paymaster' : ', paid by its account'}` : failure
  return {
    pass,
    message: () =>
      `Expected the operation ${hash ?? 'without a hash'} ${pass ? 'not ' : ''}to ${wanted}. What is known: ${state}`,
  }
}
