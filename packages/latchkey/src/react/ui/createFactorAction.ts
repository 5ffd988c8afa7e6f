import { requireSigner } from '../../query/requireSigner.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { type Dispatch, report } from './bindSigner.ts'

/** Returns the function that passes a typed second factor to the signer, and a refusal to the step. */
export function createFactorAction(config: LatchkeyConfig, dispatch: Dispatch) {
  return async (multiFactorCode: string) => {
    dispatch({ type: 'mfaSubmitted' })
    try {
      await requireSigner(config).validateMultiFactors({ multiFactorCode })
    } catch (error) {
      report(error, 'mfaFailed', dispatch)
    }
  }
}
