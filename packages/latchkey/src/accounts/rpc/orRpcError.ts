import { toRpcError } from './toRpcError.ts'

/** The answer, or an error of ours that says what could not be done. */
export async function orRpcError<answer>(asking: Promise<answer>, action: string): Promise<answer> {
  try {
    return await asking
  } catch (error) {
    throw toRpcError(error, { action })
  }
}
