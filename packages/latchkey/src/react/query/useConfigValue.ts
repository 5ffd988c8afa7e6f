import { useSyncExternalStore } from 'react'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'

/**
 * Returns a value of the config's state. On the server and in the page's first render, returns the value in the initial
 * state.
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
