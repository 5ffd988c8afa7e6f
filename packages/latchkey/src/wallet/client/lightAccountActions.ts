import { transferOwnership } from './actions/transferOwnership.ts'
import type { LightAccountActions, SmartAccountClient } from './types.ts'

/** What only the client of a LightAccount does; for `client.extend(lightAccountActions)`. */
export function lightAccountActions(client: SmartAccountClient): LightAccountActions {
  return { transferOwnership: (parameters) => transferOwnership(client, parameters) }
}
