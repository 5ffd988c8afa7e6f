import type { AssetChange, PredictableOperation, SimulateAssetChangesResult } from 'latchkey-protocol'

const timeoutMs = 5_000
/** Maximum number of changes that the page lists. */
const maxChanges = 50

/** `failure`: why the operation would fail on the chain. */
export type Prediction =
  | { state: 'unavailable' }
  | { state: 'fails'; failure: string }
  | { state: 'known'; account: string; changes: readonly AssetChange[]; more: number }

/**
 * Asks the gateway for the predicted effect of an operation. A gateway that is slow, down or lying about its format
 * makes the prediction unavailable, and nothing else.
 */
export async function predict(
  gatewayUrl: string,
  { chainId, entryPoint, operation, apiKey }: PredictableOperation,
): Promise<Prediction> {
  try {
    const response = await fetch(`${gatewayUrl.replace(/\/+$/, '')}/${chainId}/v2`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'alchemy_simulateUserOperationAssetChanges',
        params: [operation, entryPoint],
      }),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { result }: { result?: SimulateAssetChangesResult } = await response.json()
    if (!result || !Array.isArray(result.changes)) return { state: 'unavailable' }
    if (result.error) return { state: 'fails', failure: String(result.error.message) }
    const changes = result.changes.slice(0, maxChanges)
    return { state: 'known', account: operation.sender, changes, more: result.changes.length - changes.length }
  } catch {
    return { state: 'unavailable' }
  }
}
