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
    /** Config from `createConfig`. Create it once, outside of components. */
    config: LatchkeyConfig
    /** State for the first render, on the server and in the page, from `cookieToInitialState`. */
    initialState?: InitialState | undefined
    /** @default a new client */
    queryClient?: QueryClient | undefined
    /** If set, even to an empty object, the dialog opens automatically while an e-mail link is being completed. */
    uiConfig?: UiConfig | undefined
    children?: ReactNode | undefined
  }
}

const noUiConfig: UiConfig = {}

/**
 * Provides the configuration to every hook, restores the stored session once, and renders the sign-in dialog.
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
  // The type forbids this, but untyped JavaScript and import cycles can cause it.
  if (!config)
    throw new BaseError('LatchkeyProvider needs the config that createConfig returned', { code: 'CONFIG_INVALID' })
  const [ownQueryClient] = useState(() => props.queryClient ?? new QueryClient())
  const queryClient = props.queryClient ?? ownQueryClient

  const ui = uiConfig ?? noUiConfig
  const { register, opensItself } = useUses(uiConfig)
  const { isOpen, open, addOwner, close, prefetch, dialog, notice } = useDialog(config, ui, opensItself)

  // This hook comes after the dialog's hooks, so that the dialog receives the first event of the signer created here.
  const firstPaint = useHydration(config, initialState)

  const context = useMemo(() => ({ config, firstPaint, queryClient }), [config, firstPaint, queryClient])
  const modal = useMemo(
    () => ({
      isOpen,
      openAuthModal: open,
      closeAuthModal: close,
      addOwner,
      triggerProps: { onPointerEnter: prefetch, onFocus: prefetch, onTouchStart: prefetch },
      register,
      uiConfig: ui,
    }),
    [isOpen, open, addOwner, close, prefetch, register, ui],
  )

  // No JSX, because the `exports` project imports this file and compiles without JSX.
  const inner = createElement(AuthModalContext.Provider, { value: modal }, children, dialog, notice)
  return createElement(LatchkeyContext.Provider, { value: context }, inner)
}

/** Tracks which sign-in UI the app uses. The dialog opens automatically only if the app uses the dialog and no card. */
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

/**
 * Renders with `initialState` first, on the server and in the page. After the first render, reads the stored state and
 * creates the signer.
 */
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
