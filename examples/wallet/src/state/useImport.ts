import { useMutation } from '@tanstack/react-query'
import { useSigner, useSignerStatus } from 'latchkey/react'
import type { WalletImport } from 'latchkey/signer'
import { useEffect } from 'react'
import { getErrorCode } from '../format.ts'

export type Secret = 'phrase' | 'key'

/** An import, from opening its frame inside the container with that id to the imported addresses. */
export function useImport(iframeContainerId: string) {
  const signer = useSigner()
  const { isConnected } = useSignerStatus()
  const opening = useMutation({
    mutationFn: async (secret: Secret) => signer?.importWallet({ iframeContainerId, secret }),
    onSuccess: () => document.getElementById(iframeContainerId)?.querySelector('iframe')?.focus(),
  })
  const submission = useMutation({ mutationFn: (started: WalletImport) => started.submit() })
  const started = opening.data
  const { reset: resetOpening } = opening
  const { reset: resetSubmission } = submission

  // The frame is removed with the session, and with the card.
  useEffect(() => {
    if (isConnected) return
    resetOpening()
    resetSubmission()
  }, [isConnected, resetOpening, resetSubmission])
  useEffect(() => () => started?.close(), [started])

  // Input that the frame refuses can be typed again. A refusal by the service uses up the frame's key.
  const code = getErrorCode(submission.error)
  const isDeclined = code === 'FRAME_DECLINED'
  const isRefused = isDeclined || code === 'FRAME_FAILED'
  const isOver = submission.isSuccess || (submission.isError && !isRefused)
  return {
    isOpening: opening.isPending,
    /** The frame waits for the secret. */
    isOpen: started !== undefined && !isOver,
    /** The frame refused the input, and shows why. */
    isRefused,
    /** The person did, in the frame. */
    isDeclined,
    isSubmitting: submission.isPending,
    addresses: submission.data?.addresses,
    error: opening.error ?? (isRefused ? null : submission.error),
    open(secret: Secret) {
      resetSubmission()
      opening.mutate(secret)
    },
    submit() {
      if (started) submission.mutate(started)
    },
    close() {
      resetOpening()
      resetSubmission()
    },
  }
}
