import { createInterface, type Interface } from 'node:readline'
import { ServerError } from '../platform/errors/ServerError.ts'

type Terminal = { stdin: NodeJS.ReadableStream; stdout: NodeJS.WritableStream }

/**
 * Returns functions that ask the user at a terminal and release the terminal. `ask` rejects on Ctrl-C and at the end of
 * the input. Lines typed ahead answer the next questions.
 */
export function createPrompt({ stdin, stdout }: Terminal) {
  // Opened by the first question, so that commands without questions do not affect the terminal.
  let open: Interface | undefined
  let isEnded = false
  const typed: string[] = []
  let next: (() => void) | undefined

  function start(): Interface {
    const lines = createInterface({ input: stdin, output: stdout })
    lines.on('line', (line) => {
      typed.push(line)
      next?.()
    })
    lines.on('close', () => {
      isEnded = true
      next?.()
    })
    return lines
  }

  return {
    async ask(question: string): Promise<string> {
      open ??= start()
      open.setPrompt(question)
      open.prompt()
      if (typed.length === 0 && !isEnded)
        await new Promise<void>((resolve) => {
          next = resolve
        })
      const line = typed.shift()
      if (line === undefined) throw new ServerError('Stopped. Nothing was written.', { code: 'ABORTED' })
      return line
    },
    close: () => open?.close(),
  }
}
