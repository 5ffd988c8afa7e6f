import { cookieToInitialState, serializeInitialState } from 'latchkey'
import { type PipeableStream, renderToPipeableStream } from 'react-dom/server'
import { App } from './App.tsx'
import { config } from './config.ts'

/** Renders the page for a request as a stream. Returns the stream and the state that it was rendered with. */
export function render(path: string, cookie: string | undefined): Promise<{ page: PipeableStream; state: string }> {
  const initialState = cookieToInitialState(config, cookie)
  const state = serializeInitialState(initialState)
  return new Promise((resolve, reject) => {
    const page = renderToPipeableStream(<App path={path} initialState={initialState} />, {
      onShellReady: () => resolve({ page, state }),
      onShellError: reject,
    })
  })
}
