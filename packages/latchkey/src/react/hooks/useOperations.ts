import { useEffect, useState } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { dismissOperationMutationOptions } from '../../query/clientMutations.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import type { OperationRecord } from '../../wallet/outbox/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, useConfigMutation } from '../query/mutations.ts'

export declare namespace useOperations {
  type Parameters = MutationOptions<void, string> & { client: SmartAccountClient | undefined }
  type ReturnType = {
    /** Operation records, newest first. Undefined until loaded. */
    operations: readonly OperationRecord[] | undefined
    /** Removes a finished operation from the list, by record id. */
    dismissOperation: (id: string) => void
    /** Error of the last dismissal, or of reading the operations. */
    error: CodedError | null
  }
}

/**
 * Returns this browser's operation records for the client's account, including records from before a reload. Tracks
 * each operation until its outcome is known.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useOperations, useSmartAccountClient } from 'latchkey/react'
 *
 * export function Activity() {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { operations = [], dismissOperation } = useOperations({ client })
 *   return (
 *     <ul>
 *       {operations.map(({ id, state, reason }) => (
 *         <li key={id}>
 *           {state} {reason} <button onClick={() => dismissOperation(id)}>Dismiss</button>
 *         </li>
 *       ))}
 *     </ul>
 *   )
 * }
 * ```
 */
export function useOperations(parameters: useOperations.Parameters): useOperations.ReturnType {
  const { client, ...options } = parameters
  const { value, failure } = useWatched<readonly OperationRecord[]>('useOperations', client, watchAll)
  const { mutate, error } = useConfigMutation('useOperations', options, (config) =>
    dismissOperationMutationOptions(config, { client }),
  )
  return { operations: value, dismissOperation: mutate, error: error ?? failure }
}

export declare namespace useOperation {
  type Parameters = {
    client: SmartAccountClient | undefined
    /** Id of a record in `useOperations`. If undefined, no operation is returned. */
    id: string | undefined
  }
  type ReturnType = {
    /** Operation. Undefined until loaded, or if the account has no such operation. */
    operation: OperationRecord | undefined
    error: CodedError | null
  }
}

/**
 * Returns one operation of the client's account, from sending until its outcome is known.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useOperation, useSmartAccountClient } from 'latchkey/react'
 *
 * export function State({ id }: { id: string }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { operation } = useOperation({ client, id })
 *   return <p>{operation?.state === 'included' ? operation.transactionHash : operation?.state}</p>
 * }
 * ```
 */
export function useOperation({ client, id }: useOperation.Parameters): useOperation.ReturnType {
  const { value, failure } = useWatched<OperationRecord | undefined>('useOperation', client, watchOne, id)
  return { operation: value, error: failure }
}

type Watch<value> = (
  client: SmartAccountClient,
  parameters: { id: string | undefined; onChange: (value: value) => void; onError: (error: unknown) => void },
) => () => void

const watchAll: Watch<readonly OperationRecord[]> = (client, parameters) => client.watchOperations(parameters)
const watchOne: Watch<OperationRecord | undefined> = (client, { id, ...parameters }) =>
  id === undefined ? () => {} : client.watchOperation({ ...parameters, id })

type Watched<value> = {
  client: SmartAccountClient | undefined
  id?: string | undefined
  value?: value
  failure?: Error
}

/** Returns the last watched value. Drops it in the same render when the account changes. */
function useWatched<value>(hook: string, client: SmartAccountClient | undefined, watch: Watch<value>, id?: string) {
  useLatchkeyContext(hook)
  const [read, setRead] = useState<Watched<value>>({ client, id })
  useEffect(() => {
    if (!client) return
    return watch(client, {
      id,
      onChange: (value) => setRead({ client, id, value }),
      onError: (cause) =>
        setRead({ client, id, failure: cause instanceof Error ? cause : new TypeError(String(cause)) }),
    })
  }, [client, id, watch])
  const isCurrent = read.client === client && read.id === id
  return { value: isCurrent ? read.value : undefined, failure: (isCurrent && read.failure) || null }
}
