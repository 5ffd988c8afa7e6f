import type { AccountType, LatchkeyConfig } from '../store/types.ts'
import { getSmartAccountClient } from './getSmartAccountClient.ts'

/** Calls the listener when the client of an account type changes. Returns an unsubscribe. */
export function watchSmartAccountClient<type extends AccountType>(
  parameters: getSmartAccountClient.Parameters<type>,
  config: LatchkeyConfig,
): (listener: (result: getSmartAccountClient.ReturnType<type>) => void) => () => void {
  return (listener) => {
    let last = getSmartAccountClient(parameters, config)
    const look = () => {
      const result = getSmartAccountClient(parameters, config)
      if (result === last) return
      last = result
      listener(result)
    }
    const stops = [config.clientStore.subscribe(look), config.coreStore.subscribe(look)]
    return () => {
      for (const stop of stops) stop()
    }
  }
}
