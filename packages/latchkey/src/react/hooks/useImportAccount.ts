import { createElement, type FunctionComponent, useCallback, useEffect } from 'react'
import type { Address } from 'viem'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { openImportMutationOptions, submitImportMutationOptions } from '../../query/signerMutations.ts'
import type { ImportWalletParameters } from '../../signer/WalletImport.ts'
import { useSessionMutation } from '../query/mutations.ts'
import { ExportAccountFrame } from '../ui/ExportAccountFrame.tsx'
import type { ExportAccountComponentProps } from '../ui/uiConfig.ts'

type Secret = Pick<ImportWalletParameters, 'secret' | 'name'>
/** `isOpen`: value returned by the hook. While false, the frame is hidden. */
type ComponentProps = Omit<ExportAccountComponentProps, 'isExported'> & { isOpen: boolean }

export declare namespace useImportAccount {
  type Parameters = {
    /**
     * Ids of the container and the frame.
     *
     * @default { iframeContainerId: 'latchkey-import-container', iframeElementId: 'turnkey-import-iframe' }
     */
    params?: Pick<ImportWalletParameters, 'iframeContainerId' | 'iframeElementId'> | undefined
  }
  type ReturnType = {
    /** Opens the frame; `ImportAccountComponent` must be on the page. */
    openImport: (secret?: Secret) => void
    isOpening: boolean
    /** Whether the frame waits for the user to enter the secret. */
    isOpen: boolean
    /** Encrypts and sends the user's input. */
    submitImport: () => void
    isSubmitting: boolean
    /** Whether the frame refused the input. The frame shows the reason and accepts new input. */
    isRefused: boolean
    /** Whether the user declined in the frame. The frame still accepts new input. */
    isDeclined: boolean
    /** Addresses of the imported accounts. */
    addresses: Address[] | undefined
    /** Removes the frame. */
    closeImport: () => void
    error: CodedError | null
    ImportAccountComponent: FunctionComponent<ComponentProps>
  }
}

const defaults = { iframeContainerId: 'latchkey-import-container' }

/**
 * Imports a seed phrase or private key that this page cannot read. The user types it into a frame, or on the page of an
 * email: then `isOpen` stays false, and `useConfirmation` describes the wait.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useImportAccount } from 'latchkey/react'
 *
 * export function Import() {
 *   const { openImport, isOpen, submitImport, addresses, ImportAccountComponent } = useImportAccount()
 *   return (
 *     <>
 *       <button onClick={() => openImport({ secret: 'phrase' })}>Import a seed phrase</button>
 *       <ImportAccountComponent isOpen={isOpen} />
 *       {isOpen && <button onClick={submitImport}>Import</button>}
 *       {addresses?.map((address) => <p key={address}>{address}</p>)}
 *     </>
 *   )
 * }
 * ```
 */
export function useImportAccount({ params = defaults }: useImportAccount.Parameters = {}): useImportAccount.ReturnType {
  const hook = 'useImportAccount'
  const id = params.iframeContainerId
  const opening = useSessionMutation(hook, undefined, (config) => openImportMutationOptions(config, params))
  const submission = useSessionMutation(hook, undefined, submitImportMutationOptions)
  const { data: opened, mutate: open, reset: resetOpening } = opening
  const { mutate: submit, reset: resetSubmission } = submission
  // Unmounting the component also removes the frame.
  useEffect(() => () => opened?.close(), [opened])

  const ImportAccountComponent = useCallback(
    ({ isOpen, ...props }: ComponentProps) =>
      createElement(ExportAccountFrame, { ...props, isExported: isOpen, containerId: id }),
    [id],
  )
  const code = submission.error?.code
  const isDeclined = code === 'FRAME_DECLINED'
  // The user can correct input that the frame refused. If the service refuses, the frame's key cannot be used again.
  const isRefused = isDeclined || code === 'FRAME_FAILED'
  const isOver = submission.isSuccess || (submission.isError && !isRefused)
  const isOpen = opened?.takenBy === 'frame' && !isOver
  useEffect(() => {
    if (isOpen) document.getElementById(id)?.querySelector('iframe')?.focus()
  }, [isOpen, id])
  return {
    openImport(secret = {}) {
      resetSubmission()
      // Without a frame, the page has nothing to wait for before the email.
      open(secret, { onSuccess: (made) => made.takenBy === 'confirmation' && submit(made) })
    },
    isOpening: opening.isPending,
    isOpen,
    submitImport: () => opened && submit(opened),
    isSubmitting: submission.isPending,
    isRefused,
    isDeclined,
    addresses: submission.data?.addresses,
    closeImport() {
      resetOpening()
      resetSubmission()
    },
    error: opening.error ?? (isRefused || code === 'ABORTED' ? null : submission.error),
    ImportAccountComponent,
  }
}
