import { useSyncExternalStore } from 'react'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'

/**
 * Returns a value of the config's state. The server and the first render of the page use the value of the first paint.
 */
export function useConfigValue<value>(
  hook: string,
  watch: (config: LatchkeyConfig) => (listener: () => void) => () => void,
  read: (config: LatchkeyConfig) => value,
): value {
  const { config, firstPaint } = useLatchkeyContext(hook)
  return useSyncExternalStore(
    watch(config),
    () => read(config),
    () => read(firstPaint),
  )
}
