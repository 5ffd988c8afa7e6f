import { useMutation } from '@tanstack/react-query'
import { useSigner, useSignerStatus } from 'latchkey/react'
import type { WalletImport } from 'latchkey/signer'
import { useEffect } from 'react'
import { codeOf } from '../format.ts'

export type Secret = 'phrase' | 'key'

/** An import: from the opening of its frame, inside the container of that id, to the addresses that come of it. */
export function useImport(iframeContainerId: string) {
  const signer = useSigner()
  const { isConnected } = useSignerStatus()
  const opening = useMutation({
    mutationFn: async (secret: Secret) => signer?.importWallet({ iframeContainerId, secret }),
    onSuccess: () => document.getElementById(iframeContainerId)?.querySelector('iframe')?.focus(),
  })
  const submission = useMutation({ mutationFn: (started: WalletImport) => started.submit() })
  const started = opening.data
  const { reset: forgetOpening } = opening
  const { reset: forgetSubmission } = submission

  // The frame goes with the session, and with the card.
  useEffect(() => {
    if (isConnected) return
    forgetOpening()
    forgetSubmission()
  }, [isConnected, forgetOpening, forgetSubmission])
  useEffect(() => () => started?.close(), [started])

  // What the frame refuses can be typed anew. What the service refuses has used the frame's key up.
  const isRefused = codeOf(submission.error) === 'FRAME_FAILED'
  const isOver = submission.isSuccess || (submission.isError && !isRefused)
  return {
    isOpening: opening.isPending,
    /** The frame waits for the secret. */
    isOpen: started !== undefined && !isOver,
    /** The frame has not taken what was typed, and shows why. */
    isRefused,
    isSubmitting: submission.isPending,
    addresses: submission.data?.addresses,
    error: opening.error ?? (isRefused ? null : submission.error),
    open(secret: Secret) {
      forgetSubmission()
      opening.mutate(secret)
    },
    submit() {
      if (started) submission.mutate(started)
    },
    close() {
      forgetOpening()
      forgetSubmission()
    },
  }
}
