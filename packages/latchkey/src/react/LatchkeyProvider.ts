import { QueryClient } from '@tanstack/react-query'
import {
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { BaseError } from '../core/errors/BaseError.ts'
import { hydrate } from '../wallet/actions/session.ts'
import type { InitialState, LatchkeyConfig } from '../wallet/store/types.ts'
import { AuthModalContext, LatchkeyContext } from './context.ts'
import type { UiConfig } from './ui/uiConfig.ts'
import { useDialog } from './ui/useDialog.ts'

export declare namespace LatchkeyProvider {
  type Props = {
    /** From `createConfig`. Make it once, outside of components. */
    config: LatchkeyConfig
    /** What the first paint shows, on the server and in the page: of `cookieToInitialState`. */
    initialState?: InitialState | undefined
    /** @default a new client */
    queryClient?: QueryClient | undefined
    /** When given, even empty, the dialog opens by itself while a mail link is being completed. */
    uiConfig?: UiConfig | undefined
    children?: ReactNode | undefined
  }
}

const noUiConfig: UiConfig = {}

/**
 * Gives every hook its configuration, restores the stored session once, and renders the sign-in dialog.
 *
 * @throws `CONFIG_INVALID` without a config.
 *
 * @example
 * ```tsx
 * import { LatchkeyProvider } from 'latchkey/react'
 * import type { ReactNode } from 'react'
 * import { config } from './config.ts'
 *
 * export function Providers({ children }: { children: ReactNode }) {
 *   return <LatchkeyProvider config={config} uiConfig={{}}>{children}</LatchkeyProvider>
 * }
 * ```
 */
export function LatchkeyProvider(props: LatchkeyProvider.Props): ReactElement {
  const { config, initialState, children, uiConfig } = props
  // Plain JavaScript may leave it out, and a cycle of imports too.
  if (!config)
    throw new BaseError('LatchkeyProvider needs the config that createConfig returned', { code: 'CONFIG_INVALID' })
  const [ownQueryClient] = useState(() => props.queryClient ?? new QueryClient())
  const queryClient = props.queryClient ?? ownQueryClient

  const ui = uiConfig ?? noUiConfig
  const { register, opensItself } = useUses(uiConfig)
  const { isOpen, open, close, prefetch, dialog, notice } = useDialog(config, ui, opensItself)

  // After the dialog's own effects, so that it receives the first event of the signer made here.
  const firstPaint = useHydration(config, initialState)

  const context = useMemo(() => ({ config, firstPaint, queryClient }), [config, firstPaint, queryClient])
  const modal = useMemo(
    () => ({
      isOpen,
      openAuthModal: open,
      closeAuthModal: close,
      triggerProps: { onPointerEnter: prefetch, onFocus: prefetch, onTouchStart: prefetch },
      register,
      uiConfig: ui,
    }),
    [isOpen, open, close, prefetch, register, ui],
  )

  // Not JSX: the `exports` project imports this file and is compiled without JSX.
  const inner = createElement(AuthModalContext.Provider, { value: modal }, children, dialog, notice)
  return createElement(LatchkeyContext.Provider, { value: context }, inner)
}

/** Who shows the sign-in: the dialog opens by itself only where the app has it, and no card in the page. */
function useUses(uiConfig: UiConfig | undefined) {
  const uses = useRef({ uiConfig, hook: 0, card: 0 })
  uses.current.uiConfig = uiConfig
  const register = useCallback((name: 'hook' | 'card') => {
    uses.current[name]++
    return () => {
      uses.current[name]--
    }
  }, [])
  const opensItself = useCallback(() => {
    const { uiConfig, hook, card } = uses.current
    return !card && uiConfig?.uiMode !== 'embedded' && !!(hook || uiConfig)
  }, [])
  return { register, opensItself }
}

/** `initialState` is used while rendering, on the server too; storage and signer follow after the first paint, once. */
function useHydration(config: LatchkeyConfig, initialState: InitialState | undefined): LatchkeyConfig {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state of the first render is the initial one
  const hydration = useMemo(() => hydrate(config, initialState), [config])
  useEffect(() => {
    config._internal.mounts++
    void hydration.onMount()
    return () => {
      config._internal.mounts--
    }
  }, [config, hydration])
  return hydration.firstPaint
}
