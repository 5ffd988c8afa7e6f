import { useMFA } from 'latchkey/react'
import { useEffect, useState } from 'react'
import { getErrorCode } from '../format.ts'

/**
 * Returns the user's second factor, and the steps that set it up or remove it. `isPrompted`: reading it prompts for a
 * passkey, so it is read on request only.
 */
export function useSecondFactor(isPrompted: boolean) {
  const { getMFAFactors, addMFA, verifyMFA, removeMFA } = useMFA()
  const [last, setLast] = useState<'verify' | 'remove' | null>(null)
  const { mutate: load } = getMFAFactors
  useEffect(() => {
    if (!isPrompted) load()
  }, [isPrompted, load])
  const changed = last === 'verify' ? verifyMFA : last === 'remove' ? removeMFA : undefined
  const factors = changed?.data?.multiFactors ?? getMFAFactors.data?.multiFactors
  const error = changed?.error ?? addMFA.error ?? getMFAFactors.error
  return {
    /** Undefined until read; null without a factor. */
    factor: factors && (factors[0] ?? null),
    load,
    isLoading: getMFAFactors.isPending,
    /** Secret that the user has not yet proven. */
    setup: last === 'verify' && verifyMFA.isSuccess ? undefined : addMFA.data,
    recoveryCodes: last === 'verify' ? verifyMFA.data?.recoveryCodes : undefined,
    isBusy: addMFA.isPending || verifyMFA.isPending || removeMFA.isPending,
    error: error && getErrorCode(error) !== 'ABORTED' ? error : null,
    begin() {
      setLast(null)
      verifyMFA.reset()
      addMFA.mutate({ multiFactorType: 'totp' })
    },
    cancel: () => addMFA.reset(),
    verify(multiFactorId: string, multiFactorCode: string) {
      setLast('verify')
      verifyMFA.mutate({ multiFactorId, multiFactorCode })
    },
    remove(id: string) {
      setLast('remove')
      addMFA.reset()
      removeMFA.mutate({ multiFactorIds: [id] })
    },
  }
}
