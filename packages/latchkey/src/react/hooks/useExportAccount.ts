import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import { createElement, type FunctionComponent, useCallback, useEffect } from 'react'
import type { ExportWalletParameters } from '../../signer/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { exportAccountMutationOptions } from '../query/exportAccount.ts'
import type { MutationOptions } from '../query/types.ts'
import type { ExportAccountComponentProps } from '../ui/export-account/ExportAccountComponentProps.ts'
import { ExportAccountFrame } from '../ui/export-account/ExportAccountFrame.tsx'
import { useSignerStatus } from './useSignerStatus.ts'

export declare namespace useExportAccount {
  type Parameters = MutationOptions<boolean, void> & {
    /** Ids of the container and the frame. Defaults `latchkey-export-container`, `turnkey-export-iframe`. */
    params?: ExportWalletParameters | undefined
  }
  type ReturnType = {
    /** `ExportAccountComponent` must be on the page. */
    exportAccount: UseMutateFunction<boolean, Error, void>
    /** The frame holds the secret. False again when the session ends, which takes the frame away. */
    isExported: boolean
    isExporting: boolean
    error: Error | null
    ExportAccountComponent: FunctionComponent<ExportAccountComponentProps>
  }
}

const defaults: ExportWalletParameters = { iframeContainerId: 'latchkey-export-container' }

/** Shows the seed phrase (e-mail session) or private key (passkey session) in a frame this page cannot read. */
export function useExportAccount(parameters: useExportAccount.Parameters = {}): useExportAccount.ReturnType {
  const { params = defaults, ...options } = parameters
  const { config, queryClient } = useLatchkeyContext('useExportAccount')
  const { mutate, reset, data, isPending, error } = useMutation(
    exportAccountMutationOptions(config, params, options),
    queryClient,
  )
  const { isConnected } = useSignerStatus()
  useEffect(() => {
    if (!isConnected) reset()
  }, [isConnected, reset])
  const id = params.iframeContainerId
  // One component a container, so that a new render keeps the frame.
  const ExportAccountComponent = useCallback(
    (props: ExportAccountComponentProps) => createElement(ExportAccountFrame, { ...props, containerId: id }),
    [id],
  )
  return { exportAccount: mutate, isExported: data === true, isExporting: isPending, error, ExportAccountComponent }
}
