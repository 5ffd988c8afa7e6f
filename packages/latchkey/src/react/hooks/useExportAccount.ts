import { useIsMutating } from '@tanstack/react-query'
import { createElement, type FunctionComponent, type ReactElement, useCallback } from 'react'
import { exportAccountMutationOptions } from '../../query/signerMutations.ts'
import type { ExportWalletParameters } from '../../signer/types.ts'
import type { WaitOptions } from '../../signer/WaitOptions.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, type MutationResult, useSessionMutation } from '../query/mutations.ts'
import { ExportAccountFrame } from '../ui/ExportAccountFrame.tsx'
import type { ExportAccountComponentProps } from '../ui/uiConfig.ts'
import { useConfirmation } from './useConfirmation.ts'

// biome-ignore lint/suspicious/noConfusingVoidType: it lets the mutation be called without an argument
type Variables = WaitOptions | void

export declare namespace useExportAccount {
  type Parameters = MutationOptions<boolean, Variables> & {
    /**
     * Ids of the container and the frame.
     *
     * @default { iframeContainerId: 'latchkey-export-container', iframeElementId: 'turnkey-export-iframe' }
     */
    params?: ExportWalletParameters | undefined
  }
  type ReturnType = MutationResult<boolean, Variables> & {
    /** `ExportAccountComponent` must be on the page. */
    exportAccount: MutationResult<boolean, Variables>['mutate']
    /** Whether the frame contains the secret. Becomes false when the session ends, which removes the frame. */
    isExported: boolean
    /**
     * Whether the confirmation page, opened from the e-mail, showed the secret instead of the frame. Becomes false at
     * the next export and when the session ends.
     */
    isShownByMail: boolean
    isExporting: boolean
    ExportAccountComponent: FunctionComponent<ExportAccountComponentProps>
  }
}

const key = 'exportAccount'
const defaults: ExportWalletParameters = { iframeContainerId: 'latchkey-export-container' }

/**
 * Shows the seed phrase (e-mail session) or private key (passkey session) in a frame this page cannot read.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useExportAccount } from 'latchkey/react'
 *
 * export function Export() {
 *   const { exportAccount, isExported, ExportAccountComponent } = useExportAccount()
 *   return (
 *     <>
 *       <button onClick={() => exportAccount()}>Export</button>
 *       <ExportAccountComponent isExported={isExported} />
 *     </>
 *   )
 * }
 * ```
 */
export function useExportAccount(parameters: useExportAccount.Parameters = {}): useExportAccount.ReturnType {
  const { params = defaults, ...options } = parameters
  const mutation = useSessionMutation('useExportAccount', options, (config) =>
    exportAccountMutationOptions(config, params),
  )
  const id = params.iframeContainerId
  // Memoized per container, so that a rerender keeps the frame.
  const ExportAccountComponent = useCallback(
    (props: ExportAccountComponentProps) => createElement(ExportPlace, { ...props, containerId: id }),
    [id],
  )
  return {
    ...mutation,
    exportAccount: mutation.mutate,
    isExported: mutation.data === true,
    isShownByMail: mutation.data === false,
    isExporting: mutation.isPending,
    ExportAccountComponent,
  }
}

/**
 * Renders the container, which is also visible while the export waits for the user's confirmation. During the wait, the
 * frame shows the fingerprint of its key, to be compared with the fingerprint on the confirmation page.
 */
function ExportPlace(props: ExportAccountComponentProps & { containerId: string }): ReactElement {
  const { queryClient } = useLatchkeyContext('ExportAccountComponent')
  const isExporting = useIsMutating({ mutationKey: [key] }, queryClient) > 0
  const confirmation = useConfirmation()
  const isConfirming = isExporting && confirmation !== null && confirmation.reveals === undefined
  return createElement(ExportAccountFrame, { ...props, isExported: props.isExported || isConfirming })
}
