import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { requirePage } from '../../wallet/actions/account.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { useSignerStatus } from '../hooks/useSignerStatus.ts'
import { requireSigner } from './requireSigner.ts'

/** TanStack Query's options of a mutation; function and key are set by the hook. */
export type MutationOptions<data, variables> = Omit<
  UseMutationOptions<data, Error, variables>,
  'mutationFn' | 'mutationKey'
>

type HookParameters<data, variables> = {
  /** Name of the public hook, for error messages. */
  hook: string
  /** Mutation key. */
  key: string
  options: MutationOptions<data, variables> | undefined
}

export declare namespace useSignerMutation {
  type Parameters<data, variables> = HookParameters<data, variables> & {
    /**
     * Result and error are cleared with the session: the next one may be allowed what the last one was refused.
     *
     * @default false
     */
    endsWithSession?: boolean | undefined
    act: (signer: Signer, variables: variables) => Promise<data>
  }
}

/** A mutation that calls the signer. Before the provider has mounted it fails with `SIGNER_NOT_CONNECTED`, on a server with `CLIENT_ONLY`. */
export function useSignerMutation<data, variables>(
  parameters: useSignerMutation.Parameters<data, variables>,
): UseMutationResult<data, Error, variables> {
  const { hook, key, options, endsWithSession = false, act } = parameters
  const { config, queryClient } = useLatchkeyContext(hook)
  const mutationFn = async (variables: variables) => {
    requireOnline()
    return act(requireSigner(config), variables)
  }
  const mutation = useMutation({ ...options, ...neverQueued, mutationKey: [key], mutationFn }, queryClient)
  const { reset } = mutation
  const { isConnected } = useSignerStatus()
  useEffect(() => {
    if (endsWithSession && !isConnected) reset()
  }, [endsWithSession, isConnected, reset])
  return mutation
}

export declare namespace useClientMutation {
  type Parameters<data, variables> = HookParameters<data, variables> & {
    client: SmartAccountClient | undefined
    act: (client: SmartAccountClient, variables: variables) => Promise<data>
  }
}

/** A mutation that calls a smart account client. Without one it fails with `CLIENT_MISSING`; on a server with `CLIENT_ONLY`. */
export function useClientMutation<data, variables>(
  parameters: useClientMutation.Parameters<data, variables>,
): UseMutationResult<data, Error, variables> {
  const { hook, key, client, options, act } = parameters
  const { config, queryClient } = useLatchkeyContext(hook)
  const mutationFn = async (variables: variables) => {
    requireOnline()
    if (client) return act(client, variables)
    requirePage(config, 'account')
    throw new BaseError(`client must be defined in ${hook}`, {
      code: 'CLIENT_MISSING',
      metaMessages: ['Pass the client of useSmartAccountClient once it is there.'],
    })
  }
  return useMutation({ ...options, ...neverQueued, mutationKey: [key], mutationFn }, queryClient)
}

/** Offline TanStack Query keeps what was pressed and runs it once online, unasked: minutes later, or never. */
export const neverQueued = { networkMode: 'always' } as const

/**
 * Says at once that there is no network, before anything is prepared or signed.
 *
 * @throws `NETWORK_UNREACHABLE`.
 */
function requireOnline(): void {
  if (typeof navigator === 'undefined' || navigator.onLine !== false) return
  throw new BaseError('You are offline. Nothing was sent.', {
    code: 'NETWORK_UNREACHABLE',
    metaMessages: ['Connect to the network and try again: nothing is done by itself later.'],
  })
}
